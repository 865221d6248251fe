//! Sentences that several reports share: the job, a cluster, a rejection, a warning.

use super::names;
use super::phrases::assumption::said;
use super::phrases::{cure, recommend, simulation as say, verdict};
use super::price_doubts::price_doubt;
use super::recommend::cells::{precisions, purchase};
use super::{Language, Phrase};
use crate::advisor::{Cure, Filling, InputNeed, MissingInput, RejectionReason, Simulation, Warning};
use crate::catalog::Precision;
use crate::cost::CostNote;
use crate::units::text;
use crate::workload::{Assumption, Job, JobLength, Method};

/// The job in one line; what the program chose carries a star.
pub(super) fn job(job: &Job, stack: &str, precision: Option<Precision>, language: Language) -> String {
    let precision = precision.or(job.precision);
    job_under(job, stack, (precision.as_slice(), &[job.global_batch]), language)
}

/// The same of a job that runs in these precisions and with these batches, one on each cluster.
pub(super) fn job_under(
    job: &Job,
    stack: &str,
    (precisions, batches): (&[Precision], &[f64]),
    language: Language,
) -> String {
    let star = |name: &str| if job.assumed.iter().any(|a| a.name == name) { "*" } else { "" };
    let workload = &job.workload;
    let mark = if batches.len() > 1 { "*" } else { star("global_batch") };
    let batches: Vec<String> = batches.iter().map(|b| text::grouped(&format!("{b:.0}"))).collect();
    let batch = format!("{}{mark}", batches.join(" / "));
    let batch = if workload.kind.is_image() {
        recommend::SAMPLES.fill(language, &[&batch])
    } else {
        let sequence = format!("{}{}", workload.rows_per_sample, star("sequence_length"));
        recommend::SEQUENCES_OF.fill(language, &[&batch, &sequence])
    };
    let asked = job.precision.is_some();
    let names: Vec<&str> = precisions.iter().map(|p| p.name()).collect();
    let precision = if names.is_empty() {
        format!("{}*", recommend::BEST_PRECISION.text(language))
    } else {
        format!("{}{}", names.join(" / "), if asked { "" } else { "*" })
    };
    let size = say::PARAMETERS_OF.fill(language, &[&text::count(workload.parameters)]);
    let model = format!("{} ({size}){}", workload.name, star("model"));
    let optimizer = format!("{}{}", job.optimizer.id, star("optimizer"));
    let way: Vec<&str> =
        [&job.recipe, &job.compiler, &job.layout].into_iter().filter_map(Option::as_deref).collect();
    let way = if way.is_empty() { String::new() } else { format!(" ({})", way.join(", ")) };
    let stack = format!("{stack}{}{way}", star("framework"));
    let length = format!("{}{}", length(job.length, language), star("length"));
    let line = [&model, &length, &batch, &precision, &optimizer, &stack];
    let line = recommend::JOB_LINE.fill(language, &line.map(String::as_str));
    let line = match method(job.method, language) {
        Some(method) => format!("{line} · {method}{}", star("lora_rank")),
        None => line,
    };
    match job.folds {
        0 | 1 => line,
        several => format!("{line} · {}", recommend::FOLD_OF.fill(language, &[&several.to_string()])),
    }
}

/// How the model is trained, unless all of it is.
pub(super) fn method(method: Method, language: Language) -> Option<String> {
    let (phrase, adapters) = match method {
        Method::Full => return None,
        Method::Lora(adapters) => (recommend::WITH_LORA, adapters),
        Method::Qlora(adapters) => (recommend::WITH_QLORA, adapters),
    };
    Some(phrase.fill(language, &[&adapters.rank.to_string(), &said(adapters.targets.name(), language)]))
}

pub(super) fn length(length: JobLength, language: Language) -> String {
    match length {
        JobLength::Tokens(n) => recommend::TOKENS.fill(language, &[&text::count(n)]),
        JobLength::Samples(n) => recommend::SAMPLES.fill(language, &[&text::count(n)]),
        JobLength::Epochs { samples, epochs } => {
            recommend::EPOCHS.fill(language, &[&text::significant(epochs, 3), &text::count(samples)])
        }
        JobLength::Steps(n) => recommend::STEPS.fill(language, &[&text::count(n)]),
    }
}

/// A cluster in one line.
pub(super) fn cluster(simulation: &Simulation, language: Language) -> String {
    let cluster = &simulation.cluster;
    let (nodes, each) = (cluster.nodes.to_string(), cluster.gpus_per_node.to_string());
    let nodes = say::NODES_LINE.fill(language, &[&nodes, &each, &simulation.gpu_name]);
    let mut parts = vec![cluster.label.clone(), nodes];
    if cluster.gpus_per_node > 1 {
        let star = if cluster.node_link_assumed { "*" } else { "" };
        parts.push(format!("{}{star}", cluster.node_link));
    }
    if cluster.nodes > 1 {
        let network = &cluster.network;
        let rate = text::network_bandwidth(network.maximum);
        parts.push(if network.known {
            format!("{rate} {}", network.class)
        } else {
            format!("{} ({rate}*)", verdict::NETWORK_UNKNOWN.text(language))
        });
    }
    if let Some(place) = &cluster.place {
        parts.push(place.to_string());
    }
    parts.join(" · ")
}

/// Assumptions, one line each.
pub(super) fn assumptions<'a>(list: impl Iterator<Item = &'a Assumption>, language: Language) -> Vec<String> {
    list.map(|a| assumption(&a.name, &a.value, &a.reason, language)).collect()
}

/// One assumption: a quantity, its value, and why.
pub(super) fn assumption(name: &str, value: &str, reason: &str, language: Language) -> String {
    let [name, value, reason] = [name, value, reason].map(|text| said(text, language));
    match language {
        Language::English => format!("{name} = {value} ({reason})"),
        Language::Chinese => format!("{name} = {value}（{reason}）"),
    }
}

/// Why a job does not run.
pub fn why_not(reason: &RejectionReason, language: Language) -> String {
    rejection(reason, language).0
}

/// Why a job does not run, and what would help.
pub(super) fn rejection(reason: &RejectionReason, language: Language) -> (String, Option<&'static str>) {
    match reason {
        RejectionReason::Precision { possible, .. } if possible.is_empty() => {
            (say::REASON_NO_PEAK.text(language).to_owned(), Some(say::HINT_NO_PEAK.text(language)))
        }
        RejectionReason::Precision { asked, possible, nearest } => {
            let mut reason = say::REASON_PRECISION.fill(language, &[asked.name(), &precisions(possible)]);
            if let Some(nearest) = nearest {
                reason += &say::REASON_NEAREST.fill(language, &[nearest.name()]);
            }
            (reason, Some(say::HINT_PRECISION.text(language)))
        }
        RejectionReason::NoKernel => {
            (say::REASON_NO_KERNEL.text(language).to_owned(), Some(say::HINT_NO_KERNEL.text(language)))
        }
        RejectionReason::Memory { needed, usable, allowed, item, filled_by } => {
            let (need, have) = (text::memory(*needed), text::memory(*usable));
            let (most, excess) = (text::memory(*allowed), text::memory(*needed - *allowed));
            let item = names::item(*item).text(language);
            let reason = say::REASON_MEMORY.fill(language, &[&need, &most, &have, &excess, item]);
            (reason, Some(memory_hint(*filled_by).text(language)))
        }
        RejectionReason::NoValidPlan { why } => {
            let reason = say::REASON_PLAN.fill(language, &[&said(why, language)]);
            (reason, Some(say::HINT_PLAN.text(language)))
        }
        RejectionReason::NeverEnds => {
            (recommend::NAME_NEVER_ENDS.text(language).to_owned(), Some(say::HINT_NEVER_ENDS.text(language)))
        }
        RejectionReason::Stack { why } => (say::REASON_OTHER.fill(language, &[&said(why, language)]), None),
        other => (other.name().replace('_', " "), None),
    }
}

/// What must be said so that the input is reckoned with.
fn input_unknown(missing: MissingInput, language: Language) -> String {
    let flags = [(missing.set, "--dataset"), (missing.storage, "--storage"), (missing.vcpus, "--vcpus")];
    let flags: Vec<&str> = flags.into_iter().filter(|(is, _)| *is).map(|(_, flag)| flag).collect();
    if flags.is_empty() {
        return say::WARN_INPUT_UNSTATED.owned(language);
    }
    say::WARN_INPUT_UNKNOWN.fill(language, &[&flags.join(", ")])
}

/// What helps against what fills the memory.
pub(super) const fn memory_hint(filling: Filling) -> Phrase {
    match filling {
        Filling::Model => say::HINT_MEMORY,
        Filling::FeatureMaps => say::HINT_MEMORY_OF_SAMPLES,
        Filling::Tables => say::HINT_MEMORY_OF_TABLES,
        Filling::SplitTables => say::HINT_MEMORY_OF_SPLIT_TABLES,
    }
}

/// What keeps the GPUs busy: bandwidth of the storage, virtual CPUs.
pub(super) fn input_need(need: &InputNeed, language: Language) -> String {
    let storage = need.storage.map(|rate| say::NEED_STORAGE.fill(language, &[&text::bandwidth(rate)]));
    let vcpus = need.vcpus.map(|n| say::NEED_VCPUS.fill(language, &[&text::significant(n, 2)]));
    storage.into_iter().chain(vcpus).collect::<Vec<_>>().join(", ")
}

/// What would let a rejected cluster in, as tried; nothing where no single change does.
pub(super) fn cures(cures: &[Cure], memory: bool, language: Language) -> Option<String> {
    let each = |c: &Cure| match c {
        Cure::Recompute(r) => cure::RECOMPUTE.fill(language, &[r.name()]),
        Cure::MicroBatch(size) => cure::MICRO_BATCH.fill(language, &[&size.to_string()]),
        Cure::Sharding(s) => cure::SHARDING.fill(language, &[s.name()]),
        Cure::FreePlan => cure::FREE_PLAN.owned(language),
        Cure::Nodes(1) => cure::ONE_NODE.owned(language),
        Cure::Nodes(nodes) => cure::NODES.fill(language, &[&nodes.to_string()]),
        Cure::HostOptimizer => cure::HOST_OPTIMIZER.owned(language),
        Cure::Software(id) => cure::SOFTWARE.fill(language, &[id]),
        Cure::Precision(p) => cure::PRECISION.fill(language, &[p.name()]),
        Cure::NoFlashAttention => cure::NO_FLASH_ATTENTION.owned(language),
        Cure::GlobalBatch(batch) => cure::GLOBAL_BATCH.fill(language, &[&batch.to_string()]),
        Cure::Purchase(way) => cure::PURCHASE.fill(language, &[purchase(*way).text(language)]),
        Cure::Adapters => cure::ADAPTERS.owned(language),
    };
    let phrase = if memory { cure::FITS } else { cure::WORKS };
    let all = cures.iter().map(each).reduce(|all, next| cure::EITHER.fill(language, &[&all, &next]));
    all.map(|all| phrase.fill(language, &[&all]))
}

/// A warning.
pub(super) fn warning(warning: &Warning, language: Language) -> String {
    let phrase = match warning {
        Warning::NetworkUnknown { taken } => {
            return say::WARN_NETWORK_UNKNOWN.fill(language, &[&text::network_bandwidth(*taken)]);
        }
        Warning::NetworkSlow { share, bandwidth } => {
            let rate = text::network_bandwidth(*bandwidth);
            return say::WARN_NETWORK_SLOW.fill(language, &[&text::percent(*share), &rate]);
        }
        Warning::NetworkAssured { assured } => {
            return say::WARN_NETWORK_ASSURED.fill(language, &[&text::network_bandwidth(*assured)]);
        }
        Warning::InputBound { share, need } => {
            let wait = text::percent(*share);
            return say::WARN_INPUT_BOUND.fill(language, &[&wait, &input_need(need, language)]);
        }
        Warning::InputUnknown(missing) => return input_unknown(*missing, language),
        Warning::FeatureMaps { share } => {
            return say::WARN_FEATURE_MAPS.fill(language, &[&text::percent(*share)]);
        }
        Warning::MemoryTight { free } => return say::WARN_TIGHT.fill(language, &[&text::memory(*free)]),
        Warning::RelativeStack { relative } => return say::WARN_RELATIVE.fill(language, &[relative]),
        Warning::OldPrice { date: Some(date) } => {
            return say::WARN_OLD_PRICE.fill(language, &[&date.to_string()]);
        }
        Warning::OldPrice { date: None } => say::WARN_UNDATED_PRICE,
        Warning::LossScaling => say::WARN_LOSS_SCALING,
        Warning::NoMixedPrecision => say::WARN_NO_MIXED,
        Warning::NoFlashAttention => say::WARN_NO_FLASH,
        Warning::FusedWithoutKernel { precision } => {
            return say::WARN_FUSED_32.fill(language, &[precision.name(), precision.name()]);
        }
        Warning::PcieOnly => say::WARN_PCIE,
        Warning::Porting { vendor, software } => {
            return say::WARN_PORTING.fill(language, &[software, vendor]);
        }
        Warning::WeakEvidence => say::WARN_EVIDENCE,
        Warning::NoLongerSold => say::WARN_GONE,
        Warning::NotKnownToBeSold => say::WARN_NOT_SOLD,
        Warning::Price(doubted) => return price_doubt(doubted, language),
        Warning::NoExchangeRate => say::WARN_NO_RATE,
        Warning::Cost(CostNote::NeedsOneYearCommitment) => say::WARN_ONE_YEAR,
        Warning::Cost(CostNote::NeedsThreeYearCommitment) => say::WARN_THREE_YEARS,
        Warning::Cost(CostNote::WholeMonths) => say::WARN_MONTHS,
        Warning::Cost(CostNote::InterruptionsPriced) => say::WARN_SPOT,
        Warning::Cost(CostNote::BillingGranularityUnknown) => say::WARN_BILLING,
    };
    phrase.owned(language)
}
