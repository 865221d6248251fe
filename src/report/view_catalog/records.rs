//! One record in full: every fact with its source and date.

use crate::catalog::{
    Capability, CapabilityKind, Catalog, Dataset, GpuId, GpuSpec, InstanceId, InstanceType, ModelSpec,
    Precision, Provenance, TransformerKind, TransformerSpec, Windowed,
};
use crate::report::phrases::{column, simulation as say};
use crate::report::{Block, Cell, Column, Document, Language, Row, Table};
use crate::units::text;

/// Key and value pairs; an absent value is left out.
#[derive(Default)]
struct Facts(Vec<(&'static str, String)>);

impl Facts {
    fn add(&mut self, key: &'static str, value: impl std::fmt::Display) -> &mut Self {
        self.0.push((key, value.to_string()));
        self
    }

    fn optional(&mut self, key: &'static str, value: Option<impl std::fmt::Display>) -> &mut Self {
        if let Some(value) = value {
            self.add(key, value);
        }
        self
    }

    fn provenance(&mut self, provenance: &Provenance, notes: Option<&String>) -> &mut Self {
        self.add("source", &provenance.source).optional("as_of", provenance.as_of).optional("notes", notes)
    }

    fn table(self, language: Language) -> Table {
        let columns = vec![
            Column::left(say::NAME.text(language), "key"),
            Column::left(say::VALUE.text(language), "value"),
        ];
        Table::new(
            columns,
            self.0.into_iter().map(|(key, value)| Row::new([Cell::text(key), Cell::text(value)])),
        )
    }
}

fn document(title: &str, facts: Facts, language: Language) -> Document {
    Document::new(vec![Block::heading(1, title), facts.table(language).into()])
}

/// A GPU.
pub fn gpu(catalog: &Catalog, id: GpuId, language: Language) -> Document {
    let gpu = catalog.gpu(id);
    let mut facts = Facts::default();
    facts
        .add("id", &gpu.id)
        .optional("group", gpu.group.as_ref())
        .add("vendor", &gpu.vendor)
        .add("architecture", &gpu.architecture)
        .optional("compute_capability", gpu.compute_capability.map(|(a, b)| format!("{a}.{b}")))
        .optional("multiprocessors", gpu.multiprocessors)
        .add("memory", text::memory(gpu.memory_nominal))
        .optional("memory_type", gpu.memory_type.as_ref())
        .add("memory_usable", text::memory(gpu.memory_usable))
        .optional("memory_bandwidth", gpu.memory_bandwidth.map(text::bandwidth));
    for precision in Precision::ALL {
        facts.optional(peak_key(precision), gpu.peak(precision).map(text::flop_rate));
    }
    links(&mut facts, gpu);
    let held_back = Some(gpu.matrix_unit_share).filter(|&share| share < 1.0);
    facts
        .optional("matrix_unit_share", held_back)
        .optional("tdp_w", gpu.tdp.map(|w| text::significant(w.get(), 4)))
        .optional("launch_year", gpu.launch_year)
        .add("flash_attention", gpu.flash_attention)
        .add("confidence", confidence(gpu.confidence))
        .provenance(&gpu.provenance, gpu.notes.as_ref());
    let mut document = document(&gpu.name, facts, language);
    document.push(capabilities(catalog, gpu, language));
    let sold: Vec<String> = catalog.instances.iter().filter(|i| i.gpu == id).map(InstanceType::key).collect();
    document.push(Block::list(sold));
    document
}

/// What the part can do of what not every part can, and what takes its place where it cannot.
fn capabilities(catalog: &Catalog, gpu: &GpuSpec, language: Language) -> Table {
    let columns = vec![
        Column::left(say::CAPABILITY.text(language), "capability"),
        Column::left(say::SUPPORTED.text(language), "supported"),
        Column::left(say::NEEDS.text(language), "needs"),
        Column::left(say::INSTEAD.text(language), "instead"),
        Column::left(column::SOURCE.text(language), "source"),
    ];
    let number = |(major, minor): (u8, u8)| format!("{major}.{minor}");
    let row = |capability: &Capability| {
        let has = gpu.has(capability.kind);
        let supported = match (has, capability.kind, gpu.mig_instances) {
            (true, CapabilityKind::Mig, Some(slices)) => say::SLICES.fill(language, &[&slices.to_string()]),
            (true, ..) => say::YES.text(language).to_owned(),
            (false, ..) => say::NO.text(language).to_owned(),
        };
        let from = say::COMPUTE_CAPABILITY.fill(language, &[&number(capability.from)]);
        let needs = match capability.below {
            Some(below) => say::BELOW.fill(language, &[&from, &number(below)]),
            None => from,
        };
        let instead = capability.instead.as_deref().filter(|_| !has).unwrap_or_default();
        Row::new([
            Cell::text(&capability.name),
            Cell::text(supported),
            Cell::text(needs),
            Cell::text(instead),
            Cell::text(&capability.provenance.source),
        ])
    };
    Table::new(columns, catalog.capabilities.iter().map(row))
}

fn links(facts: &mut Facts, gpu: &GpuSpec) {
    facts
        .optional("link", gpu.link_name.as_ref())
        .optional("link_per_direction", gpu.link_per_direction.map(text::bandwidth))
        .add("default_node_link", &gpu.default_node_link)
        .optional("pcie", gpu.pcie.map(|(generation, lanes)| format!("{generation} x{lanes}")));
}

const fn peak_key(precision: Precision) -> &'static str {
    match precision {
        Precision::Fp32 => "peak_fp32_dense",
        Precision::Tf32 => "peak_tf32_dense",
        Precision::Fp16 => "peak_fp16_dense",
        Precision::Bf16 => "peak_bf16_dense",
        Precision::Fp8 => "peak_fp8_dense",
    }
}

const fn confidence(confidence: crate::catalog::Confidence) -> &'static str {
    match confidence {
        crate::catalog::Confidence::High => "high",
        crate::catalog::Confidence::Medium => "medium",
        crate::catalog::Confidence::Low => "low",
    }
}

/// An instance type with its prices.
pub fn instance(catalog: &Catalog, id: InstanceId, language: Language) -> Document {
    let instance = catalog.instance(id);
    let network = &instance.network;
    let mut facts = Facts::default();
    facts
        .add("provider", &instance.provider)
        .add("service", &instance.service)
        .add("family", &instance.family)
        .add("name", &instance.name)
        .add("gpu", &catalog.gpu(instance.gpu).id)
        .add("gpu_count", instance.gpu_count)
        .optional("vcpus", instance.vcpus)
        .optional("memory", instance.memory.map(text::memory))
        .optional("node_link", instance.node_link.as_ref())
        .optional("network_class", network.class.as_ref())
        .optional("network_maximum", network.maximum.map(text::network_bandwidth))
        .optional("network_assured", network.assured.map(text::network_bandwidth))
        .optional("local_nvme", instance.local_nvme.as_ref())
        .add("status", instance.status.name())
        .optional("status_note", instance.status_note.as_ref())
        .add("confidence", confidence(instance.confidence))
        .provenance(&instance.provenance, instance.notes.as_ref());
    let mut document = document(&instance.key(), facts, language);
    for regional in &instance.regional {
        let place = catalog.place(&instance.provider, Some(&regional.region));
        let note = regional.note.as_deref().unwrap_or_default();
        document.push(Block::list([format!("{place}: {} {note}", regional.status.name())]));
    }
    let filter =
        super::CatalogFilter { gpus: vec![instance.gpu], providers: vec![instance.provider.clone()] };
    let prices = super::prices(catalog, &filter, language);
    for table in prices.tables() {
        let mut own = table.clone();
        own.rows.retain(|row| row.cells.first().is_some_and(|c| c.text == instance.key()));
        if !own.rows.is_empty() {
            document.push(own);
        }
    }
    document
}

/// A model of the zoo.
pub fn model(model: &ModelSpec, language: Language) -> Document {
    let mut facts = Facts::default();
    let aliases = model.aliases();
    facts.add("id", model.id()).add("family", model.family());
    facts.optional("aliases", (!aliases.is_empty()).then(|| aliases.join(", ")));
    match model {
        ModelSpec::Transformer {
            shape,
            published_parameters,
            published_active_parameters,
            provenance,
            notes,
            ..
        } => {
            transformer(&mut facts, shape);
            facts.optional("published_parameters", *published_parameters);
            facts.optional("published_active_parameters", *published_active_parameters);
            facts.provenance(provenance, notes.as_ref());
        }
        ModelSpec::Convolutional {
            recipe, published_parameters, published_macs, provenance, notes, ..
        } => {
            let sizes = recipe.input[3 - usize::from(recipe.dimensions.min(3))..].iter().map(u32::to_string);
            facts.add("kind", "network over samples").add("samples", recipe.samples.name());
            facts.add("channels", recipe.channels);
            facts.add("input", sizes.collect::<Vec<_>>().join(" x "));
            for layer in &recipe.layers {
                facts.add("layer", layer);
            }
            facts
                .optional("published_parameters", *published_parameters)
                .optional("published_macs", published_macs.map(|m| format!("{m:.3e}")))
                .provenance(provenance, notes.as_ref());
        }
    }
    document(model.id(), facts, language)
}

const fn kind_name(kind: TransformerKind) -> &'static str {
    match kind {
        TransformerKind::Decoder => "decoder",
        TransformerKind::Encoder => "encoder",
        TransformerKind::EncoderDecoder => "encoder-decoder",
        TransformerKind::Vision => "vision",
    }
}

fn transformer(facts: &mut Facts, shape: &TransformerSpec) {
    facts
        .add("kind", kind_name(shape.kind))
        .add("layers", shape.layers)
        .add("hidden", shape.hidden)
        .add("heads", shape.heads)
        .add("kv_heads", shape.kv_heads)
        .add("head_dim", shape.head_dim)
        .add("ffn", shape.ffn)
        .add("gated_mlp", shape.gated_mlp)
        .add("vocab", shape.vocab)
        .add("tied_embeddings", shape.tied_embeddings)
        .add("position", format!("{:?}", shape.position).to_lowercase())
        .add("max_sequence", shape.max_sequence);
    if let Some(experts) = shape.experts {
        facts
            .add("experts", experts.routed)
            .add("experts_per_token", experts.per_token)
            .add("shared_experts", experts.shared)
            .add("expert_ffn", experts.ffn)
            .add("dense_layers_first", experts.dense_layers);
    }
    if let Some(latent) = shape.latent {
        facts
            .optional("query_rank", latent.query_rank)
            .add("kv_rank", latent.kv_rank)
            .add("plain_dim", latent.plain_dim)
            .add("rotary_dim", latent.rotary_dim)
            .add("value_dim", latent.value_dim);
    }
    if let Some(window) = shape.window {
        facts.add("sliding_window", window.size);
        match window.layers {
            Windowed::OneIn(every) => facts.add("window_every", every),
            Windowed::AllButOneIn(every) => facts.add("full_every", every),
        };
    }
    facts.optional("patch", shape.patch);
}

/// A training set.
pub fn dataset(dataset: &Dataset, language: Language) -> Document {
    let mut facts = Facts::default();
    facts
        .add("id", &dataset.id)
        .add("name", &dataset.name)
        .add("task", &dataset.task)
        .optional("samples_train", dataset.samples_train)
        .optional("samples_validation", dataset.samples_validation)
        .optional("bytes_total", dataset.bytes_total.map(text::memory))
        .optional("bytes_per_sample", dataset.bytes_per_sample.map(|b| text::significant(b.get(), 6)))
        .optional("preparation_cpu_ms", dataset.preparation_cpu.map(|s| text::significant(s.get() * 1e3, 3)))
        .optional("filled", dataset.filled.map(|share| text::significant(share, 3)))
        .optional("sample_shape", dataset.sample_shape.as_ref())
        .optional("epochs_typical", dataset.epochs_typical.as_ref())
        .provenance(&dataset.provenance, dataset.notes.as_ref());
    document(&dataset.id, facts, language)
}
