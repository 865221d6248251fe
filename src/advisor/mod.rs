//! Which cluster and plan, why, and what would change it?
//!
//! [`search`](plan_search::best_plan) finds the fastest plan that fits on one cluster; [`recommend`](recommend::recommend)
//! does so for every offer and node count, prices the results, ranks them and keeps every rejection with its reason.
//! Pure: the same inputs give the same answer at any thread count.

pub mod anchor;
pub mod batch;
mod calendar;
mod candidate;
mod cluster_search;
mod cure;
pub mod elastic;
pub mod flip;
mod flip_trial;
pub mod front;
mod group;
mod input;
pub mod kind;
pub mod machine;
pub mod migration;
pub mod mixed;
mod most;
pub mod outcome;
mod plan_axes;
mod plan_chosen;
mod plan_counts;
mod plan_fault;
mod plan_parts;
mod plan_search;
mod plan_states;
mod plan_walk;
mod porting;
pub mod precision;
pub mod question;
mod quota;
pub mod rank;
mod ranking;
pub mod ratio;
pub mod recommend;
pub mod rejection;
pub mod risk;
pub mod scaling;
pub mod shortfall;
pub mod simulation;
pub mod software;
pub mod solve;
pub mod support;
pub mod utilization;
pub mod warning;
pub mod whole_job;

pub use anchor::{Anchor, Anchored};
pub use candidate::{Candidate, Deadline, Objective, PriceState, QuotaLimit, Request};
pub use cure::{Cure, Patient};
pub use flip::Flip;
pub use front::{Front, Role};
pub use input::InputNeed;
pub use most::longest;
pub use outcome::{Figures, Outcome, Ratios, ratios};
pub use plan_axes::plan_space;
pub use plan_counts::PlanCounts;
pub use plan_parts::PartCache;
pub use plan_search::{Found, PlanConstraints, Planned, best_plan, search_plans, search_space};
pub use porting::vendor_without_runs;
pub use question::Question;
pub use recommend::{Facts, GroupOutcome, Recommendation, recommend};
pub use rejection::{Filling, Rejection, RejectionReason, Rejections};
pub use scaling::{ScalingCurve, ScalingPoint};
pub use shortfall::{Lack, Shortfall};
pub use simulation::{Blocked, Estimate, Simulation, simulate};
pub use software::recommend_with_software;
pub use solve::{cluster_sizes, fewest, largest};
pub use warning::{MissingInput, Warning};
