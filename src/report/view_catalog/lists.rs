//! Lists of catalog records, one row each.

use super::{CatalogFilter, bandwidth, bytes, count, network, optional_text, rate};
use crate::catalog::{Catalog, ModelSpec, Precision, TransformerKind};
use crate::report::phrases::{column, section, simulation as say};
use crate::report::{Block, Cell, Column, Document, Language, Row, Table};
use crate::units::text;
use crate::workload::{convolutional, transformer};

fn document(table: Table, language: Language) -> Document {
    Document::new(vec![Block::heading(1, section::CATALOG.text(language)), table.into()])
}

/// GPU models.
pub fn gpus(catalog: &Catalog, filter: &CatalogFilter, language: Language) -> Document {
    let columns = vec![
        Column::left(column::GPU.text(language), "gpu"),
        Column::left(say::ARCHITECTURE.text(language), "architecture"),
        Column::right(column::MEMORY.text(language), "memory_bytes"),
        Column::right(column::MEMORY_USABLE.text(language), "memory_usable_bytes"),
        Column::right(say::BANDWIDTH.text(language), "memory_bandwidth_bytes_per_s"),
        Column::right(say::PEAK_32_BIT.text(language), "peak_fp32_flop_per_s"),
        Column::right(say::PEAK_16_BIT.text(language), "peak_16_bit_flop_per_s"),
        Column::left(column::PRECISION.text(language), "precisions"),
        Column::right(say::GPU_LINK.text(language), "link_bytes_per_s"),
        Column::right(say::YEAR.text(language), "launch_year"),
    ];
    let listed =
        catalog.gpus.iter().filter(|g| catalog.find_gpu(&g.id).is_some_and(|id| filter.keeps_gpu(id)));
    let rows = listed.map(|gpu| {
        let precisions: Vec<&str> = gpu.precisions().iter().map(|p| p.name()).collect();
        Row::new([
            Cell::text(&gpu.id),
            Cell::text(&gpu.architecture),
            bytes(Some(gpu.memory_nominal)),
            bytes(Some(gpu.memory_usable)),
            bandwidth(gpu.memory_bandwidth),
            rate(gpu.peak(Precision::Fp32)),
            rate(gpu.peak(Precision::Bf16).or_else(|| gpu.peak(Precision::Fp16))),
            Cell::text(precisions.join(" ")),
            bandwidth(gpu.link_per_direction),
            count(gpu.launch_year.map(u64::from)),
        ])
    });
    document(Table::new(columns, rows), language)
}

/// Instance types.
pub fn instances(catalog: &Catalog, filter: &CatalogFilter, language: Language) -> Document {
    let columns = vec![
        Column::left(column::INSTANCE_TYPE.text(language), "instance"),
        Column::right(column::GPUS.text(language), "gpus"),
        Column::left(column::GPU.text(language), "gpu"),
        Column::right(say::VCPUS.text(language), "vcpus"),
        Column::right(say::HOST_MEMORY.text(language), "host_memory_bytes"),
        Column::left(say::NODE_LINK.text(language), "node_link"),
        Column::left(column::NETWORK.text(language), "network_class"),
        Column::right(say::BANDWIDTH_OF_NETWORK.text(language), "network_bytes_per_s"),
        Column::left(column::STATUS.text(language), "status"),
    ];
    let listed =
        catalog.instances.iter().filter(|i| filter.keeps_gpu(i.gpu) && filter.keeps_provider(&i.provider));
    let rows = listed.map(|i| {
        Row::new([
            Cell::text(i.key()),
            Cell::count(u64::from(i.gpu_count)),
            Cell::text(&catalog.gpu(i.gpu).id),
            count(i.vcpus.map(u64::from)),
            bytes(i.memory),
            optional_text(i.node_link.as_deref()),
            optional_text(i.network.class.as_deref()),
            network(i.network.maximum.or(i.network.assured)),
            Cell::text(i.status.name()),
        ])
    });
    document(Table::new(columns, rows), language)
}

/// Price records.
pub fn prices(catalog: &Catalog, filter: &CatalogFilter, language: Language) -> Document {
    let columns = vec![
        Column::left(column::INSTANCE_TYPE.text(language), "instance"),
        Column::left(say::REGION.text(language), "region"),
        Column::left(column::PURCHASE.text(language), "purchase"),
        Column::right(column::PRICE_PER_NODE_HOUR.text(language), "price_per_node_hour"),
        Column::right(say::PER_MONTH.text(language), "price_per_node_month"),
        Column::left(say::CURRENCY.text(language), "currency"),
        Column::left(column::PRICE_DATE.text(language), "as_of"),
        Column::left(column::NOTE.text(language), "flaw"),
        Column::left(column::SOURCE.text(language), "source"),
    ];
    let listed = catalog.prices.iter().filter(|p| {
        let instance = catalog.instance(p.instance);
        filter.keeps_gpu(instance.gpu) && filter.keeps_provider(&instance.provider)
    });
    let amount = |m: Option<crate::units::Money>| {
        m.map_or_else(Cell::absent, |m| Cell::exact(m.amount.to_string(), m.amount.to_string()))
    };
    let rows = listed.map(|p| {
        let currency = p.per_hour.or(p.per_month).map(|m| m.currency.to_string());
        let flaw = if p.suspect.is_some() {
            Cell::id(say::SUSPECT.text(language), "suspect")
        } else if p.superseded {
            Cell::id(say::SUPERSEDED.text(language), "superseded")
        } else {
            Cell::absent()
        };
        Row::new([
            Cell::text(catalog.instance(p.instance).key()),
            optional_text(p.region.as_deref()),
            Cell::text(p.purchase.name()),
            amount(p.per_hour),
            amount(p.per_month),
            optional_text(currency.as_deref()),
            optional_text(p.provenance.as_of.map(|d| d.to_string()).as_deref()),
            flaw,
            Cell::text(&p.provenance.source),
        ])
    });
    document(Table::new(columns, rows), language)
}

/// Model zoo.
pub fn models(catalog: &Catalog, language: Language) -> Document {
    let columns = vec![
        Column::left(column::MODEL.text(language), "model"),
        Column::left(say::KIND.text(language), "kind"),
        Column::right(column::PARAMETERS.text(language), "parameters"),
        Column::right(say::LAYERS.text(language), "layers"),
        Column::right(say::HIDDEN.text(language), "hidden"),
        Column::right(say::HEADS.text(language), "heads"),
        Column::right(say::MAX_SEQUENCE.text(language), "max_sequence"),
    ];
    let rows = catalog.models.iter().map(|model| {
        // The figure that a job with this model shows: counted from its description.
        let parameters =
            |counted: Option<f64>| counted.map_or_else(Cell::absent, |n| Cell::number(text::count(n), n));
        match model {
            ModelSpec::Transformer { id, shape, .. } => Row::new([
                Cell::text(id),
                Cell::text(match shape.kind {
                    TransformerKind::Decoder => "decoder",
                    TransformerKind::Encoder => "encoder",
                    TransformerKind::EncoderDecoder => "encoder-decoder",
                    TransformerKind::Vision => "vision",
                }),
                parameters(Some(transformer(id, shape, shape.max_sequence).parameters)),
                Cell::count(u64::from(shape.layers)),
                Cell::count(u64::from(shape.hidden)),
                Cell::count(u64::from(shape.heads)),
                Cell::count(u64::from(shape.max_sequence)),
            ]),
            ModelSpec::Convolutional { id, recipe, .. } => {
                let counted = convolutional(id, recipe).ok().map(|w| w.parameters);
                Row::new([Cell::text(id), Cell::text(recipe.samples.name()), parameters(counted)])
            }
        }
    });
    document(Table::new(columns, rows), language)
}

/// Regions.
pub fn regions(catalog: &Catalog, filter: &CatalogFilter, language: Language) -> Document {
    let columns = vec![
        Column::left(column::PROVIDER.text(language), "provider"),
        Column::left(say::REGION.text(language), "region"),
        Column::left(say::CITY.text(language), "city"),
        Column::left(say::COUNTRY.text(language), "country"),
    ];
    let listed = catalog.regions.iter().filter(|r| filter.keeps_provider(&r.provider));
    let rows = listed.map(|r| Row::new([&r.provider, &r.id, &r.city, &r.country].map(Cell::text)));
    document(Table::new(columns, rows), language)
}

/// Training sets.
pub fn datasets(catalog: &Catalog, language: Language) -> Document {
    let columns = vec![
        Column::left(say::DATASET.text(language), "dataset"),
        Column::left(column::NOTE.text(language), "name"),
        Column::left(say::TASK.text(language), "task"),
        Column::right(column::SAMPLES.text(language), "samples_train"),
        Column::right(say::BYTES_PER_SAMPLE.text(language), "bytes_per_sample"),
    ];
    let rows = catalog.datasets.iter().map(|d| {
        let samples = d.samples_train;
        let bytes = d.bytes_per_sample.map(crate::units::Bytes::get);
        Row::new([
            Cell::text(&d.id),
            Cell::text(&d.name),
            Cell::text(&d.task),
            samples.map_or_else(Cell::absent, |n| Cell::number(text::count(n as f64), n as f64)),
            bytes.map_or_else(Cell::absent, |b| Cell::number(text::significant(b, 6), b)),
        ])
    });
    document(Table::new(columns, rows), language)
}

/// Published training schedules.
pub fn presets(catalog: &Catalog, language: Language) -> Document {
    let columns = vec![
        Column::left(say::PRESET.text(language), "preset"),
        Column::left(column::NOTE.text(language), "name"),
        Column::left(section::JOB.text(language), "job"),
    ];
    let rows = catalog.presets.iter().map(|p| {
        let job: Vec<String> = p.job.iter().map(|(key, text)| format!("{key} {text}")).collect();
        let own = p.name_zh.as_ref().filter(|_| language == Language::Chinese);
        Row::new([&p.id, own.unwrap_or(&p.name), &job.join(", ")].map(Cell::text))
    });
    document(Table::new(columns, rows), language)
}
