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
    /// True for the recommended candidate.
    pub winner: bool,
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
