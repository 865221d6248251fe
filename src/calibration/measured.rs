//! What a run found out: the part of a profile that people and comparisons read, units in the key names.

use std::collections::BTreeMap;

use super::device::{DeviceFacts, DeviceKind};
use super::fit_curve::{Residuals, join};
use super::measurement::{Collective, Cores, Direction, Format, HostMemory, Layout, Shape, Stream};
use super::statistics::{Estimate, Flag};
use super::trace::Gap;
use crate::units::{BytesPerSecond, FlopRate, Seconds};

/// A fitted parameter with its interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Fitted {
    /// Value.
    pub value: f64,
    /// Interval that holds the truth in 95 % of cases; `None` with fewer than two rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<[f64; 2]>,
}

impl Fitted {
    /// In another unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, ci95: self.ci95.map(|c| c.map(|v| v * factor)) }
    }

    /// True when the interval holds a value.
    pub fn holds(self, truth: f64) -> bool {
        self.ci95.is_some_and(|[low, high]| (low..=high).contains(&truth))
    }
}

/// A stream kernel at one size.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct StreamResult {
    /// Kind.
    pub kind: Stream,
    /// Bytes of one array.
    pub bytes: u64,
    /// Bandwidth.
    pub gb_per_s: Estimate,
}

/// L2 reads of a set.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct CacheResult {
    /// Bytes of the set.
    pub bytes: u64,
    /// Bandwidth.
    pub gb_per_s: Estimate,
}

/// One point of the intensity sweep.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct KneePoint {
    /// Intensity.
    pub flop_per_byte: f64,
    /// Rate.
    pub tflop_per_s: Estimate,
}

/// The FP32 knee.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct KneeResult {
    /// Rate at high intensity.
    pub tflop_per_s: Fitted,
    /// Bandwidth at low intensity.
    pub gb_per_s: Fitted,
    /// Exponent.
    pub exponent: Fitted,
    /// Errors of the curve.
    pub residuals: Residuals,
    /// Points.
    pub points: Vec<KneePoint>,
}

/// An arithmetic ceiling.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct CeilingResult {
    /// Format.
    pub format: Format,
    /// Units.
    pub cores: Cores,
    /// Rate.
    pub tflop_per_s: Estimate,
}

/// One measured product.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct ProductPoint {
    /// Rows.
    pub m: u32,
    /// Columns.
    pub n: u32,
    /// Summed side.
    pub k: u32,
    /// Layout.
    pub layout: Layout,
    /// Time.
    pub us: Estimate,
    /// What the curve says.
    pub predicted_us: f64,
    /// True when the curve was fitted to this point.
    pub fitted: bool,
}

impl ProductPoint {
    /// Sides.
    pub const fn shape(&self) -> Shape {
        Shape { m: self.m, n: self.n, k: self.k }
    }

    /// Rate of this product with its interval, in TFLOP/s.
    pub fn rate(&self) -> Estimate {
        // Work over microseconds is 10^6 FLOP/s.
        self.us.inverse(self.shape().work().get() * tera(1e6))
    }
}

/// Products at one format.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct ProductResult {
    /// Format.
    pub format: Format,
    /// What computed them.
    pub source: String,
    /// Rate of an infinite product in a short run.
    pub tflop_per_s: Fitted,
    /// Half-saturation size of m and n.
    pub m0: Fitted,
    /// Of k.
    pub k0: Fitted,
    /// Rate of a long run over that of a short one, where it was measured; at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sustained_ratio: Option<f64>,
    /// Errors on the fitted points.
    pub residuals: Residuals,
    /// Errors on fifths that were left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Residuals>,
    /// Points.
    pub points: Vec<ProductPoint>,
}

/// Copies of one kind, or one collective over one group.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct TransferResult {
    /// Host memory of a host copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<HostMemory>,
    /// Direction of a host copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Sender and receiver of a peer copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peers: Option<[u32; 2]>,
    /// Collective operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Collective>,
    /// Ranks of a collective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u32>,
    /// Nodes they are on; `None` for those of one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// Start, where two sizes or more were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha_us: Option<f64>,
    /// Bandwidth of an infinite transfer; bus bandwidth of a collective.
    pub gb_per_s: f64,
    /// Sizes, ascending.
    pub bytes: Vec<u64>,
    /// Times.
    pub us: Vec<f64>,
    /// Lower ends of their intervals.
    pub us_low: Vec<f64>,
    /// Upper ends.
    pub us_high: Vec<f64>,
}

/// Clocks and the like over the run.
#[derive(Debug, Clone, PartialEq, Default, serde::Deserialize, serde::Serialize)]
pub struct Conditions {
    /// Least, typical and largest core clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<[f64; 3]>,
    /// Typical power.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watts: Option<f64>,
    /// Highest temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub celsius: Option<f64>,
}

/// Everything a run found out.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Measured {
    /// Version of the program.
    pub program: String,
    /// Day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// `quick`, `thorough` or `minimal`.
    pub effort: String,
    /// Seed of the order.
    pub seed: u64,
    /// Rounds.
    pub rounds: u32,
    /// Seconds it took.
    pub duration_s: f64,
    /// Instance type as `provider/name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Node of a fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Nodes behind a merged profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    /// CPU model of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_cpu: Option<String>,
    /// Flags that any value carries.
    pub flags: Vec<Flag>,
    /// Clocks, power, temperature.
    pub conditions: Conditions,
    /// The device.
    pub device: DeviceFacts,
    /// Launch costs by kind.
    pub launch_us: BTreeMap<String, Estimate>,
    /// DRAM streams.
    pub stream: Vec<StreamResult>,
    /// L2 reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub l2: Vec<CacheResult>,
    /// The FP32 knee.
    pub knee: KneeResult,
    /// Arithmetic ceilings.
    pub ceiling: Vec<CeilingResult>,
    /// Products.
    pub product: Vec<ProductResult>,
    /// Host copies, peer copies and collectives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfer: Vec<TransferResult>,
    /// What is missing or was cut short.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// In 10^9.
pub(super) fn giga(value: f64) -> f64 {
    BytesPerSecond::new(value).gb()
}

/// In 10^12.
pub(super) fn tera(value: f64) -> f64 {
    FlopRate::new(value).tera()
}

/// In microseconds.
pub(super) fn micros(seconds: f64) -> f64 {
    seconds / Seconds::from_micros(1.0).get()
}

impl Measured {
    /// A stream kind at its largest size.
    pub fn stream(&self, kind: Stream) -> Option<&Estimate> {
        let of_kind = self.stream.iter().filter(|s| s.kind == kind);
        of_kind.max_by_key(|s| s.bytes).map(|s| &s.gb_per_s)
    }

    /// The best L2 bandwidth over the sets.
    pub fn best_l2(&self) -> Option<&Estimate> {
        self.l2.iter().map(|l| &l.gb_per_s).max_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// Highest rate seen at a format, in TFLOP/s: of chains or of products, since a hand-written chain may be the slower.
    pub fn ceiling(&self, format: Format) -> Option<f64> {
        let chains = self.ceiling.iter().filter(|c| c.format == format).map(|c| c.tflop_per_s.value);
        let products = self.product.iter().filter(|p| p.format == format);
        let rates = products.flat_map(|p| p.points.iter().map(|point| point.rate().value));
        chains.chain(rates).reduce(f64::max)
    }

    /// True when it may stand for real hardware: no simulation, no stand-in.
    pub fn is_real(&self) -> bool {
        self.device.kind != DeviceKind::Simulated && !self.device.name.starts_with("FAKE")
    }

    /// Rate of the knee at an intensity, in TFLOP/s.
    pub fn knee_rate(&self, flop_per_byte: f64) -> f64 {
        let knee = &self.knee;
        let peak = FlopRate::from_tera(knee.tflop_per_s.value).get();
        let bandwidth = BytesPerSecond::from_gb(knee.gb_per_s.value).get();
        tera(flop_per_byte / join(flop_per_byte / peak, 1.0 / bandwidth, knee.exponent.value))
    }
}
