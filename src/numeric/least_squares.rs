//! Robust, regularised least squares by Levenberg and Marquardt, deterministic.
//!
//! Minimises `sum w_i rho((r_i / scale)^2) + sum ((t_j - mean_j) / sd_j)^2` twice: first with the soft absolute
//! value `rho(z) = 2 (sqrt(1 + z) - 1)`, then from there with `rho(z) = ln(1 + z)`, the likelihood of errors with a
//! Cauchy tail. Published runs that are alike in every column differ by half now and then, and such a residual must
//! not move what all others agree on; begun far away, though, that loss would take whole sets for outliers. Source:
//! Marquardt 1963; iteratively re-weighted normal equations after Triggs et al. 2000, without the second-order term.

/// What is fitted.
pub trait Problem: Sync {
    /// Residuals at `parameters`.
    fn residuals(&self, parameters: &[f64]) -> Vec<f64>;
    /// Derivatives of the residuals by each parameter, given the residuals there: one sparse column each, as
    /// `(residual, derivative)` in ascending order.
    fn columns(&self, parameters: &[f64], residuals: &[f64]) -> Vec<Vec<(usize, f64)>>;
}

/// How residuals far above the scale count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// By their size.
    Absolute,
    /// By its logarithm.
    Cauchy,
}

impl Tail {
    /// Loss of a residual in units of the scale.
    fn loss(self, r: f64) -> f64 {
        match self {
            Self::Absolute => 2.0 * ((1.0 + r * r).sqrt() - 1.0),
            Self::Cauchy => (r * r).ln_1p(),
        }
    }

    /// Weights of all residuals in the normal equations.
    fn weights(self, residuals: &[f64], weights: &[f64], scale: f64) -> Vec<f64> {
        let one = |(r, w): (&f64, &f64)| w * self.weight(r / scale) / (scale * scale);
        residuals.iter().zip(weights).map(one).collect()
    }

    /// Weight of its square in the normal equations.
    fn weight(self, r: f64) -> f64 {
        match self {
            Self::Absolute => 1.0 / (1.0 + r * r).sqrt(),
            Self::Cauchy => 1.0 / (1.0 + r * r),
        }
    }
}

/// Belief about one parameter before any evidence, and its bounds.
#[derive(Debug, Clone, Copy)]
pub struct Prior {
    /// Most likely value.
    pub mean: f64,
    /// Standard deviation of the belief.
    pub sd: f64,
    /// Least value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

/// Steps after which a fit stops in any case.
const MOST_STEPS: usize = 100;
/// Relative decrease below which a step counts as none. What all data together cost is some hundred times what one weakly
/// known parameter adds to it: at 1e-4 such ones stopped several per cent from where they belong.
const LEAST_DECREASE: f64 = 1e-6;
/// The same while the loss is still the first one, which only has to come near.
const LEAST_DECREASE_NEAR: f64 = 1e-3;
/// So many steps without a decrease end the fit; each of them starts with other damping.
const MOST_IDLE: usize = 2;
/// Damping to start with.
const FIRST_DAMPING: f64 = 1e-3;
/// Damping beyond which no step helps any more.
const MOST_DAMPING: f64 = 1e8;
/// Longest step of a parameter: a factor of two and a half on a logarithmic scale.
const LONGEST_STEP: f64 = 0.9;

/// Fits from `start`; `weights` are those of the residuals.
pub fn minimise(
    problem: &dyn Problem,
    weights: &[f64],
    scale: f64,
    priors: &[Prior],
    start: Vec<f64>,
) -> Vec<f64> {
    let near = descend(problem, (weights, scale), priors, start, (Tail::Absolute, LEAST_DECREASE_NEAR));
    descend(problem, (weights, scale), priors, near, (Tail::Cauchy, LEAST_DECREASE))
}

/// Fits from `start` under the first loss alone, to the end: for measurements of one kind, of which none is a mistake.
pub fn minimise_absolute(
    problem: &dyn Problem,
    weights: &[f64],
    scale: f64,
    priors: &[Prior],
    start: Vec<f64>,
) -> Vec<f64> {
    descend(problem, (weights, scale), priors, start, (Tail::Absolute, LEAST_DECREASE))
}

fn descend(
    problem: &dyn Problem,
    (weights, scale): (&[f64], f64),
    priors: &[Prior],
    start: Vec<f64>,
    (tail, least_decrease): (Tail, f64),
) -> Vec<f64> {
    let cost = |parameters: &[f64], residuals: &[f64]| -> f64 {
        let data: f64 = residuals.iter().zip(weights).map(|(r, w)| w * tail.loss(r / scale)).sum();
        let belief: f64 = parameters.iter().zip(priors).map(|(t, p)| ((t - p.mean) / p.sd).powi(2)).sum();
        data + belief
    };
    let mut parameters = start;
    let mut residuals = problem.residuals(&parameters);
    let mut best = cost(&parameters, &residuals);
    let mut damping = FIRST_DAMPING;
    let mut idle = 0;
    for _ in 0..MOST_STEPS {
        let columns = problem.columns(&parameters, &residuals);
        let weight = tail.weights(&residuals, weights, scale);
        let (matrix, gradient) = normal_equations(&columns, &residuals, &weight, priors, &parameters);
        let mut decrease = 0.0;
        while damping < MOST_DAMPING {
            let Some(step) = solve(&matrix, &gradient, damping) else {
                damping *= 10.0;
                continue;
            };
            let tried: Vec<f64> = parameters
                .iter()
                .zip(&step)
                .zip(priors)
                .map(|((t, s), p)| (t - s.clamp(-LONGEST_STEP, LONGEST_STEP)).clamp(p.low, p.high))
                .collect();
            let there = problem.residuals(&tried);
            let value = cost(&tried, &there);
            if value < best {
                decrease = (best - value) / best;
                (parameters, residuals, best) = (tried, there, value);
                damping = (damping * 0.2).max(1e-9);
                break;
            }
            damping *= 4.0;
        }
        idle = if decrease < least_decrease { idle + 1 } else { 0 };
        if idle == MOST_IDLE {
            break;
        }
        if idle > 0 {
            damping = FIRST_DAMPING * 10.0_f64.powi(idle as i32);
        }
    }
    parameters
}

/// How far each parameter would move from `at` by one step on the final loss while all others stay, within its bounds:
/// near zero for every one of them where a fit has ended.
pub fn lone_steps(
    problem: &dyn Problem,
    weights: &[f64],
    scale: f64,
    priors: &[Prior],
    at: &[f64],
) -> Vec<f64> {
    let residuals = problem.residuals(at);
    let columns = problem.columns(at, &residuals);
    let weight = Tail::Cauchy.weights(&residuals, weights, scale);
    let (matrix, gradient) = normal_equations(&columns, &residuals, &weight, priors, at);
    let one = |i: usize| (at[i] - gradient[i] / matrix[i][i]).clamp(priors[i].low, priors[i].high) - at[i];
    (0..at.len()).map(one).collect()
}

/// Half the Gauss-Newton Hessian and half the gradient of the cost.
fn normal_equations(
    columns: &[Vec<(usize, f64)>],
    residuals: &[f64],
    weight: &[f64],
    priors: &[Prior],
    parameters: &[f64],
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let n = columns.len();
    let mut matrix = vec![vec![0.0; n]; n];
    let mut gradient = vec![0.0; n];
    for i in 0..n {
        let belief = 1.0 / (priors[i].sd * priors[i].sd);
        gradient[i] = columns[i].iter().map(|&(row, d)| weight[row] * residuals[row] * d).sum::<f64>()
            + belief * (parameters[i] - priors[i].mean);
        for j in 0..=i {
            let shared = shared_sum(&columns[i], &columns[j], weight);
            matrix[i][j] = shared;
            matrix[j][i] = shared;
        }
        matrix[i][i] += belief;
    }
    (matrix, gradient)
}

/// Weighted product of two sparse columns.
fn shared_sum(a: &[(usize, f64)], b: &[(usize, f64)], weight: &[f64]) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                sum += weight[a[i].0] * a[i].1 * b[j].1;
                i += 1;
                j += 1;
            }
        }
    }
    sum
}

/// Solves `(matrix + damping x diagonal) x = right` by Cholesky; `None` when that is not positive definite.
fn solve(matrix: &[Vec<f64>], right: &[f64], damping: f64) -> Option<Vec<f64>> {
    let n = right.len();
    let mut lower = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let mut sum = matrix[i][j];
            if i == j {
                sum += damping * matrix[i][i];
            }
            sum -= lower[i][..j].iter().zip(&lower[j][..j]).map(|(a, b)| a * b).sum::<f64>();
            if i == j {
                if !(sum.is_finite() && sum > 0.0) {
                    return None;
                }
                lower[i][i] = sum.sqrt();
            } else {
                lower[i][j] = sum / lower[j][j];
            }
        }
    }
    let mut x = right.to_vec();
    for i in 0..n {
        for k in 0..i {
            x[i] -= lower[i][k] * x[k];
        }
        x[i] /= lower[i][i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= lower[k][i] * x[k];
        }
        x[i] /= lower[i][i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on `y = a + b x`.
    struct Line(Vec<(f64, f64)>);

    impl Problem for Line {
        fn residuals(&self, p: &[f64]) -> Vec<f64> {
            self.0.iter().map(|(x, y)| p[0] + p[1] * x - y).collect()
        }

        fn columns(&self, _: &[f64], _: &[f64]) -> Vec<Vec<(usize, f64)>> {
            let ones = (0..self.0.len()).map(|i| (i, 1.0)).collect();
            let slopes = self.0.iter().enumerate().map(|(i, (x, _))| (i, *x)).collect();
            vec![ones, slopes]
        }
    }

    const FREE: Prior = Prior { mean: 0.0, sd: 1e3, low: -1e3, high: 1e3 };

    fn fit(points: Vec<(f64, f64)>, priors: &[Prior]) -> Vec<f64> {
        let weights = vec![1.0; points.len()];
        minimise(&Line(points), &weights, 0.1, priors, vec![0.0, 0.0])
    }

    #[test]
    fn a_line_through_three_points_is_found() {
        let found = fit(vec![(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)], &[FREE, FREE]);
        assert!((found[0] - 1.0).abs() < 1e-3 && (found[1] - 2.0).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn one_outlier_does_not_bend_the_line() {
        let mut points: Vec<(f64, f64)> = (0..20).map(|i| (f64::from(i), f64::from(i))).collect();
        points[10].1 = 100.0;
        let found = fit(points, &[FREE, FREE]);
        assert!(found[0].abs() < 0.1 && (found[1] - 1.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn at_the_end_of_a_fit_no_parameter_would_move_alone_and_elsewhere_it_would() {
        let line = Line((0..20).map(|i| (f64::from(i), f64::from(i) + f64::from(i % 3) * 0.1)).collect());
        let (weights, priors) = (vec![1.0; 20], [FREE, FREE]);
        let found = minimise(&line, &weights, 0.1, &priors, vec![0.0, 0.0]);
        let steps = |at: &[f64]| lone_steps(&line, &weights, 0.1, &priors, at);
        assert!(steps(&found).iter().all(|s| s.abs() < 1e-3), "{:?}", steps(&found));
        assert!(steps(&[found[0] + 0.05, found[1]])[0] < -0.02);
    }

    #[test]
    fn bounds_and_beliefs_hold() {
        let bounded = Prior { high: 1.5, ..FREE };
        let found = fit(vec![(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)], &[FREE, bounded]);
        assert_eq!(found[1], 1.5);
        let believed = Prior { mean: 7.0, ..FREE };
        assert!((fit(vec![(0.0, 1.0)], &[FREE, believed])[1] - 7.0).abs() < 1e-6);
    }
}
