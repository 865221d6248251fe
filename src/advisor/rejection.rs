//! Why something is out, counted, with the nearest miss.

use super::cure::Cure;
use crate::catalog::Precision;
use crate::cost::QuotaUnit;
use crate::simulator::MemoryItem;
use crate::units::{Bytes, Seconds};
use crate::workload::{Workload, WorkloadKind};

/// Why a candidate is out. Ordered as in reports.
#[derive(Debug, Clone, PartialEq)]
pub enum RejectionReason {
    /// The GPU lacks the precision.
    Precision {
        /// Asked for.
        asked: Precision,
        /// What it can do.
        possible: Vec<Precision>,
        /// What comes nearest of that.
        nearest: Option<Precision>,
    },
    /// FlashAttention was asked for, and the GPU has no training kernel for it.
    NoKernel,
    /// The software cannot do it.
    Stack {
        /// Why, in words.
        why: String,
    },
    /// No plan fits the memory.
    Memory {
        /// Needed by the plan that comes closest.
        needed: Bytes,
        /// Usable.
        usable: Bytes,
        /// The most that is accepted of it: 0.92 where the program chooses, all where the user fixed the plan.
        allowed: Bytes,
        /// The item with which it breaks.
        item: MemoryItem,
        /// What usually fills the memory of such a job.
        filled_by: Filling,
    },
    /// No plan divides the GPUs and the batch.
    NoValidPlan {
        /// Why, in words.
        why: String,
    },
    /// Slower than the deadline.
    Deadline {
        /// P50 of the time.
        time: Seconds,
        /// The limit.
        limit: Seconds,
    },
    /// Dearer than the budget.
    Budget {
        /// P50 of the cost, in the budget's currency.
        cost: f64,
        /// The limit.
        limit: f64,
    },
    /// Interrupted faster than it gets on: it takes more than a hundred years.
    NeverEnds,
    /// Retired or withdrawn.
    Gone,
    /// Not in a place that was asked for.
    Place,
    /// Not sold by the user's seller file.
    NotSold,
    /// More than the quota allows.
    Quota {
        /// Nodes or GPUs needed.
        needed: u32,
        /// Nodes or GPUs that may be started.
        held: u32,
        /// What is counted.
        unit: QuotaUnit,
    },
    /// No line of the quota speaks of it.
    NotChecked,
    /// Has no price, under a budget.
    NoPrice,
    /// Not known to be on sale, under a budget.
    Unconfirmed,
}

/// What fills the memory of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// States of the model and activations, which sharding, recomputation and small micro-batches divide.
    Model,
    /// Feature maps of a network over samples, which no sharding divides.
    FeatureMaps,
    /// Tables of embeddings of a recommender, copied to every GPU.
    Tables,
    /// Tables of embeddings that the GPUs divide.
    SplitTables,
}

impl Filling {
    /// Of a workload.
    pub fn of(workload: &Workload) -> Self {
        match workload.kind {
            WorkloadKind::Convolutional if workload.copies_large_tables() => Self::Tables,
            WorkloadKind::Convolutional if workload.has_large_tables() => Self::SplitTables,
            WorkloadKind::Convolutional => Self::FeatureMaps,
            _ => Self::Model,
        }
    }
}

/// A job that takes longer never ends: it is interrupted faster than it gets on.
const LONGEST: Seconds = Seconds::from_days(36_525.0);

impl RejectionReason {
    /// Why a job that takes so long with its interruptions is out; `None` where it ends.
    pub fn of_endless(time: Seconds) -> Option<Self> {
        (time.get().is_nan() || time > LONGEST).then_some(Self::NeverEnds)
    }

    /// A short name for counting, unlocalised.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Precision { .. } => "precision",
            Self::NoKernel => "no_kernel",
            Self::Stack { .. } => "stack",
            Self::Memory { .. } => "memory",
            Self::NoValidPlan { .. } => "no_valid_plan",
            Self::Deadline { .. } => "deadline",
            Self::Budget { .. } => "budget",
            Self::NeverEnds => "never_ends",
            Self::Gone => "gone",
            Self::Place => "place",
            Self::NotSold => "not_sold",
            Self::Quota { .. } => "quota",
            Self::NotChecked => "quota_not_checked",
            Self::NoPrice => "no_price",
            Self::Unconfirmed => "unconfirmed",
        }
    }

    /// How far off, as a share of the limit; smaller is nearer. Infinite where there is no measure.
    pub fn miss(&self) -> f64 {
        match self {
            Self::Memory { needed, allowed, .. } => *needed / *allowed - 1.0,
            Self::Deadline { time, limit } => *time / *limit - 1.0,
            Self::Budget { cost, limit } => cost / limit - 1.0,
            Self::Quota { needed, held, .. } => f64::from(*needed) / f64::from(*held) - 1.0,
            _ => f64::INFINITY,
        }
    }
}

/// One rejected candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// The cluster.
    pub cluster: String,
    /// Why.
    pub reason: RejectionReason,
}

/// All rejections of one reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejections {
    /// Name of the reason.
    pub reason: &'static str,
    /// How many candidates.
    pub count: usize,
    /// The one that missed by least.
    pub nearest: Rejection,
    /// Single changes that would let it in, as tried.
    pub cures: Vec<Cure>,
}

/// Groups rejections by reason, in order of first appearance of [`RejectionReason::name`] sorted by count.
pub fn count(rejections: Vec<Rejection>) -> Vec<Rejections> {
    let mut groups: Vec<Rejections> = Vec::new();
    for rejection in rejections {
        let name = rejection.reason.name();
        match groups.iter_mut().find(|g| g.reason == name) {
            Some(group) => {
                group.count += 1;
                if rejection.reason.miss() < group.nearest.reason.miss() {
                    group.nearest = rejection;
                }
            }
            None => groups.push(Rejections { reason: name, count: 1, nearest: rejection, cures: Vec::new() }),
        }
    }
    groups.sort_by(|a, b| b.count.cmp(&a.count).then(a.reason.cmp(b.reason)));
    groups
}
