//! What GPUs do together: links inside a node and networks between nodes.

use super::Grade;
use crate::units::{Bytes, BytesPerSecond, Fraction, Seconds};

/// A measured all-reduce table of one group size.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveTable {
    /// GPUs in the group.
    pub ranks: u32,
    /// Link rate per direction of the GPUs that were measured.
    pub link: BytesPerSecond,
    /// `(buffer bytes, bus bandwidth as a share of the per-direction link rate)`, ascending in bytes.
    pub points: Vec<(Bytes, Fraction)>,
}

/// Links inside a node.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkProfile {
    /// Class, such as a fully switched link or a PCIe tree.
    pub class: String,
    /// Bus bandwidth of a large all-reduce over all GPUs of a node, as a share of the GPU's per-direction link rate
    /// (or of the PCIe rate where the path is PCIe).
    pub efficiency: Fraction,
    /// Latency of one step of a collective, used below and beside the tables.
    pub latency: Seconds,
    /// Measured tables, ascending in ranks; empty when there is none.
    pub tables: Vec<CollectiveTable>,
    /// True when the path is PCIe, not the GPU's own link.
    pub over_pcie: bool,
    /// Evidence.
    pub grade: Grade,
    /// Where from.
    pub source: String,
}

/// A class of network between nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkProfile {
    /// Class, such as plain TCP or a remote-memory fabric.
    pub class: String,
    /// Bus bandwidth of a large all-reduce as a share of the stated bandwidth.
    pub efficiency: Fraction,
    /// Latency of one step between nodes.
    pub latency: Seconds,
    /// Cards move GPU memory without the host (RDMA); plain TCP does not.
    pub remote_memory: bool,
    /// Evidence.
    pub grade: Grade,
    /// Where from.
    pub source: String,
}

impl LinkProfile {
    /// Bus bandwidth of an all-reduce of `bytes` over `ranks` GPUs on links of `rate` per direction.
    ///
    /// Inside a table: log-log interpolation in bytes. Above it: the last point. Below it: the time falls in a line
    /// from the first point to the latency of the steps. Without a table: latency and `efficiency x rate`. Of the
    /// tables of one link rate the nearest group size counts; of several link rates, all those up to `rate` scaled to
    /// it, and the best of them, or the slowest where all are faster: a faster link is never slower. More bytes never
    /// give less bandwidth, nor less time.
    pub fn bus_bandwidth(&self, ranks: u32, bytes: Bytes, rate: BytesPerSecond) -> BytesPerSecond {
        let slowest = self.tables.iter().map(|t| t.link).reduce(BytesPerSecond::min);
        let Some(slowest) = slowest else {
            return self.alpha_beta(ranks, bytes, rate * self.efficiency.get());
        };
        let known = rate.max(slowest);
        let nearest = |t: &&CollectiveTable| {
            let distance = t.ranks.abs_diff(ranks);
            t.link <= known
                && !self.tables.iter().any(|o| o.link == t.link && o.ranks.abs_diff(ranks) < distance)
        };
        self.tables
            .iter()
            .filter(nearest)
            .map(|t| self.in_table(t, ranks, bytes) * (rate / t.link))
            .fold(BytesPerSecond::ZERO, BytesPerSecond::max)
    }

    /// Bus bandwidth at the link rate that a table was measured on.
    fn in_table(&self, table: &CollectiveTable, ranks: u32, bytes: Bytes) -> BytesPerSecond {
        let (points, rate) = (&table.points, table.link);
        let after = points.partition_point(|(b, _)| b.get() <= bytes.get());
        match (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after)) {
            (Some(&(b0, s0)), Some(&(b1, s1))) => {
                let weight = (bytes / b0).ln() / (b1 / b0).ln();
                rate * (s0.get().ln() + weight * (s1 / s0).ln()).exp()
            }
            (Some(&(_, share)), None) => rate * share.get(),
            (None, Some(&(first, share))) => {
                let (whole, part) = (moved(ranks, first), moved(ranks, bytes));
                let at_first = whole / (rate * share.get());
                let floor = self.steps(ranks).min(at_first);
                part / (floor + (at_first - floor) * (part / whole))
            }
            (None, None) => self.alpha_beta(ranks, bytes, rate * self.efficiency.get()),
        }
    }

    /// The latency of `2(n-1)` steps.
    fn steps(&self, ranks: u32) -> Seconds {
        self.latency * (2.0 * (f64::from(ranks.max(2)) - 1.0))
    }

    /// `2(n-1)` latency steps and the bandwidth term, as an effective bus bandwidth.
    fn alpha_beta(&self, ranks: u32, bytes: Bytes, bandwidth: BytesPerSecond) -> BytesPerSecond {
        let moved = moved(ranks, bytes);
        moved / (self.steps(ranks) + moved / bandwidth)
    }
}

/// Bytes each GPU sends in an all-reduce: `2(n-1)/n x bytes`.
fn moved(ranks: u32, bytes: Bytes) -> Bytes {
    let n = f64::from(ranks.max(2));
    bytes * (2.0 * (n - 1.0) / n)
}
