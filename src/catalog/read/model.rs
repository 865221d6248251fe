//! `models/*.toml` and `datasets.toml`.

use super::super::{Dataset, ModelSpec, TransformerSpec};
use super::network::read_convolutional;
use super::record::Record;
use super::{Document, Records, located};

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let mut found = vec![];
    let mut family = None;
    let models = std::cell::RefCell::new(&mut found);
    let add = |r: &Record<'_>, model: Option<ModelSpec>| {
        if let Some(model) = model {
            models.borrow_mut().push(located(r, index, model));
        }
    };
    document.read(
        &mut |top| family = top.text("family"),
        &mut [
            ("transformer", &mut |r| add(r, read_transformer(r))),
            ("convolutional", &mut |r| add(r, read_convolutional(r))),
        ],
    );
    let Some(name) = family else { return };
    for model in &mut found {
        match &mut model.value {
            ModelSpec::Transformer { family, .. } | ModelSpec::Convolutional { family, .. } => {
                family.clone_from(&name);
            }
        }
    }
    records.models.append(&mut found);
}

fn read_shape(r: &Record<'_>) -> Option<TransformerSpec> {
    let (kind, layers, hidden) = (r.choice("kind"), r.count("layers"), r.count("hidden"));
    let (heads, kv_heads, head_dim) = (r.count("heads"), r.count("kv_heads"), r.count("head_dim"));
    let (ffn, gated_mlp, vocab) = (r.count("ffn"), r.flag("gated_mlp"), r.count("vocab"));
    let (tied_embeddings, position) = (r.flag("tied_embeddings"), r.choice("position"));
    let (max_sequence, norm, biases) = (r.count("max_sequence"), r.text("norm"), r.flag("biases"));
    let rms_norm = norm.and_then(|n| match n.as_str() {
        "rms" => Some(true),
        "layer" => Some(false),
        _ => {
            r.wrong("norm", format!("is {n:?}; expected \"rms\" or \"layer\""));
            None
        }
    });
    let extra_parameters = r.opt_integer("extra_parameters").unwrap_or(0);
    let extra_parameters_per_layer = r.opt_integer("extra_parameters_per_layer").unwrap_or(0);
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
        extra_parameters,
        extra_parameters_per_layer,
    })
}

fn read_transformer(r: &Record<'_>) -> Option<ModelSpec> {
    let (id, shape) = (r.text("id"), read_shape(r));
    let published_parameters = r.opt_integer("published_parameters");
    let published_tolerance = r.opt_float("published_tolerance").unwrap_or(0.0);
    let (provenance, notes) = (r.provenance(), r.opt_text("notes"));
    Some(ModelSpec::Transformer {
        id: id?,
        family: String::new(),
        shape: shape?,
        published_parameters,
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

fn read_dataset(r: &Record<'_>) -> Option<Dataset> {
    let (id, name, task) = (r.text("id"), r.text("name"), r.text("task"));
    let samples_train = r.opt_integer("samples_train");
    let samples_validation = r.opt_integer("samples_validation");
    let (bytes_total, bytes_per_sample) = (r.opt_quantity("bytes_total"), r.opt_quantity("bytes_per_sample"));
    let preparation_cpu = r.opt_quantity("preparation_cpu");
    let (sample_shape, epochs_typical) = (r.opt_text("sample_shape"), r.opt_text("epochs_typical"));
    let (provenance, notes) = (r.provenance(), r.opt_text("notes"));
    Some(Dataset {
        id: id?,
        name: name?,
        task: task?,
        samples_train,
        samples_validation,
        bytes_total,
        bytes_per_sample,
        preparation_cpu,
        sample_shape,
        epochs_typical,
        provenance: provenance?.0,
        notes,
    })
}
