//! How sure are time and cost, with failures, restarts, interruptible nodes and moving prices?
//!
//! Seeded Monte Carlo over four causes: the spread of the prediction itself, the rate of interruptions (reports differ
//! sevenfold), when they fall, and the price where it moves. Everything is paid from start to end, lost work included.
//! Equations: [`Interruptions`]; the numbers are data (`calibration/defaults.toml`, `catalog/spot.toml`).

mod draw;
mod finalists;

pub use draw::{Outcomes, Uncertainty, outcomes};
pub use finalists::{expose, finalists, times_of};

use super::recommend::Facts;
use super::simulation::{Estimate, Simulation};
use crate::catalog::Purchase;
use crate::cost::{CostOutcome, JobTimes, Offer, PriceRules, SpotTable, job_cost};
use crate::plan::Cluster;
use crate::simulator::{Calendar, Checkpoints, Interruptions, Interval};
use crate::units::{Bytes, Seconds};

/// What the user states about risk; the rest is data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskTerms {
    /// The time to meet.
    pub deadline: Option<Seconds>,
    /// Mean time between interruptions of the whole cluster.
    pub between: Option<Seconds>,
    /// From an interruption to the next step.
    pub restart: Option<Seconds>,
    /// Time of one checkpoint write.
    pub write: Option<Seconds>,
    /// When checkpoints are written.
    pub checkpoints: Checkpoints,
    /// Draws.
    pub draws: u32,
    /// Where the random numbers begin.
    pub seed: u64,
}

impl RiskTerms {
    /// Draws for one cluster: the P90 moves by about a percent with the seed.
    pub const DRAWS: u32 = 4000;
    /// Draws for each of the first rows of a ranking: its P90 moves by about three percent.
    pub const DRAWS_OF_MANY: u32 = 500;

    /// Nothing is stated.
    pub const USUAL: Self = Self {
        deadline: None,
        between: None,
        restart: None,
        write: None,
        checkpoints: Checkpoints::Best,
        draws: Self::DRAWS,
        seed: 1,
    };
}

impl RiskTerms {
    /// Whether it is stated how often the nodes are interrupted. What an interruption costs, stated alone, says of none.
    pub const fn states_interruptions(&self) -> bool {
        self.between.is_some()
    }
}

impl Default for RiskTerms {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Where the rate of interruptions comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RateSource {
    /// The user stated it.
    Stated,
    /// The provider publishes it for this instance type and region.
    Published,
    /// Traces of other pools of interruptible nodes.
    Traces,
    /// Failures alone: the nodes are not interruptible.
    Failures,
}

/// The risk of one job on one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Risk {
    /// How it is bought.
    pub purchase: Option<Purchase>,
    /// Quantiles.
    pub outcomes: Outcomes,
    /// Cost at the quantiles, where there is a price.
    pub cost: Option<CostOutcome>,
    /// Median time between interruptions, and what one costs.
    pub interruptions: Interruptions,
    /// Where that rate is from.
    pub source: RateSource,
    /// Work between two checkpoints.
    pub interval: Seconds,
    /// Expected time at the median rate and speed.
    pub expected: Seconds,
    /// The same without checkpoints.
    pub expected_without_checkpoints: Seconds,
    /// The same without interruptions and checkpoints.
    pub undisturbed: Seconds,
    /// The deadline it is held against.
    pub deadline: Option<Seconds>,
    /// Draws and seed.
    pub draws: (u32, u64),
}

impl Risk {
    /// Interruptions within the expected time, at the median rate; infinite where the job practically never ends.
    pub fn expected_interruptions(&self) -> f64 {
        self.expected / self.interruptions.between
    }
}

/// One job on one cluster, as its risk needs it.
#[derive(Debug, Clone, Copy)]
pub struct Exposed<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// How and where it is bought.
    pub offer: Option<&'a Offer>,
    /// Time of the steps, in seconds.
    pub training: Interval,
    /// Bytes of one checkpoint.
    pub checkpoint: Bytes,
    /// Jobs like it, one after the other; the cost is of all.
    pub jobs: u32,
}

impl<'a> Exposed<'a> {
    /// A simulated job under an offer.
    pub fn of(simulation: &'a Simulation, estimate: &Estimate, offer: Option<&'a Offer>) -> Self {
        Self {
            cluster: &simulation.cluster,
            offer,
            training: estimate.time.total,
            checkpoint: estimate.whole.checkpoint_bytes,
            jobs: estimate.jobs,
        }
    }

    /// Its risk.
    pub fn risk(&self, facts: Facts<'_>, spot: &SpotTable, prices: &PriceRules, terms: &RiskTerms) -> Risk {
        let rates = &facts.profiles.defaults.reliability;
        let (interruptions, sigma, source) = self.interruptions(facts, spot, terms);
        let purchase = self.offer.map(|o| o.purchase);
        let moving = purchase == Some(Purchase::Spot) && !self.price_is_firm();
        let uncertainty = Uncertainty {
            training: self.training,
            evaluation: rates.evaluation_share,
            start_up: rates.start_up,
            interruptions,
            interruption_sigma: sigma,
            price_sigma: if moving { facts.profiles.defaults.spot.price_sigma } else { 0.0 },
        };
        let outcomes = outcomes(&uncertainty, terms.deadline, terms.draws, terms.seed);
        let work = Seconds::new(self.training.p50 * (1.0 + rates.evaluation_share));
        let bare = Interruptions { checkpoints: Checkpoints::Never, ..interruptions };
        Risk {
            purchase,
            outcomes,
            cost: self.cost(facts, prices, outcomes.paid),
            interruptions,
            source,
            interval: interruptions.interval(work),
            expected: interruptions.expected(work) + rates.start_up,
            expected_without_checkpoints: bare.expected(work) + rates.start_up,
            undisturbed: work + rates.start_up,
            deadline: terms.deadline,
            draws: (terms.draws, terms.seed),
        }
    }

    /// The job as the calendar sees it under these terms. Evaluations of each epoch are part of the training time.
    pub fn calendar(&self, facts: Facts<'_>, spot: &SpotTable, terms: &RiskTerms) -> Calendar {
        let rates = &facts.profiles.defaults.reliability;
        let (interruptions, ..) = self.interruptions(facts, spot, terms);
        let (start_up, evaluation_share) = (rates.start_up, rates.evaluation_share);
        Calendar { start_up, evaluation_share, interruptions, checkpoint: self.checkpoint }
    }

    /// Its calendar time, and the time that is paid: all of that where the nodes may be taken away or interruptions are stated, else
    /// the steps alone. In closed form: [`Exposed::risk`] draws.
    pub fn times(&self, facts: Facts<'_>, spot: &SpotTable, terms: &RiskTerms) -> (Interval, Interval) {
        let calendar = self.calendar(facts, spot, terms);
        let whole = |training: f64| calendar.of(Seconds::new(training)).calendar.get();
        let Interval { p10, p50, p90 } = self.training;
        let whole = Interval { p10: whole(p10), p50: whole(p50), p90: whole(p90) };
        let interrupted =
            terms.states_interruptions() || self.offer.is_some_and(|o| o.purchase == Purchase::Spot);
        (whole, if interrupted { whole } else { self.training })
    }

    /// What interrupts it, the spread of the logarithm of the time between, and where that is from.
    fn interruptions(
        &self,
        facts: Facts<'_>,
        spot: &SpotTable,
        terms: &RiskTerms,
    ) -> (Interruptions, f64, RateSource) {
        let rates = &facts.profiles.defaults.reliability;
        let (between, sigma, source) = self.rate(facts, spot, terms);
        let nodes = f64::from(self.cluster.nodes);
        let interruptions = Interruptions {
            between,
            restart: terms.restart.unwrap_or(rates.restart + rates.start_up),
            write: terms.write.unwrap_or(self.checkpoint / (rates.checkpoint_rate * nodes)),
            checkpoints: terms.checkpoints,
        };
        (interruptions, sigma, source)
    }

    /// By how much the expected time at the slow end of the prediction exceeds the undisturbed time at its median, as a
    /// share of that; infinite where the job practically never ends. In closed form: [`Exposed::risk`] draws.
    pub fn exposure(&self, facts: Facts<'_>, spot: &SpotTable, terms: &RiskTerms) -> f64 {
        let rates = &facts.profiles.defaults.reliability;
        let (interruptions, ..) = self.interruptions(facts, spot, terms);
        let work = |training: f64| Seconds::new(training * (1.0 + rates.evaluation_share));
        let slow = interruptions.expected(work(self.training.p90)) + rates.start_up;
        slow / (work(self.training.p50) + rates.start_up) - 1.0
    }

    /// Median time between interruptions of the cluster, the spread of its logarithm, and where both are from.
    fn rate(&self, facts: Facts<'_>, spot: &SpotTable, terms: &RiskTerms) -> (Seconds, f64, RateSource) {
        if let Some(between) = terms.between {
            return (between, 0.0, RateSource::Stated);
        }
        let defaults = &facts.profiles.defaults;
        let rates = &defaults.reliability;
        let hours = rates.gpu_hours_per_interruption / f64::from(self.cluster.gpus());
        let failures = Seconds::from_hours(hours);
        let both = |other: Seconds| Seconds::new(1.0 / (1.0 / failures.get() + 1.0 / other.get()));
        let Some(offer) = self.offer.filter(|o| o.purchase == Purchase::Spot) else {
            return (failures, rates.interruption_sigma, RateSource::Failures);
        };
        let name = &facts.catalog.instance(offer.instance).name;
        let (provider, region) = (&offer.place.provider, offer.place.region.as_deref());
        match spot.between(provider, name, region, self.cluster.nodes) {
            Some(published) => (both(published), rates.interruption_sigma, RateSource::Published),
            None => (both(defaults.spot.between), defaults.spot.sigma, RateSource::Traces),
        }
    }

    fn price_is_firm(&self) -> bool {
        self.offer.and_then(|o| o.price.as_ref()).is_some_and(|p| p.price.origin.is_users())
    }

    fn cost(&self, facts: Facts<'_>, prices: &PriceRules, paid: Interval) -> Option<CostOutcome> {
        let offer = self.offer?;
        let price = offer.price.as_ref().map(|s| &s.price);
        let rule = facts.billing.rule(&offer.place.provider);
        let [p10, p50, p90] = [paid.p10, paid.p50, paid.p90].map(Seconds::new);
        let times = JobTimes { jobs: self.jobs, p10, p50, p90 };
        Some(job_cost(price, self.cluster.nodes, times, &rule, &prices.fx, prices.currency))
    }
}
