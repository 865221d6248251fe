//! What would let a rejected cluster in: one change at a time, each tried with the simulator and named only if it works.

use super::plan_search::PlanConstraints;
use super::question::Question;
use super::recommend::Facts;
use super::rejection::RejectionReason;
use super::simulation::{Simulation, simulate};
use crate::catalog::{Precision, Purchase};
use crate::cost::{Offer, PriceRules, offers_of};
use crate::plan::{Cluster, Recompute, Sharding};
use crate::profile::{Method as Offered, StackProfile};
use crate::units::{Money, Seconds};
use crate::workload::{Adapters, Job, Method, with_adapters};

/// One change that works.
#[derive(Debug, Clone, PartialEq)]
pub enum Cure {
    /// Another recomputation.
    Recompute(Recompute),
    /// A smaller micro-batch.
    MicroBatch(u32),
    /// Another sharding.
    Sharding(Sharding),
    /// No part of the plan fixed.
    FreePlan,
    /// More nodes, or fewer where the cost is too high.
    Nodes(u32),
    /// Optimizer states in host memory.
    HostOptimizer,
    /// Other software, by its name.
    Software(String),
    /// Another precision.
    Precision(Precision),
    /// No FlashAttention.
    NoFlashAttention,
    /// Another number of samples per step.
    GlobalBatch(u64),
    /// Another way to buy.
    Purchase(Purchase),
    /// Low-rank adapters instead of all parameters.
    Adapters,
}

/// Most cures that are named.
const MOST_CURES: usize = 3;
/// Most GPUs that are tried.
const MOST_GPUS: u32 = 8192;
/// Most doublings of the number of nodes.
const DOUBLINGS: u32 = 8;

/// What is asked of a cluster, and the limits it missed.
#[derive(Debug, Clone, Copy)]
pub struct Patient<'a> {
    /// The question.
    pub question: &'a Question<'a>,
    /// The cluster that was rejected.
    pub cluster: &'a Cluster,
    /// Its offer.
    pub offer: Option<&'a Offer>,
    /// Highest cost.
    pub budget: Option<Money>,
}

impl Patient<'_> {
    /// Changes that let it in, each by itself, the smallest first; none where no single one does.
    pub fn cures(&self, facts: Facts<'_>, reason: &RejectionReason) -> Vec<Cure> {
        let mut found = Vec::new();
        for cure in self.candidates(facts, reason) {
            if found.len() == MOST_CURES {
                break;
            }
            // The least number of nodes and one software will do, and adapters are for where nothing else does.
            let kind = std::mem::discriminant(&cure);
            let known = matches!(cure, Cure::Nodes(_) | Cure::Software(_))
                && found.iter().any(|c| std::mem::discriminant(c) == kind);
            let rare = match cure {
                Cure::Adapters => true,
                Cure::Software(_) => !self.assumes_software(),
                _ => false,
            };
            let last = rare && !found.is_empty();
            if !known && !last && self.tried(facts, &cure).is_some_and(|s| self.passes(&s, reason)) {
                found.push(cure);
            }
        }
        found
    }

    /// What may help against a reason, to be tried in this order.
    fn candidates(&self, facts: Facts<'_>, reason: &RejectionReason) -> Vec<Cure> {
        match reason {
            RejectionReason::Memory { .. } => {
                let mut list = self.of_memory();
                list.extend(self.more_nodes());
                // Software that nobody named is easier changed than a recipe.
                if self.assumes_software() {
                    list.extend(self.software(facts));
                    list.push(Cure::HostOptimizer);
                } else {
                    list.push(Cure::HostOptimizer);
                    list.extend(self.software(facts));
                }
                list.push(Cure::Adapters);
                list
            }
            RejectionReason::Deadline { .. } => self.more_nodes(),
            RejectionReason::Budget { .. } => {
                let held = self.offer.map(|o| o.purchase);
                let ways = [Purchase::Spot, Purchase::Reserved1y, Purchase::Reserved3y, Purchase::Monthly];
                let ways = ways.into_iter().filter(|p| held != Some(*p)).map(Cure::Purchase);
                self.fewer_nodes().into_iter().chain(ways).collect()
            }
            RejectionReason::Precision { nearest, .. } => {
                nearest.iter().map(|p| Cure::Precision(*p)).collect()
            }
            RejectionReason::NoKernel => vec![Cure::NoFlashAttention],
            RejectionReason::Stack { .. } => self.software(facts),
            RejectionReason::NoValidPlan { .. } => {
                let software = if self.assumes_software() { self.software(facts) } else { Vec::new() };
                self.of_shape().into_iter().chain(software).collect()
            }
            RejectionReason::Quota { .. }
            | RejectionReason::Gone
            | RejectionReason::NeverEnds
            | RejectionReason::Place
            | RejectionReason::NotSold
            | RejectionReason::NoPrice
            | RejectionReason::NotChecked
            | RejectionReason::Unconfirmed => Vec::new(),
        }
    }

    fn assumes_software(&self) -> bool {
        self.question.job.assumed.iter().any(|a| a.name == "framework")
    }

    /// Parts of the plan that the user fixed and that decide the memory.
    fn of_memory(&self) -> Vec<Cure> {
        let fixed = self.question.constraints;
        let mut list = Vec::new();
        if fixed.recompute.is_some_and(|r| r != Recompute::Full) {
            list.push(Cure::Recompute(Recompute::Full));
        }
        if fixed.micro_batch.is_some_and(|m| m > 1) {
            list.push(Cure::MicroBatch(1));
        }
        if fixed.sharding.is_some_and(|s| s != Sharding::Zero3) {
            list.push(Cure::Sharding(Sharding::Zero3));
        }
        if *fixed != PlanConstraints::default() {
            list.push(Cure::FreePlan);
        }
        list
    }

    /// A batch that the GPUs divide, or a plan without fixed parts.
    fn of_shape(&self) -> Vec<Cure> {
        let mut list = Vec::new();
        if *self.question.constraints != PlanConstraints::default() {
            list.push(Cure::FreePlan);
        }
        let gpus = u64::from(self.cluster.gpus().max(1));
        let batch = self.question.job.global_batch;
        let multiple = (batch / gpus as f64).round().max(1.0) as u64 * gpus;
        if multiple as f64 != batch {
            list.push(Cure::GlobalBatch(multiple));
        }
        list
    }

    fn more_nodes(&self) -> Vec<Cure> {
        let now = self.cluster.nodes;
        let doubled = (1..=DOUBLINGS).map(|d| now.saturating_mul(1 << d));
        let fits = doubled.take_while(|n| n.saturating_mul(self.cluster.gpus_per_node) <= MOST_GPUS);
        fits.map(Cure::Nodes).collect()
    }

    fn fewer_nodes(&self) -> Vec<Cure> {
        let halves = std::iter::successors(Some(self.cluster.nodes / 2), |n| Some(n / 2));
        halves.take_while(|n| *n > 0).map(Cure::Nodes).collect()
    }

    /// Software with a fit, the least spread first.
    fn software(&self, facts: Facts<'_>) -> Vec<Cure> {
        let now = &self.question.job.stack;
        let splits = |s: &StackProfile| s.supports(Offered::TensorParallel) || s.supports(Offered::Zero3);
        let mut stacks: Vec<&StackProfile> = facts
            .profiles
            .stacks
            .iter()
            .filter(|s| s.id != *now && !s.fitted_gpus.is_empty() && splits(s))
            .collect();
        stacks.sort_by(|a, b| a.residual.total_cmp(&b.residual).then(a.id.cmp(&b.id)));
        stacks.into_iter().map(|s| Cure::Software(s.id.clone())).collect()
    }

    /// The job on the cluster with one change; `None` where the change makes no sense.
    fn tried(&self, facts: Facts<'_>, cure: &Cure) -> Option<Simulation> {
        let mut constraints = *self.question.constraints;
        let mut cluster = self.cluster.clone();
        let mut job = self.question.job.clone();
        let mut prices = self.question.prices.clone();
        let mut offer = self.offer.cloned();
        match cure {
            Cure::Recompute(recompute) => constraints.recompute = Some(*recompute),
            Cure::MicroBatch(size) => constraints.micro_batch = Some(*size),
            Cure::Sharding(sharding) => constraints.sharding = Some(*sharding),
            Cure::FreePlan => constraints = PlanConstraints::default(),
            Cure::Nodes(nodes) => cluster.nodes = *nodes,
            Cure::HostOptimizer => constraints.optimizer_offload = true,
            Cure::Software(id) => job.stack.clone_from(id),
            Cure::Precision(precision) => job.precision = Some(*precision),
            Cure::NoFlashAttention => constraints.flash_attention = Some(false),
            Cure::GlobalBatch(batch) => job.global_batch = *batch as f64,
            Cure::Purchase(way) => {
                offer = Some(bought(facts, &mut prices, self.offer?, *way)?);
            }
            Cure::Adapters => adapt(&mut job, facts)?,
        }
        let question = Question { job: &job, constraints: &constraints, prices: &prices, ..*self.question };
        Some(simulate(facts, &question, cluster, offer, Vec::new()))
    }

    /// Runs, and within the limit that was missed.
    fn passes(&self, simulation: &Simulation, reason: &RejectionReason) -> bool {
        let Some(estimate) = simulation.estimate() else { return false };
        match reason {
            RejectionReason::Deadline { limit, .. } => Seconds::new(estimate.calendar.p50) <= *limit,
            RejectionReason::Budget { .. } => {
                let cost = estimate.cost.as_ref().and_then(|c| c.comparable());
                let prices = self.question.prices;
                self.budget.zip(cost).is_some_and(|(budget, cost)| {
                    let limit = prices.fx.convert(budget, cost.p50.currency);
                    limit.is_ok_and(|limit| cost.p50.amount <= limit.amount)
                })
            }
            _ => true,
        }
    }
}

/// The same instance type in the same place, bought another way, where it has a price.
fn bought(facts: Facts<'_>, prices: &mut PriceRules, offer: &Offer, way: Purchase) -> Option<Offer> {
    prices.purchases = vec![way];
    prices.asked_places.push(offer.place.clone());
    let same = |o: &Offer| o.instance == offer.instance && o.place == offer.place && o.purchase == way;
    offers_of(facts.catalog, prices, offer.instance).into_iter().find(|o| same(o) && o.price.is_some())
}

/// Turns a job that trains every parameter into one that trains adapters.
fn adapt(job: &mut Job, facts: Facts<'_>) -> Option<()> {
    if job.method != Method::Full || job.workload.attention.is_none() {
        return None;
    }
    job.method = Method::Lora(Adapters::DEFAULT);
    job.workload = with_adapters(&job.workload, Adapters::DEFAULT, false);
    if !facts.profiles.stack(&job.stack)?.supports(Offered::Lora) {
        job.stack.clone_from(&facts.profiles.defaults.stack.adapters);
    }
    Some(())
}
