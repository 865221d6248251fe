//! One change of an input, by name: `sequence_length=8192`, `price=-10%`, `nodes=x2`.
//!
//! A change edits the flags of the question, which is then asked anew: what a key means is what its flag means.

use super::args::{
    GenericArgs, LimitArgs, MoneyArgs, ObjectiveName, PlanArgs, PurchaseName, RecomputeName, ShardingName,
    Switch, WhatIfArgs, WorkloadArgs,
};
use super::change_text::{Change, JOB, factor};
use crate::advisor::Outcome;
use crate::catalog::InstanceId;
use crate::cost::{Price, PriceRate, UserPrice};
use crate::plan::Cluster;
use crate::units::parse::parse_count;
use crate::workload::{Job, JobLength};

/// The flags of one question.
#[derive(Debug, Clone)]
pub struct Inputs {
    pub workload: WorkloadArgs,
    pub cluster: Option<String>,
    pub gpus: Option<String>,
    pub generic: GenericArgs,
    pub limits: LimitArgs,
    pub plan: PlanArgs,
    pub money: MoneyArgs,
    /// Prices that changes made.
    pub prices: Vec<UserPrice>,
}

impl Inputs {
    /// Whether a step of this question is a step of the other: the same job, software and plan, whatever its length.
    pub fn has_the_step_of(&self, other: &Self) -> bool {
        let length = &other.workload;
        let workload = WorkloadArgs {
            tokens: length.tokens.clone(),
            samples: length.samples.clone(),
            epochs: length.epochs.clone(),
            steps: length.steps.clone(),
            steps_per_epoch: length.steps_per_epoch.clone(),
            folds: length.folds.clone(),
            measured: length.measured.clone(),
            ..self.workload.clone()
        };
        workload == other.workload && self.plan == other.plan && self.generic == other.generic
    }

    /// The question as asked.
    pub fn of(args: &WhatIfArgs) -> Self {
        Self {
            workload: args.workload.clone(),
            cluster: args.cluster.clone(),
            gpus: args.gpu_count.clone(),
            generic: args.generic.clone(),
            limits: args.limits.clone(),
            plan: args.plan.clone(),
            money: args.money.clone(),
            prices: Vec::new(),
        }
    }

    /// True when the cluster is given and not chosen.
    pub const fn names_cluster(&self) -> bool {
        self.cluster.is_some() || self.gpus.is_some()
    }
}

/// What the answer before the changes rests on; relative values count from it.
#[derive(Debug, Clone)]
pub struct Base {
    pub job: Job,
    pub outcome: Outcome,
    pub cluster: Option<Cluster>,
    pub price: Option<(InstanceId, Price)>,
    pub deadline_s: Option<f64>,
}

impl Base {
    /// The number behind a key before the change, in the unit in which the key is typed.
    fn number(&self, key: &str) -> Option<f64> {
        let figures = self.outcome.figures();
        let length = |want: &str| match (self.job.length, want) {
            (JobLength::Tokens(n), "tokens")
            | (JobLength::Samples(n), "samples")
            | (JobLength::Steps(n), "steps")
            | (JobLength::Epochs { epochs: n, .. }, "epochs") => Some(n),
            _ => None,
        };
        match key {
            "sequence_length" => Some(f64::from(self.job.workload.rows_per_sample)),
            "global_batch" => Some(self.job.global_batch),
            "folds" => Some(f64::from(self.job.folds)),
            "tokens" | "samples" | "steps" | "epochs" => length(key),
            "params" => Some(self.job.workload.parameters),
            "micro_batch" => Some(f64::from(figures?.plan.micro_batch)),
            "tensor_parallel" => Some(f64::from(figures?.plan.tensor_parallel)),
            "pipeline_parallel" => Some(f64::from(figures?.plan.pipeline_parallel)),
            "gpus" => Some(f64::from(self.cluster.as_ref()?.gpus())),
            "nodes" => Some(f64::from(self.cluster.as_ref()?.nodes)),
            "network_bandwidth" => Some(self.cluster.as_ref()?.network.maximum.gigabit()),
            "deadline" => self.deadline_s,
            _ => None,
        }
    }

    /// The text to type for a value that may be relative.
    fn typed(&self, change: &Change) -> Result<String, String> {
        let Some(factor) = factor(&change.value) else { return Ok(change.value.clone()) };
        let key = change.key;
        let before = self
            .number(key)
            .ok_or_else(|| format!("{key}={}: there is no number to start from", change.value))?;
        let after = before * factor;
        Ok(match key {
            "deadline" => format!("{after}s"),
            "network_bandwidth" => format!("{after}Gb/s"),
            "epochs" => after.to_string(),
            _ => format!("{:.0}", after.round().max(1.0)),
        })
    }

    /// The number of a value for an axis: relative ones from the number before.
    pub fn axis(&self, change: &Change) -> Option<f64> {
        if change.key == "price" {
            let (_, price) = self.price.as_ref()?;
            let now = price.stated_rate().money().as_f64();
            return factor(&change.value)
                .map(|f| f * now)
                .or_else(|| Some(PriceRate::parse(&change.value).ok()?.money().as_f64()));
        }
        let typed = self.typed(change).ok()?;
        match change.key {
            "network_bandwidth" => Some(
                crate::units::parse::parse_quantity::<crate::units::BytesPerSecond>(&typed).ok()?.gigabit(),
            ),
            "deadline" => {
                Some(crate::units::parse::parse_quantity::<crate::units::Seconds>(&typed).ok()?.get())
            }
            _ => parse_count(&typed).ok(),
        }
    }
}

fn whole(key: &str, text: &str, most: u32) -> Result<u32, String> {
    super::cluster::count(text, key, u64::from(most)).map_err(|e| format!("{key}: {e}"))
}

fn named<T: clap::ValueEnum>(key: &str, text: &str) -> Result<T, String> {
    T::from_str(text.trim(), true).map_err(|_| {
        let values: Vec<String> = T::value_variants()
            .iter()
            .filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned()))
            .collect();
        format!("{key}: unknown {text:?}; accepted are {}", values.join(", "))
    })
}

/// Applies a change to the flags.
///
/// # Errors
/// What is wrong with the value, or with the key for this kind of question.
pub fn apply(inputs: &mut Inputs, change: &Change, base: &Base) -> Result<(), String> {
    let key = change.key;
    if key == "price" {
        return price(inputs, change, base);
    }
    let text = base.typed(change)?;
    let of_search = ["deadline", "budget", "max_gpus", "objective"].contains(&key);
    if of_search && inputs.names_cluster() {
        return Err(format!("{key}: limits a search; leave --cluster out"));
    }
    if let Some(group) = JOB.iter().find(|group| group.contains(&key)) {
        for sibling in *group {
            if let Some(slot) = job_slot(&mut inputs.workload, sibling) {
                *slot = (*sibling == key && !is_left_out(key, &text)).then(|| text.clone());
            }
        }
        return Ok(());
    }
    match key {
        "cluster" | "gpus" | "nodes" | "gpus_per_node" | "network" | "network_bandwidth" => {
            cluster(inputs, key, &text, base)?;
        }
        "deadline" => inputs.limits.deadline = Some(text),
        "budget" => inputs.limits.budget = Some(text),
        "max_gpus" => inputs.limits.max_gpus = Some(text),
        "objective" => inputs.limits.objective = named::<ObjectiveName>(key, &text)?,
        "purchase" => inputs.money.purchases = vec![named::<PurchaseName>(key, &text)?],
        _ => plan(&mut inputs.plan, key, &text)?,
    }
    Ok(())
}

/// What stands for leaving a flag out: `compiler=none` is training without one.
fn is_left_out(key: &str, text: &str) -> bool {
    key == "compiler" && text.eq_ignore_ascii_case("none")
}

fn job_slot<'a>(args: &'a mut WorkloadArgs, key: &str) -> Option<&'a mut Option<String>> {
    Some(match key {
        "model" => &mut args.model,
        "params" => &mut args.params,
        "tokens" => &mut args.tokens,
        "samples" => &mut args.samples,
        "epochs" => &mut args.epochs,
        "steps" => &mut args.steps,
        "steps_per_epoch" => &mut args.steps_per_epoch,
        "folds" => &mut args.folds,
        "dataset" => &mut args.dataset,
        "sequence_length" => &mut args.sequence_length,
        "target_share" => &mut args.target_share,
        "global_batch" => &mut args.global_batch,
        "precision" => &mut args.precision,
        "method" => &mut args.method,
        "lora_rank" => &mut args.lora_rank,
        "lora_alpha" => &mut args.lora_alpha,
        "lora_targets" => &mut args.lora_targets,
        "optimizer" => &mut args.optimizer,
        "framework" => &mut args.framework,
        "recipe" => &mut args.recipe,
        "compiler" => &mut args.compiler,
        "layout" => &mut args.layout,
        "storage" => &mut args.storage,
        "vcpus" => &mut args.vcpus,
        _ => return None,
    })
}

fn plan(plan: &mut PlanArgs, key: &str, text: &str) -> Result<(), String> {
    let degree = |most: u32| whole(key, text, most).map(Some);
    match key {
        "tensor_parallel" => plan.tensor_parallel = degree(4096)?,
        "pipeline_parallel" => plan.pipeline_parallel = degree(4096)?,
        "virtual_stages" => plan.virtual_stages = degree(64)?,
        "context_parallel" => plan.context_parallel = degree(4096)?,
        "expert_parallel" => plan.expert_parallel = degree(4096)?,
        "micro_batch" => plan.micro_batch = degree(1_000_000)?,
        "sharding" => plan.sharding = Some(named::<ShardingName>(key, text)?),
        "recompute" => plan.recompute = Some(named::<RecomputeName>(key, text)?),
        "sequence_parallel" => plan.sequence_parallel = Some(named::<Switch>(key, text)?),
        "flash_attention" => plan.flash_attention = Some(named::<Switch>(key, text)?),
        _ => plan.optimizer_offload = named::<Switch>(key, text)?.is_on(),
    }
    Ok(())
}

/// Changes of the cluster, which must be a named one.
fn cluster(inputs: &mut Inputs, key: &str, text: &str, base: &Base) -> Result<(), String> {
    if key == "cluster" {
        inputs.gpus = None;
        inputs.cluster = Some(text.to_owned());
        return Ok(());
    }
    let Some(now) = base.cluster.as_ref().filter(|_| inputs.names_cluster()) else {
        return Err(format!(
            "{key}: needs --cluster, or one --gpu with --gpus; a search chooses its clusters"
        ));
    };
    let numbered = |number: u32| {
        let label = now.label.rsplit_once(':').map_or(now.label.as_str(), |(name, _)| name);
        format!("{label}:{number}")
    };
    let numbers = |inputs: &mut Inputs, nodes: u32, gpus: u32| {
        inputs.gpus = None;
        inputs.cluster = Some(numbered(if now.instance.is_some() { nodes } else { gpus }));
    };
    match key {
        "nodes" => {
            let nodes = whole(key, text, 1_000_000)?;
            numbers(inputs, nodes, nodes.saturating_mul(now.gpus_per_node));
        }
        "gpus" => {
            let gpus = whole(key, text, 1_000_000)?;
            if now.instance.is_some() && !gpus.is_multiple_of(now.gpus_per_node) {
                return Err(format!("gpus: {gpus} are no whole nodes of {}", now.gpus_per_node));
            }
            numbers(inputs, gpus / now.gpus_per_node, gpus);
        }
        "network" => inputs.generic.network = Some(text.to_owned()),
        "network_bandwidth" => {
            inputs.generic.network = Some(format!("{} {}", text.trim(), now.network.class));
        }
        _ => inputs.generic.gpus_per_node = Some(text.to_owned()),
    }
    Ok(())
}

/// A price of the instance type that the question is about: the cluster's, or that of the offer chosen before.
fn price(inputs: &mut Inputs, change: &Change, base: &Base) -> Result<(), String> {
    let Some((instance, now)) = &base.price else {
        return Err(format!("price={}: there is no price to start from; add --price", change.value));
    };
    let rate = match factor(&change.value) {
        Some(factor) => {
            let scaled = |money: crate::units::Money| {
                money.times(factor).ok_or_else(|| format!("price={}: too large", change.value))
            };
            match now.stated_rate() {
                PriceRate::PerHour(money) => PriceRate::PerHour(scaled(money)?),
                PriceRate::PerMonth(money) => PriceRate::PerMonth(scaled(money)?),
            }
        }
        None => PriceRate::parse(&change.value).map_err(|e| {
            format!("price: {e}; accepted are a price such as 12.5USD/h and a change such as -10%")
        })?,
    };
    inputs.prices.push(UserPrice { instance: *instance, region: now.region.clone(), rate });
    Ok(())
}
