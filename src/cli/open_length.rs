//! A length that is not given because it is what is asked for.

use super::args::WorkloadArgs;

/// The same job one step or epoch long, where no length is given; `None` where one is.
pub fn opened(given: &WorkloadArgs) -> Option<WorkloadArgs> {
    let stated = [&given.tokens, &given.samples, &given.epochs, &given.steps];
    if given.job.is_some() || given.preset.is_some() || stated.iter().any(|length| length.is_some()) {
        return None;
    }
    let one = Some("1".to_owned());
    Some(match given.dataset {
        Some(_) => WorkloadArgs { epochs: one, ..given.clone() },
        None => WorkloadArgs { steps: one, ..given.clone() },
    })
}
