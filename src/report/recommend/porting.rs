//! What the leader asks for beside money: software that nobody is known to have run on such accelerators.

use super::RecommendView;
use super::answer::leader;
use crate::report::phrases::simulation as say;

/// The warning where no run of the job's software on accelerators of the leader's vendor is known.
pub(super) fn warning(view: &RecommendView<'_>) -> Option<String> {
    let (leader, stack) = (leader(view)?, view.stack()?);
    let gpu = view.catalog.gpu(leader.cluster.gpu);
    let vendor = crate::advisor::vendor_without_runs(view.catalog, view.profiles, gpu, stack)?;
    Some(say::WARN_PORTING.fill(view.language, &[&stack.name, vendor]))
}
