//! Training software by the names that people use.

use super::job_file::near_clause;
use crate::advisor::PlanConstraints;
use crate::advisor::support::unsupported;
use crate::catalog::{Catalog, software_key};
use crate::profile::Profiles;
use crate::workload::job::Assumption;
use crate::workload::{Job, Method, WorkloadKind};

/// The software of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Software {
    /// Id of its stack.
    pub id: String,
    /// Other stacks that the name given may mean.
    pub others: Vec<String>,
}

/// Reason of the choice among several meanings.
const SEVERAL: &str = "the name given stands for several; the usual one of them for this job";

impl Software {
    /// What was taken for a name of several meanings.
    pub fn assumed(&self) -> Option<Assumption> {
        (!self.others.is_empty()).then(|| Assumption {
            name: "framework_version".to_owned(),
            value: self.id.clone(),
            reason: SEVERAL.to_owned(),
        })
    }
}

/// The usual software of a kind of model, and what kind that is in words.
pub fn usual(kind: WorkloadKind, method: Option<Method>, profiles: &Profiles) -> (&str, &'static str) {
    let defaults = &profiles.defaults.stack;
    let adapted = !matches!(method, None | Some(Method::Full));
    match kind {
        _ if adapted => (&defaults.adapters, "adapters"),
        WorkloadKind::Decoder => (&defaults.decoder, "language models"),
        WorkloadKind::Encoder => (&defaults.encoder, "encoders"),
        WorkloadKind::EncoderDecoder => (&defaults.encoder, "encoder-decoders"),
        WorkloadKind::Vision => (&defaults.encoder, "vision transformers"),
        WorkloadKind::Convolutional => (&defaults.convolutional, "networks over samples"),
    }
}

/// The software that a name stands for: a stack by its id or its name for people, else a name of the catalog, of whose meanings the
/// `usual` one is taken.
///
/// # Errors
/// What is accepted, when nothing is named so or the name says more than the software.
pub fn named(
    text: &str,
    usual: Option<&str>,
    catalog: &Catalog,
    profiles: &Profiles,
) -> Result<Software, String> {
    let text = text.trim();
    let wanted = software_key(text);
    let own = profiles.stacks.iter().find(|s| s.id == text).or_else(|| {
        let same = |name: &str| software_key(name) == wanted;
        profiles.stacks.iter().find(|s| same(&s.id) || same(&s.name))
    });
    if let Some(stack) = own {
        return Ok(Software { id: stack.id.clone(), others: Vec::new() });
    }
    let found = catalog.find_software_name(text);
    if let Some(flags) = found.and_then(|name| name.written.as_ref()) {
        return Err(format!("{text:?} is more than a framework; write {flags}"));
    }
    let means = found.map_or(&[][..], |name| &name.means);
    let mut known: Vec<String> = means.iter().filter(|id| profiles.stack(id).is_some()).cloned().collect();
    if known.is_empty() {
        let names: Vec<&str> = profiles.stacks.iter().map(|s| s.id.as_str()).collect();
        let more = catalog.software_names.iter().map(|n| n.name.as_str());
        let near = near_clause(text, names.iter().copied().chain(more));
        return Err(format!("unknown framework {text:?}{near}; accepted are {}", names.join(", ")));
    }
    let first = known.iter().position(|id| Some(id.as_str()) == usual).unwrap_or(0);
    let id = known.remove(first);
    Ok(Software { id, others: known })
}

/// Takes another meaning of the name given where the one taken lacks what the fixed parts of the plan need.
pub fn suit(job: &mut Job, others: &[String], constraints: &PlanConstraints, profiles: &Profiles) {
    let method = job.method;
    let offers = |id: &str| profiles.stack(id).is_some_and(|s| unsupported(constraints, method, s).is_none());
    if offers(&job.stack) {
        return;
    }
    if let Some(other) = others.iter().find(|id| offers(id)) {
        for assumed in job.assumed.iter_mut().filter(|a| a.name == "framework_version") {
            assumed.value.clone_from(other);
        }
        job.stack.clone_from(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Sharding;
    use crate::profile::embedded_facts;

    #[test]
    fn every_name_of_the_catalog_means_software_that_is_known() {
        let (catalog, profiles) = embedded_facts();
        for name in &catalog.software_names {
            for id in &name.means {
                assert!(profiles.stack(id).is_some(), "{}: {id}", name.name);
            }
            let own = profiles.stacks.iter().any(|s| software_key(&s.id) == software_key(&name.name));
            assert!(!own, "{} hides a stack", name.name);
        }
    }

    #[test]
    fn a_name_of_several_meanings_takes_the_usual_one_of_the_job() {
        let (catalog, profiles) = embedded_facts();
        let id = |text: &str, usual: &str| named(text, Some(usual), &catalog, &profiles).map(|s| s.id);
        assert_eq!(id("PyTorch", "pytorch-ddp").unwrap(), "pytorch-ddp");
        assert_eq!(id("torch", "pytorch-fsdp").unwrap(), "pytorch-fsdp");
        assert_eq!(id("torch", "mxnet").unwrap(), "pytorch-fsdp");
        for (text, stack) in [
            ("PyTorch FSDP", "pytorch-fsdp"),
            ("tensorflow1", "tensorflow"),
            ("TF2", "tensorflow2"),
            ("TensorFlow 2", "tensorflow2"),
            ("paddle", "paddlepaddle"),
            ("Megatron-LM", "megatron"),
            ("megatron_lm", "megatron"),
            ("MXNet", "mxnet"),
        ] {
            assert_eq!(id(text, "pytorch-fsdp").unwrap(), stack, "{text}");
        }
        let more = id("deepspeed-zero3", "pytorch-fsdp").unwrap_err();
        assert!(more.contains("--framework deepspeed --sharding zero3"), "{more}");
        let none = id("pytroch", "pytorch-fsdp").unwrap_err();
        assert!(none.contains("did you mean \"pytorch\""), "{none}");
    }

    #[test]
    fn another_meaning_is_taken_where_the_plan_needs_it() {
        let (catalog, profiles) = embedded_facts();
        let both = named("pytorch", Some("pytorch-ddp"), &catalog, &profiles).unwrap();
        let zero3 = PlanConstraints { sharding: Some(Sharding::Zero3), ..PlanConstraints::default() };
        let lacks = |id: &str| unsupported(&zero3, Method::Full, profiles.stack(id).unwrap()).is_some();
        assert!(lacks(&both.id) && both.others.iter().any(|id| !lacks(id)), "{both:?}");
        assert_eq!(both.assumed().unwrap().value, "pytorch-ddp");
    }
}
