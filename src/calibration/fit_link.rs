//! Copies and collectives: a table of what was measured, and `T = alpha + S / beta` outside it.
//!
//! Collectives switch protocols with size and are no line: inside the table the time is interpolated between
//! logarithms, above it the last bandwidth holds, below it the first time.

use super::fit_curve::{Bounds, Curve, Residuals, fit};

/// Times by size, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransferTable(Vec<(f64, f64)>);

impl TransferTable {
    /// From pairs of bytes and seconds in any order; those that are not positive are left out.
    pub fn new(pairs: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut pairs: Vec<(f64, f64)> = pairs.into_iter().filter(|(s, t)| *s > 0.0 && *t > 0.0).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        pairs.dedup_by(|a, b| a.0 == b.0);
        Self(pairs)
    }

    /// The pairs of bytes and seconds.
    pub fn pairs(&self) -> &[(f64, f64)] {
        &self.0
    }

    /// Seconds for a size; `None` when the table is empty.
    pub fn seconds(&self, bytes: f64) -> Option<f64> {
        let (first, last) = (self.0.first()?, self.0.last()?);
        if bytes <= first.0 {
            return Some(first.1);
        }
        if bytes >= last.0 {
            return Some(last.1 * bytes / last.0);
        }
        let above = self.0.partition_point(|(s, _)| *s < bytes);
        let ((s0, t0), (s1, t1)) = (self.0[above - 1], self.0[above]);
        let share = (bytes / s0).ln() / (s1 / s0).ln();
        Some(t0 * (t1 / t0).powf(share))
    }

    /// Errors at each inner size when it alone is left out and interpolated.
    pub fn leave_one_out(&self) -> Option<Residuals> {
        let inner = 1..self.0.len().saturating_sub(1);
        Residuals::of(inner.filter_map(|i| {
            let others = self.0.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, p)| *p);
            Some((Self(others.collect()).seconds(self.0[i].0)?, self.0[i].1))
        }))
    }
}

/// Start and bandwidth of a transfer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaBeta {
    /// Seconds of an empty transfer.
    pub alpha: f64,
    /// Bytes per second of an infinite one.
    pub beta: f64,
}

struct Transfers(Vec<f64>);

impl Curve for Transfers {
    fn predict(&self, p: &[f64]) -> Vec<f64> {
        self.0.iter().map(|s| p[0] + s / p[1]).collect()
    }
}

/// Fits by relative error: plain least squares sees only the largest sizes. `None` with fewer than two sizes.
pub fn fit_transfers(table: &TransferTable) -> Option<AlphaBeta> {
    let pairs = table.pairs();
    let ((_, first), (size, last)) = (pairs.first()?, pairs.last()?);
    if pairs.len() < 2 {
        return None;
    }
    let rate = size / last;
    let bounds =
        [Bounds { low: first * 1e-3, high: first * 2.0 }, Bounds { low: rate * 0.5, high: rate * 4.0 }];
    let observed: Vec<f64> = pairs.iter().map(|p| p.1).collect();
    let curve = Transfers(pairs.iter().map(|p| p.0).collect());
    let found = fit(&curve, &observed, &bounds, &[vec![*first, rate]])?;
    Some(AlphaBeta { alpha: found[0], beta: found[1] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_start_and_bandwidth() {
        // 10 us and 1 byte per us.
        let table = TransferTable::new([1.0, 10.0, 100.0, 1000.0].map(|s| (s, (10.0 + s) * 1e-6)));
        let found = fit_transfers(&table).unwrap();
        assert!(
            (found.alpha / 1e-5 - 1.0).abs() < 1e-3 && (found.beta / 1e6 - 1.0).abs() < 1e-3,
            "{found:?}"
        );
    }

    #[test]
    fn a_table_is_read_between_and_beyond_its_sizes() {
        let table = TransferTable::new([(100.0, 4.0), (1.0, 1.0)]);
        assert_eq!(table.seconds(10.0), Some(2.0));
        assert_eq!((table.seconds(0.5), table.seconds(200.0)), (Some(1.0), Some(8.0)));
    }
}
