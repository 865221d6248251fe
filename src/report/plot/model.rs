//! What a plot shows: numbers and names, already in the report's language and units.

/// A plot, without any decision about where things stand.
#[derive(Debug, Clone, PartialEq)]
pub enum PlotModel {
    /// Cost against time of candidates.
    CostTime(CostTimePlot),
    /// Throughput or speed-up against the number of GPUs.
    Scaling(ScalingPlot),
    /// Both, one above the other.
    Both(CostTimePlot, ScalingPlot),
    /// Rate against intensity under the ceilings of a machine.
    Roofline(RooflinePlot),
    /// Layers on each other, one column beside the other.
    Layers(LayersPlot),
    /// Lengths of named bars.
    Bars(BarsPlot),
    /// How far each assumption moves a result.
    Sensitivity(SensitivityPlot),
    /// Nodes and work done over time.
    Timeline(TimelinePlot),
    /// A result over a swept number.
    Sweep(SweepPlot),
    /// Several, one below the other.
    Several(Vec<Self>),
}

/// A result over a swept number, such as the time over the number of GPUs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SweepPlot {
    /// Title.
    pub title: String,
    /// What is swept.
    pub x_label: String,
    /// What the vertical axis shows, with its unit.
    pub y_label: String,
    /// The values are seconds.
    pub is_time: bool,
    /// One curve for each value of a second swept number.
    pub curves: Vec<SweepCurve>,
    /// Where the numbers come from.
    pub footer: String,
}

/// One curve of a sweep.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SweepCurve {
    /// Its name in the legend; an only curve needs none.
    pub name: String,
    /// The swept number, and the result there.
    pub points: Vec<(f64, Interval)>,
}

/// Columns of layers, such as the memory of each pipeline stage.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayersPlot {
    /// Title.
    pub title: String,
    /// What the vertical axis shows, with its unit.
    pub y_label: String,
    /// Names of the layers, the lowest first.
    pub layers: Vec<String>,
    /// The columns.
    pub columns: Vec<LayersColumn>,
    /// A level line with its name.
    pub limit: Option<(String, f64)>,
    /// Where the numbers come from.
    pub footer: String,
}

/// One column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayersColumn {
    /// Its name below the axis.
    pub label: String,
    /// The height of each layer, in the order of [`LayersPlot::layers`].
    pub values: Vec<f64>,
    /// What stands above it.
    pub total: String,
}

/// Lengths of named bars, such as the terms of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BarsPlot {
    /// Title.
    pub title: String,
    /// What the horizontal axis shows.
    pub x_label: String,
    /// True when the values are seconds.
    pub time: bool,
    /// The bars from the top.
    pub bars: Vec<NamedBar>,
    /// Names of the groups that differ in pattern; [`NamedBar::group`] counts from 0 into them.
    pub groups: Vec<String>,
    /// Where the numbers come from.
    pub footer: String,
}

/// One bar.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamedBar {
    /// Its name.
    pub label: String,
    /// Index into [`BarsPlot::groups`].
    pub group: usize,
    /// Its length.
    pub value: f64,
    /// What stands behind it.
    pub text: String,
}

/// How far each assumption moves a result from its base, the widest first (a tornado).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SensitivityPlot {
    /// Title.
    pub title: String,
    /// What the horizontal axis shows, with its unit.
    pub x_label: String,
    /// True when the values are seconds.
    pub time: bool,
    /// The result with every assumption as it is.
    pub base: f64,
    /// The assumptions, in any order.
    pub bars: Vec<SensitivityBar>,
    /// Where the numbers come from.
    pub footer: String,
}

/// One assumption and where it takes the result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SensitivityBar {
    /// The assumption.
    pub label: String,
    /// The lower result, and what the assumption is there.
    pub low: (f64, String),
    /// The higher result, and what the assumption is there.
    pub high: (f64, String),
}

/// Nodes of a job over time, and how much of it is done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimelinePlot {
    /// Title.
    pub title: String,
    /// Stretches in order: begin and end in seconds from the start, nodes, share done at the end.
    pub stretches: Vec<TimelineStretch>,
    /// Nodes that are committed to.
    pub baseline: u32,
    /// When the job ends, in seconds.
    pub end_s: Interval,
    /// Where the numbers come from.
    pub footer: String,
}

/// A time with one number of nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TimelineStretch {
    /// Its begin, in seconds.
    pub from_s: f64,
    /// Its end, in seconds.
    pub to_s: f64,
    /// Seconds at its begin without work.
    pub changing_s: f64,
    /// Nodes.
    pub nodes: u32,
    /// Share done at its end.
    pub done: f64,
}

/// Cost against time of candidates, with intervals and the Pareto front.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CostTimePlot {
    /// Title, one line if it is short enough.
    pub title: String,
    /// Currency of every cost, for the axis label: `USD`.
    pub currency: String,
    /// The candidates.
    pub points: Vec<CostTimePoint>,
    /// Names of the groups that differ in marker; [`CostTimePoint::group`] counts from 0 into them.
    pub groups: Vec<String>,
    /// The longest allowed time in seconds.
    pub deadline_s: Option<f64>,
    /// The highest allowed cost in the plot's currency.
    pub budget: Option<f64>,
    /// What the ring says about the winner; "recommended" unless given.
    pub ringed: Option<String>,
    /// Where the numbers come from: profile, price date, grade.
    pub footer: String,
}

/// One candidate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CostTimePoint {
    /// Short name, such as the cluster; an empty one is not printed.
    pub label: String,
    /// Index into [`CostTimePlot::groups`].
    pub group: usize,
    /// Total time in seconds.
    pub time_s: Interval,
    /// Total cost in the plot's currency.
    pub cost: Interval,
    /// True when no other candidate is both faster and cheaper.
    pub pareto: bool,
    /// True for the candidate with the ring: the recommended or quoted one.
    pub winner: bool,
    /// True for the candidate that balances all axes best.
    pub knee: bool,
}

/// A median with its 10th and 90th percentile.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Interval {
    /// 10th percentile.
    pub p10: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
}

impl Interval {
    /// An interval from its three percentiles.
    pub const fn new(p10: f64, p50: f64, p90: f64) -> Self {
        Self { p10, p50, p90 }
    }

    /// A value without spread.
    pub const fn exact(value: f64) -> Self {
        Self::new(value, value, value)
    }
}

/// Throughput or speed-up against the number of GPUs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScalingPlot {
    /// Title.
    pub title: String,
    /// What the vertical axis shows, with its unit.
    pub y_label: String,
    /// The curves.
    pub series: Vec<ScalingSeries>,
    /// True to draw, for each curve, the line it would follow if it scaled perfectly from its first point.
    pub ideal: bool,
    /// Where the numbers come from.
    pub footer: String,
}

/// One curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScalingSeries {
    /// Its name in the legend.
    pub name: String,
    /// Its points, in any order.
    pub points: Vec<ScalingPoint>,
}

/// One point of a curve.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ScalingPoint {
    /// Number of GPUs.
    pub gpus: u32,
    /// The value and its interval, in the unit of [`ScalingPlot::y_label`].
    pub value: Interval,
    /// Share of perfect scaling, written beside the point.
    pub efficiency: Option<f64>,
}

/// Rate against intensity of kernels under the ceilings of a machine, both logarithmic.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RooflinePlot {
    /// Title.
    pub title: String,
    /// Slanted ceilings.
    pub bandwidths: Vec<BandwidthRoof>,
    /// Level ceilings.
    pub rates: Vec<RateRoof>,
    /// Kernels.
    pub points: Vec<RooflinePoint>,
    /// Names of the groups that differ in marker; [`RooflinePoint::group`] counts from 0 into them.
    pub groups: Vec<String>,
    /// What the interval bars are.
    pub interval: String,
    /// Where the numbers come from.
    pub footer: String,
}

/// A bandwidth as a ceiling.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BandwidthRoof {
    /// Its name in the legend, with its value.
    pub name: String,
    /// The bandwidth, in TB/s.
    pub tb_per_s: f64,
    /// Ridge points are marked on it.
    pub ridges: bool,
}

/// A rate of arithmetic as a ceiling.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RateRoof {
    /// Its name in the legend, with its value.
    pub name: String,
    /// The rate, in TFLOP/s.
    pub tflop_per_s: f64,
}

/// One kernel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RooflinePoint {
    /// Short name; an empty one is not printed.
    pub label: String,
    /// Index into [`RooflinePlot::groups`].
    pub group: usize,
    /// Intensity, FLOP per byte.
    pub flop_per_byte: f64,
    /// Rate with its interval, TFLOP/s.
    pub tflop_per_s: Interval,
}
