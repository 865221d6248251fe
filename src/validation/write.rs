//! Fitted coefficients as text of stack files.

use super::coefficient::Coefficient;
use super::fit::{Fit, Scope};
use crate::profile::StackProfile;

/// The text of the common file with its fitted values; what is not fitted stays as it is.
pub fn common_text(text: &str, fit: &Fit) -> String {
    let mut own = text.to_owned();
    for parameter in fit.parameters.iter().filter(|p| p.scope == Scope::Common) {
        let value = parameter.coefficient.from_scale(parameter.value);
        own = with_key(&own, parameter.coefficient.key(), &parameter.coefficient.text(value));
    }
    own
}

/// Smaller deviations from the common value, on the coefficient's scale, are not written.
const LEAST_DEVIATION: f64 = 1e-3;

/// The text of a stack's file: coefficients in which it deviates, spread, grade and GPUs; the rest stays as it is, and
/// so does the whole file of a stack without rows.
pub fn stack_text(text: &str, stack: &StackProfile, fit: &Fit) -> String {
    let mut own = text.to_owned();
    if stack.fitted_gpus.is_empty() {
        return own;
    }
    for coefficient in Coefficient::ALL {
        let deviation = |scope: &Scope| {
            fit.parameters.iter().find(|p| p.coefficient == coefficient && p.scope == *scope).map(|p| p.value)
        };
        let mine = deviation(&Scope::Stack(stack.id.clone())).unwrap_or(0.0);
        if mine.abs() > LEAST_DEVIATION {
            own = with_key(&own, coefficient.key(), &coefficient.text(coefficient.get(stack)));
        } else if deviation(&Scope::Common).is_some() {
            own = without_key(&own, coefficient.key());
        }
    }
    let gpus: Vec<String> = stack.fitted_gpus.iter().map(|gpu| format!("{gpu:?}")).collect();
    own = with_key(&own, "residual", &format!("{:.4}", stack.residual));
    own = with_key(&own, "grade", &format!("{:?}", stack.grade.letter()));
    own = with_key(&own, "fitted_gpus", &format!("[{}]", gpus.join(", ")));
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

    #[test]
    fn a_key_is_replaced_in_place_added_at_the_end_or_removed() {
        let text = "# head\na = 1\nab = 2\n";
        assert_eq!(with_key(text, "a", "3"), "# head\na = 3\nab = 2\n");
        assert_eq!(with_key(text, "c", "4"), "# head\na = 1\nab = 2\nc = 4\n");
        assert_eq!(without_key(text, "a"), "# head\nab = 2\n");
    }
}
