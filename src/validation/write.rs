//! Fitted coefficients as text of stack files.

use std::fmt::Write as _;

use super::coefficient::Coefficient;
use super::fit::{Fit, Scope};
use crate::profile::StackProfile;

/// Where the tables of the common file begin; before it every key has one line.
const TABLES: &str = "[[architecture]]";

/// The text of the common file with its fitted values; what is not fitted stays as it is. `source` says what the fit
/// has seen.
pub fn common_text(text: &str, fit: &Fit, source: &str) -> String {
    let mut own = text.split(TABLES).next().unwrap_or_default().trim_end().to_owned();
    own = with_key(&own, "source", &format!("{source:?}"));
    for parameter in fit.parameters.iter().filter(|p| p.scope == Scope::Common) {
        let value = parameter.coefficient.from_scale(parameter.value);
        own = with_key(&own, parameter.coefficient.key(), &parameter.coefficient.text(value));
    }
    for rates in fit.architectures() {
        let _ = write!(
            own,
            "\n{TABLES}\nname = {:?}\nmatmul = {:.4}\nattention_forward = {:.4}\nattention_backward = {:.4}\n",
            rates.name, rates.matmul, rates.attention_forward, rates.attention_backward
        );
    }
    own
}

/// Smaller deviations from the common value, on the coefficient's scale, are not written.
const LEAST_DEVIATION: f64 = 1e-3;

/// The text of a stack's file: coefficients in which it, or its kind of kernels, deviates, spread, grade and GPUs; the
/// rest stays as it is, and so does the whole file of a stack without rows, which its relative serves.
pub fn stack_text(text: &str, stack: &StackProfile, fit: &Fit) -> String {
    let mut own = text.to_owned();
    if stack.fitted_gpus.is_empty() {
        return own;
    }
    for coefficient in Coefficient::ALL {
        let deviation = |scope: Scope| {
            fit.parameters.iter().find(|p| p.coefficient == coefficient && p.scope == scope).map(|p| p.value)
        };
        let kernels = deviation(Scope::Kernels(stack.kernels));
        let mine = kernels.unwrap_or(0.0) + deviation(Scope::Stack(stack.id.clone())).unwrap_or(0.0);
        if mine.abs() > LEAST_DEVIATION {
            own = with_key(&own, coefficient.key(), &coefficient.text(coefficient.get(stack)));
        } else if deviation(Scope::Common).is_some() {
            own = without_key(&own, coefficient.key());
        }
    }
    let gpus: Vec<String> = stack.fitted_gpus.iter().map(|gpu| format!("{gpu:?}")).collect();
    own = with_key(&own, "residual", &format!("{:.4}", stack.residual));
    let entry = |(name, sigma): &(String, f64)| format!("{{ name = {name:?}, sigma = {sigma:.4} }}");
    let entries: Vec<String> = stack.residual_by_architecture.iter().map(entry).collect();
    own = if entries.is_empty() {
        without_key(&own, "residual_by_architecture")
    } else {
        with_key(&own, "residual_by_architecture", &format!("[{}]", entries.join(", ")))
    };
    if let Some((low, high)) = stack.fitted_parameters {
        own = with_key(&own, "fitted_parameters", &format!("[{low:.3e}, {high:.3e}]"));
    }
    own = with_key(&own, "grade", &format!("{:?}", stack.grade.letter()));
    own = with_key(&own, "fitted_gpus", &format!("[{}]", gpus.join(", ")));
    let sources: Vec<String> = stack.fitted_sources.iter().map(|source| format!("{source:?}")).collect();
    own = with_key(&own, "fitted_sources", &format!("[{}]", sources.join(", ")));
    with_key(&own, "source", &format!("{:?}", stack.source))
}

fn is_key(line: &str, key: &str) -> bool {
    line.split_once('=').is_some_and(|(left, _)| left.trim() == key)
}

/// Replaces the line of a key, or adds one at the end. The files are flat: a key has one line.
fn with_key(text: &str, key: &str, value: &str) -> String {
    let line = format!("{key} = {value}");
    let mut found = false;
    let mut lines: Vec<String> = Vec::new();
    for old in text.lines() {
        if is_key(old, key) {
            found = true;
            lines.push(line.clone());
        } else {
            lines.push(old.to_owned());
        }
    }
    if !found {
        lines.push(line);
    }
    lines.join("\n") + "\n"
}

fn without_key(text: &str, key: &str) -> String {
    let kept: Vec<&str> = text.lines().filter(|line| !is_key(line, key)).collect();
    kept.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::KernelKind;
    use crate::profile::embedded_facts;
    use crate::validation::fit::FittedParameter;

    #[test]
    fn what_a_kind_of_kernels_moves_is_written_into_its_stacks_and_no_others() {
        let fit = Fit {
            parameters: vec![
                FittedParameter {
                    coefficient: Coefficient::OptimizerTraffic,
                    scope: Scope::Common,
                    value: 0.0,
                },
                FittedParameter {
                    coefficient: Coefficient::OptimizerTraffic,
                    scope: Scope::Kernels(KernelKind::Framework),
                    value: 0.7,
                },
            ],
        };
        let (_, profiles) = embedded_facts();
        for base in profiles.stacks.iter().filter(|s| !s.fitted_gpus.is_empty()) {
            let text = stack_text("schema = 1\n", &fit.stack(base), &fit);
            let written = text.contains("optimizer_traffic = ");
            assert_eq!(written, base.kernels == KernelKind::Framework, "{}: {text}", base.id);
        }
    }

    #[test]
    fn a_key_is_replaced_in_place_added_at_the_end_or_removed() {
        let text = "# head\na = 1\nab = 2\n";
        assert_eq!(with_key(text, "a", "3"), "# head\na = 3\nab = 2\n");
        assert_eq!(with_key(text, "c", "4"), "# head\na = 1\nab = 2\nc = 4\n");
        assert_eq!(without_key(text, "a"), "# head\nab = 2\n");
    }
}
