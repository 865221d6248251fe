//! `models/*.toml` and `datasets.toml`.

use super::super::{
    Dataset, Experts, LatentAttention, MASKED_SPANS, ModelSpec, SampleKind, Task, TransformerKind,
    TransformerSpec, Window, Windowed,
};
use super::network::read_convolutional;
use super::record::Record;
use super::{Document, Records, located};

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let mut found = vec![];
    let (mut family, mut common) = (None, None);
    let models = std::cell::RefCell::new(&mut found);
    let add = |r: &Record<'_>, model: Option<ModelSpec>| {
        if let Some(model) = model {
            models.borrow_mut().push(located(r, index, model));
        }
    };
    document.read(
        &mut |top| {
            family = top.text("family");
            common = read_task(top);
        },
        &mut [
            ("transformer", &mut |r| add(r, read_transformer(r))),
            ("convolutional", &mut |r| add(r, read_convolutional(r))),
        ],
    );
    let Some(name) = family else { return };
    for model in &mut found {
        match &mut model.value {
            ModelSpec::Transformer { family, task, .. } | ModelSpec::Convolutional { family, task, .. } => {
                family.clone_from(&name);
                *task = task.or(common);
            }
        }
    }
    records.models.append(&mut found);
}

fn read_shape(r: &Record<'_>) -> Option<TransformerSpec> {
    let (kind, layers, hidden) = (r.choice::<TransformerKind>("kind"), r.count("layers"), r.count("hidden"));
    let (heads, kv_heads, head_dim) = (r.count("heads"), r.count("kv_heads"), r.count("head_dim"));
    let vision = kind == Some(TransformerKind::Vision);
    let (ffn, gated_mlp) = (r.count("ffn"), r.flag("gated_mlp"));
    let vocab = r.count(if vision { "classes" } else { "vocab" });
    let patch = if vision { Some(r.count("patch")?) } else { None };
    let tied_embeddings = if vision { Some(false) } else { r.flag("tied_embeddings") };
    let position = r.choice("position");
    let (max_sequence, norm, biases) = (r.count("max_sequence"), r.text("norm"), r.flag("biases"));
    let rms_norm = norm.and_then(|n| match n.as_str() {
        "rms" => Some(true),
        "layer" => Some(false),
        _ => {
            r.wrong("norm", format!("is {n:?}; expected \"rms\" or \"layer\""));
            None
        }
    });
    let (experts, latent, window) = (read_experts(r, layers?)?, read_latent(r)?, read_window(r)?);
    let extra_parameters = r.opt_integer("extra_parameters").unwrap_or(0);
    let extra_parameters_per_layer = r.opt_integer("extra_parameters_per_layer").unwrap_or(0);
    let target_share = r.opt_float("target_share").unwrap_or(MASKED_SPANS);
    if !(target_share > 0.0 && target_share <= 4.0) {
        r.wrong(
            "target_share",
            "is no share of the input's tokens; expected a number above 0 and at most 4".to_owned(),
        );
    }
    if let (Some(heads), Some(kv_heads)) = (heads, kv_heads)
        && !heads.is_multiple_of(kv_heads)
    {
        r.wrong("kv_heads", format!("is {kv_heads}; expected a divisor of heads = {heads}"));
        return None;
    }
    Some(TransformerSpec {
        kind: kind?,
        layers: layers?,
        hidden: hidden?,
        heads: heads?,
        kv_heads: kv_heads?,
        head_dim: head_dim?,
        ffn: ffn?,
        gated_mlp: gated_mlp?,
        vocab: vocab?,
        tied_embeddings: tied_embeddings?,
        position: position?,
        max_sequence: max_sequence?,
        rms_norm: rms_norm?,
        biases: biases?,
        experts,
        latent,
        window,
        patch,
        extra_parameters,
        extra_parameters_per_layer,
        target_share,
        target_stated: false,
    })
}

/// `experts = 8` with the keys that describe them; `Some(None)` when the layers have none.
#[expect(clippy::option_option, reason = "outside: readable or not; inside: there or not")]
fn read_experts(r: &Record<'_>, layers: u32) -> Option<Option<Experts>> {
    if !r.has("experts") {
        return Some(None);
    }
    let (routed, per_token, ffn) = (r.count("experts"), r.count("experts_per_token"), r.count("expert_ffn"));
    let shared = r.opt_integer("shared_experts").unwrap_or(0);
    let dense_layers = r.opt_integer("dense_layers_first").unwrap_or(0);
    let (routed, per_token) = (routed?, per_token?);
    if per_token > routed {
        r.wrong("experts_per_token", format!("is {per_token}; expected at most experts = {routed}"));
        return None;
    }
    if dense_layers >= layers {
        r.wrong("dense_layers_first", format!("is {dense_layers}; expected less than layers = {layers}"));
        return None;
    }
    Some(Some(Experts { routed, per_token, shared, ffn: ffn?, dense_layers }))
}

/// `kv_rank = 512` with the keys that describe latent attention.
#[expect(clippy::option_option, reason = "outside: readable or not; inside: there or not")]
fn read_latent(r: &Record<'_>) -> Option<Option<LatentAttention>> {
    if !r.has("kv_rank") {
        return Some(None);
    }
    let query_rank = if r.has("query_rank") { Some(r.count("query_rank")?) } else { None };
    let (kv_rank, plain_dim) = (r.count("kv_rank"), r.count("plain_dim"));
    let (rotary_dim, value_dim) = (r.count("rotary_dim"), r.count("value_dim"));
    Some(Some(LatentAttention {
        query_rank,
        kv_rank: kv_rank?,
        plain_dim: plain_dim?,
        rotary_dim: rotary_dim?,
        value_dim: value_dim?,
    }))
}

#[expect(clippy::option_option, reason = "outside: readable or not; inside: there or not")]
fn read_window(r: &Record<'_>) -> Option<Option<Window>> {
    if !r.has("sliding_window") {
        return Some(None);
    }
    let size = r.count("sliding_window");
    let layers = match (r.has("window_every"), r.has("full_every")) {
        (true, true) => {
            r.wrong("full_every", "excludes window_every; give the one that is true".to_owned());
            None
        }
        (false, true) => r.count("full_every").map(Windowed::AllButOneIn),
        (true, false) => r.count("window_every").map(Windowed::OneIn),
        (false, false) => Some(Windowed::OneIn(1)),
    };
    Some(Some(Window { size: size?, layers: layers? }))
}

fn read_transformer(r: &Record<'_>) -> Option<ModelSpec> {
    let (id, aliases, shape) = (r.text("id"), r.texts("aliases"), read_shape(r));
    let task = read_task(r);
    let published_parameters = r.opt_integer("published_parameters");
    let published_active_parameters = r.opt_integer("published_active_parameters");
    let published_tolerance = r.opt_float("published_tolerance").unwrap_or(0.0);
    let (provenance, notes) = (r.provenance(), r.opt_text("notes"));
    Some(ModelSpec::Transformer {
        id: id?,
        aliases,
        often_asked: r.opt_flag("often_asked").unwrap_or(false),
        family: String::new(),
        task,
        shape: shape?,
        published_parameters,
        published_active_parameters,
        published_tolerance,
        provenance: provenance?.0,
        notes,
    })
}

pub(super) fn read_datasets(document: &Document<'_>, index: usize, records: &mut Records) {
    let datasets = &mut records.datasets;
    document.read(
        &mut |_| {},
        &mut [("dataset", &mut |r| {
            if let Some(dataset) = read_dataset(r) {
                datasets.push(located(r, index, dataset));
            }
        })],
    );
}

/// `task = "detection"`, where it is stated.
pub(super) fn read_task(r: &Record<'_>) -> Option<Task> {
    let text = r.opt_text("task")?;
    one_of(r, "task", &text, &Task::ALL.map(|task| (task.name(), task)))
}

/// The value of a name.
fn one_of<T: Copy>(r: &Record<'_>, key: &str, text: &str, all: &[(&'static str, T)]) -> Option<T> {
    let found = all.iter().find(|(name, _)| *name == text);
    if found.is_none() {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        r.wrong(key, format!("is {text:?}; expected some of {}", names.join(", ")));
    }
    found.map(|&(_, value)| value)
}

/// `samples = ["images"]`: values by their names.
fn some_of<T: Copy>(r: &Record<'_>, key: &'static str, all: &[(&'static str, T)]) -> Vec<T> {
    r.texts(key).into_iter().filter_map(|text| one_of(r, key, &text, all)).collect()
}

fn read_dataset(r: &Record<'_>) -> Option<Dataset> {
    let (id, name, task) = (r.text("id"), r.text("name"), r.text("task"));
    let samples = some_of(r, "samples", &SampleKind::ALL.map(|kind| (kind.name(), kind)));
    let tasks = some_of(r, "tasks", &Task::ALL.map(|task| (task.name(), task)));
    let aliases = r.texts("aliases");
    let samples_train = r.opt_integer("samples_train");
    let samples_validation = r.opt_integer("samples_validation");
    let (bytes_total, bytes_per_sample) = (r.opt_quantity("bytes_total"), r.opt_quantity("bytes_per_sample"));
    let preparation_cpu = r.opt_quantity("preparation_cpu");
    let filled = r.opt_float("filled");
    if let Some(share) = filled.filter(|share| !(0.001..=1.0).contains(share)) {
        r.wrong("filled", format!("is {share}; expected a share from 0.001 to 1"));
    }
    let (sample_shape, epochs_typical) = (r.opt_text("sample_shape"), r.opt_text("epochs_typical"));
    let (provenance, notes) = (r.provenance(), r.opt_text("notes"));
    Some(Dataset {
        id: id?,
        aliases,
        name: name?,
        task: task?,
        samples,
        tasks,
        samples_train,
        samples_validation,
        bytes_total,
        bytes_per_sample,
        preparation_cpu,
        filled,
        sample_shape,
        epochs_typical,
        provenance: provenance?.0,
        notes,
    })
}
