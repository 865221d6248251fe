//! How much of what one measurement deviates from its prediction holds on another cluster.
//!
//! A prediction misses a run by `u + e`: `u` is common to all GPUs (this user's software, this model), `e` is that GPU's
//! own. The measurement shows the sum at one place, the other place has its own `e`. With spread `s` of the sum and
//! variance `o` of `e`, the part that carries over is `1 - o / s^2`, and what remains has the variance `s^2 (1 - share^2)`.
//!
//! A prediction for a source that the fit has seen has the small spread of its stack; for one that it has never seen, as
//! the user's is, it is wider ([`TransferRule::stranger`]). Nobody knows beforehand which of the two a user resembles, so
//! both are weighed by how well they explain the measurement: one that is met as expected changes nothing, one that
//! is far off shows a stranger.

/// Spreads of ln(time) behind a transfer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransferRule {
    /// Standard deviation of the difference of two misses on two GPUs.
    pub difference: f64,
    /// Standard deviation of the miss of a source that the fit has never seen.
    pub stranger: f64,
    /// Probability, before anything is measured, that a user is such a source.
    pub doubt: f64,
}

/// What a measurement means elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Carried {
    /// Part of ln(measured / predicted) that holds there, from 0 to 1.
    pub share: f64,
    /// Standard deviation of ln(time) there.
    pub sigma: f64,
}

/// Deviations of a GPU's own, in standard deviations, beyond which a measurement must be more than that.
const BEYOND: f64 = 2.0;
/// A spread of nothing explains nothing.
const LEAST: f64 = 1e-3;

impl TransferRule {
    /// Carries ln(measured / predicted) to a prediction of `spread`.
    ///
    /// ```
    /// use gpu_advisor::profile::TransferRule;
    /// let rule = TransferRule { difference: 0.2, stranger: 0.2, doubt: 0.05 };
    /// // Half of a stranger's variance is the GPU's own: the other half carries over.
    /// let carried = rule.carried(0.1, 0.2);
    /// assert!((carried.share - 0.5).abs() < 1e-12 && (carried.sigma - 0.2 * 0.75f64.sqrt()).abs() < 1e-12);
    /// // A prediction that is known to be good stays where it is when the measurement agrees.
    /// assert!(rule.carried(0.02, 0.05).share < 0.02);
    /// // Twice the time is no matter of one GPU.
    /// assert!(rule.carried(2f64.ln(), 0.05).share > 0.7);
    /// ```
    pub fn carried(&self, log_factor: f64, spread: f64) -> Carried {
        let usual = spread.max(LEAST);
        let own = self.difference / std::f64::consts::SQRT_2;
        let strange = self.stranger.max(usual).max(log_factor.abs() - BEYOND * own);
        let (seen, seen_square) = self.known_part(usual);
        let (new, new_square) = self.part(strange);
        let likelihood = |sigma: f64| (-0.5 * (log_factor / sigma).powi(2)).exp() / sigma;
        let weights = [(1.0 - self.doubt) * likelihood(usual), self.doubt * likelihood(strange)];
        let odds = weights[1] / (weights[0] + weights[1]);
        let share = odds * new + (1.0 - odds) * seen;
        let apart = |part: f64| ((part - share) * log_factor).powi(2);
        let square = odds * (new_square + apart(new)) + (1.0 - odds) * (seen_square + apart(seen));
        let sigma = square.sqrt();
        // Less doubt than before never widens.
        Carried { share, sigma: if odds <= self.doubt { sigma.min(spread) } else { sigma } }
    }

    /// Variance that is the GPU's own under a spread of ln(time): a wide one has more of it than a narrow one, in proportion.
    ///
    /// ```
    /// use gpu_advisor::profile::TransferRule;
    /// let rule = TransferRule { difference: 0.2, stranger: 0.2, doubt: 0.05 };
    /// // Two GPUs that were seen to differ by 0.2 bring half of its square each.
    /// assert!((rule.own(0.2) - 0.02).abs() < 1e-12 && (rule.own(0.4) - 0.04).abs() < 1e-12);
    /// ```
    pub fn own(&self, sigma: f64) -> f64 {
        self.difference.powi(2) / 2.0 * (sigma / self.stranger).max(1.0)
    }

    /// The same under the spread of a prediction: the smaller its variance against that of a stranger, the more of what
    /// sources have in common over GPUs the fit has taken out already, and the less is left to carry over.
    fn known_part(&self, sigma: f64) -> (f64, f64) {
        let known = (sigma / self.stranger).min(1.0).powi(2);
        let share = self.part(sigma).0 * known * known;
        (share, sigma * sigma * (1.0 - share * share))
    }

    /// The part that carries over under a spread, and the variance that is left.
    fn part(&self, sigma: f64) -> (f64, f64) {
        let share = (1.0 - self.own(sigma) / (sigma * sigma)).max(0.0);
        (share, sigma * sigma * (1.0 - share * share))
    }
}
