//! One data-parallel job on nodes of several kinds: the batch split equally, and split by speed.
//!
//! A node of kind i that works on a share of the batch takes as long as it would in a cluster of as many nodes of its own
//! kind on the slowest of the networks, with the batch that gives every node this share: its compute is its own, the exchange of
//! gradients is that of all nodes. A step ends with the slowest kind. Equal split: every replica has the same samples. By
//! speed: the largest shares that all kinds finish within the same time T, for the least T at which they make up the batch.

use super::anchor::input_time;
use super::plan_search::{PlanConstraints, Planned, best_plan};
use super::precision::resolve_precision;
use super::question::Question;
use super::recommend::Facts;
use super::rejection::RejectionReason;
use super::simulation::{Simulation, scenario};
use super::support::way;
use super::whole_job::whole_job;
use crate::catalog::Precision;
use crate::plan::{Cluster, Network};
use crate::profile::{Grade, StackProfile};
use crate::simulator::{Interval, Scenario, usually_fused_attention};
use crate::units::Seconds;
use crate::workload::Job;

/// What a split of the batch gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Time of a step: that of the slowest kind.
    pub step: Seconds,
    /// Samples of one GPU group (replica) of each kind, in the order of the clusters.
    pub samples: Vec<f64>,
    /// Share of the batch of each kind.
    pub shares: Vec<f64>,
    /// Time of each kind by itself; the others wait for the slowest.
    pub steps: Vec<Seconds>,
    /// Training time in seconds, with its interval.
    pub total: Interval,
    /// Worst evidence.
    pub grade: Grade,
}

/// A job on nodes of several kinds.
#[derive(Debug, Clone)]
pub struct Mixed {
    /// The precision that all kinds have.
    pub precision: Precision,
    /// The network that all nodes meet on.
    pub network: Network,
    /// Every replica has the same samples.
    pub equal: Result<Split, RejectionReason>,
    /// Samples by speed.
    pub by_speed: Result<Split, RejectionReason>,
}

/// Shares that are tried of each kind; a finer grid changes the step by less than half a percent.
const GRID: u64 = 256;

/// Nodes of one kind as they work among all.
struct Kind<'a> {
    scenario: Scenario<'a>,
    cluster: &'a Cluster,
    flash: bool,
    /// Nodes of all kinds.
    nodes: u32,
    /// Replicas of a node.
    replicas: u32,
}

/// The precision of a job that nodes of several kinds can all train in.
///
/// # Errors
/// The reason of the first kind that has none.
pub fn common_precision(
    facts: Facts<'_>,
    job: &Job,
    clusters: &[Cluster],
) -> Result<Precision, RejectionReason> {
    let resolved = |job: &Job, cluster: &Cluster| {
        let stack = facts.profiles.stack(&job.stack);
        let why = || RejectionReason::Stack { why: format!("no profile of {}", job.stack) };
        resolve_precision(job, facts.catalog.gpu(cluster.gpu), stack.ok_or_else(why)?).map(|(p, _)| p)
    };
    let each = clusters.iter().map(|c| resolved(job, c)).collect::<Result<Vec<_>, _>>()?;
    let all_have = |p: &&Precision| {
        let fixed = Job { precision: Some(**p), ..job.clone() };
        clusters.iter().all(|c| resolved(&fixed, c).is_ok())
    };
    // No kind has one of its own that all have: plain 32-bit is what remains.
    Ok(each.iter().find(all_have).copied().unwrap_or(Precision::Fp32))
}

/// Works out both splits. `question` has the common precision already; tensor, pipeline and context parallelism are one
/// unless fixed.
pub fn mixed(facts: Facts<'_>, question: &Question<'_>, precision: Precision, clusters: &[Cluster]) -> Mixed {
    let nodes: u32 = clusters.iter().map(|c| c.nodes).sum();
    let network = slowest(clusters);
    let all: Vec<Cluster> =
        clusters.iter().map(|c| Cluster { nodes, network: network.clone(), ..c.clone() }).collect();
    let job = question.job;
    let stacks: Vec<StackProfile> = clusters.iter().filter_map(|c| stack(facts, job, c)).collect();
    let constraints = data_parallel(question.constraints);
    let model = [constraints.tensor_parallel, constraints.pipeline_parallel, constraints.context_parallel];
    let model: u32 = model.into_iter().flatten().product();
    let kinds: Vec<Kind<'_>> = (clusters.iter().zip(&all).zip(&stacks))
        .map(|((cluster, whole), stack)| Kind {
            scenario: scenario(facts, question, whole, stack),
            cluster,
            flash: usually_fused_attention(&job.workload, facts.catalog.gpu(cluster.gpu), stack),
            nodes,
            replicas: cluster.gpus_per_node / model.max(1),
        })
        .collect();
    let works = Work { facts, question, constraints, precision, kinds };
    Mixed { precision, network, equal: works.equal(), by_speed: works.by_speed() }
}

/// The network that all nodes meet on: of each figure the worst.
fn slowest(clusters: &[Cluster]) -> Network {
    let networks = || clusters.iter().map(|c| &c.network);
    let slow = networks().min_by(|a, b| a.maximum.get().total_cmp(&b.maximum.get())).expect("a cluster");
    let assured = networks().map(|n| n.assured).fold(slow.maximum, crate::units::BytesPerSecond::min);
    Network { assured, known: networks().all(|n| n.known), ..slow.clone() }
}

fn stack(facts: Facts<'_>, job: &Job, cluster: &Cluster) -> Option<StackProfile> {
    let stack = facts.profiles.stack(&job.stack)?;
    let layered = facts.profiles.layered(stack, facts.catalog.gpu(cluster.gpu), way(job));
    Some(layered.unwrap_or_else(|| stack.clone()))
}

const fn data_parallel(given: &PlanConstraints) -> PlanConstraints {
    const fn or_one(degree: Option<u32>) -> Option<u32> {
        match degree {
            None => Some(1),
            given => given,
        }
    }
    PlanConstraints {
        tensor_parallel: or_one(given.tensor_parallel),
        pipeline_parallel: or_one(given.pipeline_parallel),
        context_parallel: or_one(given.context_parallel),
        ..*given
    }
}

struct Work<'a> {
    facts: Facts<'a>,
    question: &'a Question<'a>,
    constraints: PlanConstraints,
    precision: Precision,
    kinds: Vec<Kind<'a>>,
}

impl Work<'_> {
    fn batch(&self) -> u64 {
        self.question.job.global_batch.round().max(1.0) as u64
    }

    /// The best plan of a kind whose replicas have so many samples each.
    fn plan(&self, kind: &Kind<'_>, samples: u64) -> Result<Planned, RejectionReason> {
        let batch = samples as f64 * f64::from(kind.replicas) * f64::from(kind.nodes);
        best_plan(&kind.scenario, batch, self.precision, kind.flash, &self.constraints)
    }

    /// Every kind holds whole replicas in a node.
    fn checked(&self) -> Result<(), RejectionReason> {
        let small = self.kinds.iter().find(|k| k.replicas == 0);
        small.map_or(Ok(()), |k| {
            let why = format!("a replica does not fit a node of {}", k.cluster.label);
            Err(RejectionReason::NoValidPlan { why })
        })
    }

    fn equal(&self) -> Result<Split, RejectionReason> {
        self.checked()?;
        let replicas: u64 = self.kinds.iter().map(|k| u64::from(k.replicas * k.cluster.nodes)).sum();
        let samples = self.batch().div_ceil(replicas);
        let planned =
            self.kinds.iter().map(|k| self.plan(k, samples)).collect::<Result<Vec<Planned>, _>>()?;
        Ok(self.split(&planned, &vec![samples; self.kinds.len()]))
    }

    fn by_speed(&self) -> Result<Split, RejectionReason> {
        self.checked()?;
        let tables = self.kinds.iter().map(|k| self.table(k)).collect::<Result<Vec<_>, _>>()?;
        let mut times: Vec<Seconds> = tables.iter().flatten().map(|(_, p)| p.step.total()).collect();
        times.sort_by(|a, b| a.get().total_cmp(&b.get()));
        let made_up = |time: Seconds| -> Option<Vec<usize>> {
            let within =
                |table: &Vec<(u64, Planned)>| table.iter().rposition(|(_, p)| p.step.total() <= time);
            let places = tables.iter().map(within).collect::<Option<Vec<usize>>>()?;
            let sum: u64 = (places.iter().zip(&tables).zip(&self.kinds))
                .map(|((&at, table), k)| table[at].0 * u64::from(k.replicas * k.cluster.nodes))
                .sum();
            (sum >= self.batch()).then_some(places)
        };
        let at = times.partition_point(|&t| made_up(t).is_none());
        let Some(places) = times.get(at).and_then(|&t| made_up(t)) else {
            let why = "no split of the batch fits the memory of every kind".to_owned();
            return Err(RejectionReason::NoValidPlan { why });
        };
        let chosen: Vec<(u64, Planned)> = places.iter().zip(&tables).map(|(&at, table)| table[at]).collect();
        let planned: Vec<Planned> = chosen.iter().map(|c| c.1).collect();
        Ok(self.split(&planned, &chosen.iter().map(|c| c.0).collect::<Vec<_>>()))
    }

    /// Plans of a kind by the samples of a replica, ascending; those that do not fit are left out.
    fn table(&self, kind: &Kind<'_>) -> Result<Vec<(u64, Planned)>, RejectionReason> {
        let most = self.batch().div_ceil(u64::from(kind.replicas * kind.cluster.nodes));
        let step = most.div_ceil(GRID).max(1);
        let mut table = Vec::new();
        let mut reason = None;
        for samples in (1..=most.div_ceil(step)).map(|i| i * step) {
            match self.plan(kind, samples) {
                Ok(planned) => table.push((samples, planned)),
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        match reason {
            Some(why) if table.is_empty() => Err(why),
            _ => Ok(table),
        }
    }

    fn split(&self, planned: &[Planned], samples: &[u64]) -> Split {
        let (job, facts) = (self.question.job, self.facts);
        let spreads =
            self.kinds.iter().zip(planned).map(|(k, p)| p.uncertainty(&k.scenario, &facts.profiles.defaults));
        let alone = spreads.fold(0.0, f64::max);
        let (factor, spread) = self.question.anchor.map_or((1.0, alone), |anchor| {
            let carried = anchor.carried(alone, &facts.profiles.defaults);
            (anchor.factor().powf(carried.share), carried.sigma)
        });
        let steps: Vec<Seconds> = (self.kinds.iter().zip(planned))
            .map(|(k, p)| (p.step.work() * factor).max(input_time(&k.scenario, &p.plan).unwrap_or_default()))
            .collect();
        let step = steps.iter().copied().fold(Seconds::ZERO, Seconds::max);
        let slowest = steps.iter().position(|s| *s == step).unwrap_or(0);
        let held: Vec<f64> = (self.kinds.iter().zip(samples))
            .map(|(k, &s)| s as f64 * f64::from(k.replicas * k.cluster.nodes))
            .collect();
        let sum: f64 = held.iter().sum();
        let gpu = self.kinds[slowest].cluster.gpu;
        Split {
            step,
            samples: samples.iter().map(|&s| s as f64).collect(),
            shares: held.iter().map(|h| h / sum).collect(),
            steps,
            total: whole_job(facts, gpu, job, self.batch() as f64, step, None, spread).total,
            grade: planned.iter().map(|p| p.step.grade()).max().unwrap_or(Grade::D),
        }
    }
}

/// What mixing does to a job, against the fastest kind by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// Place of the fastest kind among the clusters.
    pub fastest: usize,
    /// Time of the equal split over the time of that kind alone.
    pub equal: Option<f64>,
    /// The same of the split by speed.
    pub by_speed: Option<f64>,
}

/// Compares with the fastest kind alone; `None` when none runs alone.
pub fn gain(mixed: &Mixed, alone: &[Simulation]) -> Option<Gain> {
    let times = alone.iter().map(|s| s.estimate().map(|e| e.time.total.p50));
    let runs = times.enumerate().filter_map(|(i, time)| Some((i, time?)));
    let (fastest, time) = runs.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let over = |split: &Result<Split, RejectionReason>| split.as_ref().ok().map(|s| s.total.p50 / time);
    Some(Gain { fastest, equal: over(&mixed.equal), by_speed: over(&mixed.by_speed) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advisor::simulate;
    use crate::cost::{BillingTable, PriceRules};
    use crate::profile::embedded_facts;
    use crate::units::BytesPerSecond;
    use crate::workload::{JobLength, standard_decoder, transformer};

    fn network() -> Network {
        let rate = BytesPerSecond::from_gigabit(400.0);
        Network { class: "infiniband".to_owned(), maximum: rate, assured: rate, known: true }
    }

    fn worked(gpus: [&str; 2]) -> (Mixed, Vec<Simulation>) {
        let (catalog, profiles) = embedded_facts();
        let billing = BillingTable::embedded();
        let facts = Facts { catalog: &catalog, profiles: &profiles, billing: &billing };
        let clusters = gpus.map(|gpu| {
            let id = catalog.find_gpu(gpu).unwrap();
            Cluster {
                label: gpu.to_owned(),
                gpu: id,
                gpus_per_node: 8,
                nodes: 1,
                node_link: catalog.gpu(id).default_node_link.clone(),
                node_link_assumed: true,
                network: network(),
                instance: None,
                place: None,
                vcpus: None,
            }
        });
        let (shape, _) = standard_decoder(1e9).unwrap();
        let mut job = Job {
            workload: transformer("one", &shape, 1024),
            length: JobLength::Steps(100.0),
            global_batch: 512.0,
            precision: None,
            method: crate::workload::Method::Full,
            optimizer: catalog.find_optimizer("adamw").unwrap().clone(),
            stack: "pytorch-ddp".to_owned(),
            evaluation_samples: None,
            bytes_per_sample: None,
            preparation_per_sample: None,
            folds: 1,
            recipe: None,
            compiler: None,
            layout: None,
            assumed: Vec::new(),
        };
        let precision = common_precision(facts, &job, &clusters).unwrap();
        job.precision = Some(precision);
        let prices = PriceRules::list_prices("2026-11-30".parse().unwrap());
        let constraints = PlanConstraints::default();
        let question = Question {
            job: &job,
            constraints: &constraints,
            anchor: None,
            storage: None,
            prices: &prices,
            terms: crate::advisor::risk::RiskTerms::default(),
        };
        let alone =
            clusters.iter().map(|c| simulate(facts, &question, c.clone(), None, Vec::new())).collect();
        (mixed(facts, &question, precision, &clusters), alone)
    }

    #[test]
    fn two_nodes_of_one_kind_split_equally_are_the_best_split() {
        let (found, _) = worked(["a100-sxm-80gb", "a100-sxm-80gb"]);
        let (equal, best) = (found.equal.unwrap(), found.by_speed.unwrap());
        assert_eq!(equal.shares, [0.5, 0.5]);
        assert!((best.step / equal.step - 1.0).abs() < 0.01, "{best:?}");
    }

    #[test]
    fn a_slow_node_holds_a_fast_one_back_unless_the_batch_follows_the_speed() {
        let (found, alone) = worked(["a100-sxm-80gb", "v100-sxm2-32gb"]);
        assert_eq!(found.precision, Precision::Fp16);
        let gain = gain(&found, &alone).unwrap();
        let (equal, best) = (found.equal.unwrap(), found.by_speed.unwrap());
        assert_eq!(gain.fastest, 0);
        // The fast node does more than half, both are busy to the end, and the step is shorter than with halves.
        assert!(best.shares[0] > 0.55 && best.step < equal.step, "{best:?} {equal:?}");
        assert!((best.steps[0] / best.steps[1] - 1.0).abs() < 0.1, "{best:?}");
        assert!(gain.by_speed.unwrap() < gain.equal.unwrap());
        let sum: f64 = best.shares.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}
