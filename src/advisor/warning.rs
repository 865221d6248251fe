//! What to be careful with, read off capabilities and results, not off names.

use jiff::civil::Date;

use super::input::InputNeed;
use super::porting::vendor_without_runs;
use super::question::Question;
use super::recommend::Facts;
use super::simulation::Simulation;
use crate::catalog::Precision;
use crate::cost::{CostNote, CostOutcome, DoubtedPrice, Standing, doubted_prices};
use crate::plan::{Cluster, Plan, Recompute};
use crate::profile::Grade;
use crate::simulator::{Bound, MemoryItem, Scenario, TermKind, Verdict};
use crate::units::{Bytes, BytesPerSecond, Seconds};
use crate::workload::WorkloadKind;

/// Share of communication in a step from which the network deserves a word.
const SLOW_FROM: f64 = 0.25;
/// Share of the usable memory from which a larger patch or batch may not fit.
const FULL_FROM: f64 = 0.75;

/// What would have to be said so that the input is reckoned with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingInput {
    /// The data set.
    pub set: bool,
    /// The bandwidth of the storage.
    pub storage: bool,
    /// The virtual CPUs of a node.
    pub vcpus: bool,
}

impl MissingInput {
    fn of(question: &Question<'_>, cluster: &Cluster) -> Self {
        let job = question.job;
        let (stored, prepared) = (job.bytes_per_sample.is_some(), job.preparation_per_sample.is_some());
        let set = !stored && !prepared && job.evaluation_samples.is_none();
        Self {
            set,
            storage: question.storage.is_none() && (set || stored),
            vcpus: cluster.vcpus.is_none() && (set || prepared),
        }
    }
}

/// One warning.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// No bf16: fp16 needs loss scaling.
    LossScaling,
    /// Neither bf16 nor fp16 is used.
    NoMixedPrecision,
    /// Attention keeps its scores, which grow with the square of the sequence.
    NoFlashAttention,
    /// Attention is fused in a precision for which FlashAttention has no kernel.
    FusedWithoutKernel {
        /// The precision.
        precision: Precision,
    },
    /// The GPUs of a node meet over PCIe only.
    PcieOnly,
    /// The network is not stated.
    NetworkUnknown {
        /// What is taken.
        taken: BytesPerSecond,
    },
    /// The network takes much of the step.
    NetworkSlow {
        /// Share of all communication.
        share: f64,
        /// Bandwidth per node.
        bandwidth: BytesPerSecond,
    },
    /// The assured bandwidth is lower; P90 uses it.
    NetworkAssured {
        /// The assured bandwidth.
        assured: BytesPerSecond,
    },
    /// More than 0.92 of the usable memory.
    MemoryTight {
        /// Left over.
        free: Bytes,
    },
    /// The step waits for storage or host: a faster GPU does not help.
    InputBound {
        /// Share of the step that the GPUs wait.
        share: f64,
        /// What would keep them busy.
        need: InputNeed,
    },
    /// Nothing is known of the input of a network over samples, which may bind.
    InputUnknown(MissingInput),
    /// Feature maps fill the memory of a network over samples that has little room left, or recomputes to have it.
    FeatureMaps {
        /// Their share of the peak.
        share: f64,
    },
    /// The software has no measured run of its own.
    RelativeStack {
        /// Whose coefficients are used.
        relative: String,
    },
    /// No run of this software on accelerators of this vendor is known.
    Porting {
        /// The vendor.
        vendor: String,
        /// The software.
        software: String,
    },
    /// Much rests on datasheets or assumptions.
    WeakEvidence,
    /// Retired or withdrawn.
    NoLongerSold,
    /// Sale not confirmed, or existing customers only.
    NotKnownToBeSold,
    /// The price is older than 30 days or undated.
    OldPrice {
        /// Its date.
        date: Option<Date>,
    },
    /// A price of the command line is doubtful.
    Price(DoubtedPrice),
    /// No exchange rate to the currency asked for.
    NoExchangeRate,
    /// What the cost rests on.
    Cost(CostNote),
}

impl Warning {
    /// The name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::LossScaling => "loss_scaling",
            Self::NoMixedPrecision => "no_mixed_precision",
            Self::NoFlashAttention => "no_flash_attention",
            Self::FusedWithoutKernel { .. } => "fused_attention_without_kernel",
            Self::PcieOnly => "pcie_only",
            Self::NetworkUnknown { .. } => "network_unknown",
            Self::NetworkSlow { .. } => "network_slow",
            Self::NetworkAssured { .. } => "network_assured",
            Self::MemoryTight { .. } => "memory_tight",
            Self::InputBound { .. } => "input_bound",
            Self::InputUnknown(_) => "input_unknown",
            Self::FeatureMaps { .. } => "feature_maps",
            Self::RelativeStack { .. } => "relative_stack",
            Self::Porting { .. } => "porting",
            Self::WeakEvidence => "weak_evidence",
            Self::NoLongerSold => "no_longer_sold",
            Self::NotKnownToBeSold => "not_known_to_be_sold",
            Self::OldPrice { .. } => "old_price",
            Self::Price(doubted) => doubted.doubt.name(),
            Self::NoExchangeRate => "no_exchange_rate",
            Self::Cost(CostNote::NeedsOneYearCommitment) => "needs_one_year_commitment",
            Self::Cost(CostNote::NeedsThreeYearCommitment) => "needs_three_year_commitment",
            Self::Cost(CostNote::WholeMonths) => "whole_months",
            Self::Cost(CostNote::InterruptionsPriced) => "interruptions_priced",
            Self::Cost(CostNote::BillingGranularityUnknown) => "billing_granularity_unknown",
        }
    }
}

/// Everything to be careful with, in report order.
pub(super) fn warnings(
    scenario: &Scenario<'_>,
    plan: &Plan,
    simulation: &Simulation,
    (question, facts): (&Question<'_>, Facts<'_>),
) -> Vec<Warning> {
    let prices = question.prices;
    let mut found = hardware(scenario, plan);
    found.extend(network(simulation));
    if let Some(estimate) = simulation.estimate() {
        let memory = &estimate.planned.memory;
        if memory.verdict() == Verdict::Tight {
            found.push(Warning::MemoryTight { free: memory.usable - memory.peak() });
        }
        let maps = [MemoryItem::Activations, MemoryItem::CheckpointedInputs].map(|item| memory.item(item));
        let share = (maps[0] + maps[1]) / memory.peak();
        let scarce = memory.peak() > memory.usable * FULL_FROM || plan.recompute != Recompute::None;
        if scenario.workload.kind == WorkloadKind::Convolutional && scarce && share > 0.5 {
            found.push(Warning::FeatureMaps { share });
        }
        let waits = estimate.planned.step.time(TermKind::Input);
        if let Some(need) = estimate.input_need.filter(|_| waits > Seconds::ZERO) {
            found.push(Warning::InputBound { share: waits / estimate.planned.step.total(), need });
        }
        if scenario.workload.kind == WorkloadKind::Convolutional
            && scenario.input.is_none_or(|input| input.host_unknown)
        {
            found.push(Warning::InputUnknown(MissingInput::of(question, &simulation.cluster)));
        }
    }
    if let Some(vendor) =
        vendor_without_runs(facts.catalog, facts.profiles, scenario.machine.gpu, scenario.stack)
    {
        let (vendor, software) = (vendor.to_owned(), scenario.stack.name.clone());
        found.push(Warning::Porting { vendor, software });
    }
    if let Some(relative) = &scenario.stack.relative_of {
        found.push(Warning::RelativeStack { relative: relative.clone() });
    }
    if simulation.estimate().is_some_and(|e| e.grade == Grade::D) {
        found.push(Warning::WeakEvidence);
    }
    found.extend(offer(simulation, prices.as_of));
    let doubted = doubted_prices(prices, facts.catalog).into_iter();
    found.extend(doubted.filter(|d| Some(d.instance) == simulation.cluster.instance).map(Warning::Price));
    found
}

fn hardware(scenario: &Scenario<'_>, plan: &Plan) -> Vec<Warning> {
    let machine = &scenario.machine;
    let mut found = Vec::new();
    if plan.precision == Precision::Fp16 && machine.gpu.peak(Precision::Bf16).is_none() {
        found.push(Warning::LossScaling);
    }
    if !plan.precision.is_mixed() {
        found.push(Warning::NoMixedPrecision);
    }
    if scenario.workload.attention.is_some() {
        if !plan.flash_attention {
            found.push(Warning::NoFlashAttention);
        } else if !plan.precision.is_mixed() {
            found.push(Warning::FusedWithoutKernel { precision: plan.precision });
        }
    }
    if machine.link.over_pcie && machine.gpus_per_node > 1 {
        found.push(Warning::PcieOnly);
    }
    found
}

fn network(simulation: &Simulation) -> Vec<Warning> {
    let cluster = &simulation.cluster;
    let network = &cluster.network;
    let mut found = Vec::new();
    if cluster.nodes == 1 {
        return found;
    }
    if !network.known {
        found.push(Warning::NetworkUnknown { taken: network.maximum });
    }
    if let Some(estimate) = simulation.estimate() {
        let share = estimate.planned.step.share(Bound::Communication);
        if share >= SLOW_FROM {
            found.push(Warning::NetworkSlow { share, bandwidth: network.maximum });
        }
    }
    if network.assured < network.maximum {
        found.push(Warning::NetworkAssured { assured: network.assured });
    }
    found
}

fn offer(simulation: &Simulation, as_of: Date) -> Vec<Warning> {
    let mut found = Vec::new();
    let Some(offer) = &simulation.offer else { return found };
    match offer.on_sale {
        Standing::Sold => {}
        Standing::Gone => found.push(Warning::NoLongerSold),
        Standing::NotKnownToBeSold => found.push(Warning::NotKnownToBeSold),
    }
    if let Some(price) = offer.price.as_ref().map(|s| &s.price)
        && price.is_stale(as_of)
    {
        found.push(Warning::OldPrice { date: price.as_of });
    }
    match simulation.estimate().and_then(|e| e.cost.as_ref()) {
        Some(CostOutcome::Priced(cost)) => found.extend(cost.notes.iter().copied().map(Warning::Cost)),
        Some(CostOutcome::Unconvertible { own, .. }) => {
            found.push(Warning::NoExchangeRate);
            found.extend(own.notes.iter().copied().map(Warning::Cost));
        }
        _ => {}
    }
    found
}
