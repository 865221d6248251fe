//! What of the model is trained, and by which optimizer.

use super::job::{Inputs, unknown};
use super::job_file::near_clause;
use super::job_model::Model;
use crate::catalog::{Catalog, OptimizerSpec, OptimizerUse};
use crate::profile::{AxisOrder, Profiles};
use crate::workload::{AdapterTargets, Adapters, Method, Workload, WorkloadKind, with_adapters};

const HIGHEST_RANK: f64 = 65_536.0;

/// What `--method` accepts.
#[derive(Clone, Copy)]
enum Trained {
    Full,
    Lora,
    Qlora,
}

impl Inputs<'_, '_> {
    /// The method with its adapters.
    pub(super) fn method(&mut self) -> Option<Method> {
        let all = [("full", Trained::Full), ("lora", Trained::Lora), ("qlora", Trained::Qlora)];
        let trained = match self.given.get("method") {
            Some(_) => self.name("method", &all)?,
            None => Trained::Full,
        };
        if matches!(trained, Trained::Full) {
            for key in ["lora_rank", "lora_alpha", "lora_targets"] {
                if let Some(given) = self.given.get(key) {
                    self.problems.value(given, "belongs to adapters; add --method lora or qlora");
                }
            }
            return Some(Method::Full);
        }
        let adapters = self.adapters()?;
        Some(match trained {
            Trained::Qlora => Method::Qlora(adapters),
            _ => Method::Lora(adapters),
        })
    }

    /// Adapters are counted beside the products of a transformer's layers and nowhere else.
    pub(super) fn check_adapters(&mut self, method: Option<Method>, kind: Option<WorkloadKind>) {
        let adapted = matches!(method, Some(Method::Lora(_) | Method::Qlora(_)));
        if let (true, Some(WorkloadKind::Convolutional), Some(given)) =
            (adapted, kind, self.given.get("method"))
        {
            let message = "adapters are reckoned for transformers alone; this network is reckoned as trained in full: leave it out";
            self.problems.value(given, message);
        }
    }

    fn adapters(&mut self) -> Option<Adapters> {
        let usual = Adapters::DEFAULT;
        let rank = self.size("lora_rank", usual.rank, "a usual rank")?;
        // Alpha is usually twice the rank.
        let alpha = self.size("lora_alpha", rank.saturating_mul(2), "twice the rank, as usual")?;
        let targets = if self.given.get("lora_targets").is_some() {
            self.name(
                "lora_targets",
                &[AdapterTargets::All, AdapterTargets::Attention].map(|t| (t.name(), t)),
            )?
        } else {
            self.assume("lora_targets", usual.targets.name(), "every product of a layer, as usual");
            usual.targets
        };
        Some(Adapters { rank, alpha, targets })
    }

    fn size(&mut self, key: &str, usual: u32, reason: &str) -> Option<u32> {
        if self.given.get(key).is_some() {
            return self.count(key, 1.0..=HIGHEST_RANK, "as a rank").map(|n| n as u32);
        }
        self.assume(key, usual.to_string(), reason);
        Some(usual)
    }

    /// The workload as it is trained.
    pub(super) fn trained(&mut self, workload: Workload, method: Method) -> Workload {
        match method {
            Method::Full => workload,
            Method::Lora(adapters) => with_adapters(&workload, adapters, false),
            Method::Qlora(adapters) => {
                self.assume("base_weights", "4-bit NormalFloat with double quantization", "what QLoRA does");
                with_adapters(&workload, adapters, true)
            }
        }
    }

    /// Recipe class, graph compiler and order of axes, which only networks over samples have.
    pub(super) fn way(&mut self, kind: Option<WorkloadKind>, profiles: &Profiles) -> [Option<String>; 3] {
        let layers = &profiles.layers;
        let recipe = self.known("recipe", kind, &layers.recipes());
        let compiler = self.known("compiler", kind, &layers.compilers());
        let layout = self.known("layout", kind, &AxisOrder::NAMES);
        if recipe.is_none() && kind == Some(WorkloadKind::Convolutional) {
            self.assume("recipe", layers.recipe.clone(), "tuned as well as published references");
        }
        [recipe, compiler, layout]
    }

    /// A name among those that have factors.
    fn known(&mut self, key: &str, kind: Option<WorkloadKind>, names: &[&str]) -> Option<String> {
        let given = self.given.get(key)?;
        if kind.is_some_and(|kind| kind != WorkloadKind::Convolutional) {
            self.problems.value(given, "is known of networks over samples only; leave it out");
            return None;
        }
        let name = given.text.trim();
        if !names.contains(&name) {
            let near = near_clause(name, names.iter().copied());
            self.problems.value(given, unknown(given, key, &near, names));
            return None;
        }
        Some(name.to_owned())
    }

    /// The optimizer.
    pub(super) fn optimizer(&mut self, model: Option<&Model>, catalog: &Catalog) -> Option<OptimizerSpec> {
        if let Some(given) = self.given.get("optimizer") {
            let id = given.text.trim();
            if let Some(found) = catalog.find_optimizer(&id.to_ascii_lowercase()) {
                return Some(found.clone());
            }
            let names: Vec<&str> = catalog.optimizers.iter().map(|o| o.id.as_str()).collect();
            let near = near_clause(id, names.iter().copied());
            self.problems.value(given, unknown(given, "optimizer", &near, &names));
            return None;
        }
        let model = model?;
        let (usual, reason) = match model.kind() {
            WorkloadKind::Convolutional if model.has_attention() => {
                (OptimizerUse::Transformer, "usual for networks with attention")
            }
            WorkloadKind::Convolutional if model.samples().is_picture() => {
                (OptimizerUse::Convolutional, "usual for networks over images or volumes")
            }
            WorkloadKind::Convolutional => {
                (OptimizerUse::Transformer, "usual for networks over sequences, sound or records")
            }
            _ => (OptimizerUse::Transformer, "usual for transformers"),
        };
        let Some(optimizer) = catalog.usual_optimizer(usual) else {
            self.problems.usage("the catalog has no usual optimizer for this model; add --optimizer");
            return None;
        };
        self.assume("optimizer", &optimizer.id, reason);
        Some(optimizer.clone())
    }
}
