//! What is asked about each cluster.

use super::anchor::Anchor;
use super::candidate::Request;
use super::plan_search::PlanConstraints;
use super::risk::RiskTerms;
use crate::cost::PriceRules;
use crate::units::BytesPerSecond;
use crate::workload::Job;

/// What is asked about each cluster.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The job.
    pub job: &'a Job,
    /// Plan parts that the user fixed.
    pub constraints: &'a PlanConstraints,
    /// The user's own measurement.
    pub anchor: Option<&'a Anchor>,
    /// Bandwidth of the storage, when input matters.
    pub storage: Option<BytesPerSecond>,
    /// Prices, currency and day.
    pub prices: &'a PriceRules,
    /// What is stated about interruptions and checkpoints.
    pub terms: RiskTerms,
}

impl<'a> From<&'a Request> for Question<'a> {
    fn from(request: &'a Request) -> Self {
        Self {
            job: &request.job,
            constraints: &request.constraints,
            anchor: request.anchor.as_ref(),
            storage: request.storage,
            prices: &request.prices,
            terms: request.risk.unwrap_or_default(),
        }
    }
}
