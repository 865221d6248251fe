//! The network of a measured run: from its stated shape, else from the zoo.

use super::run::Run;
use super::skip::{Skip, SkipReason};
use super::training_length::stated_set;
use crate::catalog::{
    Catalog, ConvolutionalSpec, MASKED_SPANS, ModelSpec, OptimizerSpec, OptimizerUse, Position,
    TransformerKind, TransformerSpec,
};
use crate::workload::job::Assumption;
use crate::workload::{
    Block, Operator, Partition, Workload, convolutional, transformer, transformer_parameters,
};

/// Vocabularies are padded to multiples of large powers of two; beyond this they are others.
const PADDED_VOCABULARY: f64 = 0.03;
/// Parameter counts in sources are rounded.
const ROUNDED_PARAMETERS: f64 = 0.02;
/// Beyond this a shape of the zoo is another network.
const OTHER_NETWORK: f64 = 0.06;
/// Name of the assumption that part of a network's description is one.
pub(super) const GUESSED: &str = "network description";
/// How remarks of runs say that no padding is computed.
const PADDING_SKIPPED: &str = "padding is skipped";
/// How sources write the length of a sequence.
const SEQUENCE: &str = "seq ";
/// Longest sequence of encoders with learned positions.
const ENCODER_SEQUENCE: u32 = 512;

/// The network with its usual optimizer and what was assumed about them.
#[derive(Debug)]
pub(super) struct Network<'c> {
    pub workload: Workload,
    pub optimizer: &'c OptimizerSpec,
    pub assumed: Vec<Assumption>,
}

/// Builds the workload of a run.
pub(super) fn network<'c>(run: &Run, stack: &str, catalog: &'c Catalog) -> Result<Network<'c>, Skip> {
    let mut assumed = Vec::new();
    let stated = run.layers.is_some() && run.hidden.is_some() && run.heads.is_some();
    let named = if stated { None } else { named(run, catalog) };
    let named = named.map(|usual| catalog.implementation(usual, stack, run.precision));
    match named {
        Some(ModelSpec::Convolutional { id, recipe, .. }) => {
            let recipe = at_input(run, recipe, &mut assumed)?;
            let workload = convolutional(id, &recipe)
                .map_err(|error| Skip::new(SkipReason::UnknownModel, error.to_string()))?;
            if let Some(what) = &recipe.assumed {
                assume(&mut assumed, GUESSED, what, "no source describes this part of the network");
            }
            let optimizer = optimizer(recipe.usual_optimizer(), catalog)?;
            assume(&mut assumed, "optimizer", &optimizer.id, "usual for this class of network");
            Ok(Network { workload, optimizer, assumed })
        }
        Some(ModelSpec::Transformer { shape, .. }) => of_shape(run, shape.clone(), catalog, assumed),
        None if stated => {
            let shape = shape(run, catalog, &mut assumed)?;
            of_shape(run, shape, catalog, assumed)
        }
        None => Err(Skip::new(SkipReason::UnknownModel, &run.model)),
    }
}

fn assume(list: &mut Vec<Assumption>, name: &str, value: impl Into<String>, reason: &str) {
    list.push(Assumption { name: name.to_owned(), value: value.into(), reason: reason.to_owned() });
}

/// The model of the zoo with this id, written with or without hyphens, or the shortest id that continues it.
fn named<'c>(run: &Run, catalog: &'c Catalog) -> Option<&'c ModelSpec> {
    let plain = |id: &str| id.replace('-', "");
    let wanted = plain(&run.model);
    let exact = catalog.models.iter().find(|m| plain(m.id()) == wanted);
    let exact = exact.or_else(|| catalog.models.iter().find(|m| m.is_named(&run.model)));
    let prefix = format!("{}-", run.model);
    exact.or_else(|| {
        catalog.models.iter().filter(|m| m.id().starts_with(&prefix)).min_by_key(|m| (m.id().len(), m.id()))
    })
}

/// The network at the input that the row states: sizes, then perhaps channels.
fn at_input(
    run: &Run,
    recipe: &ConvolutionalSpec,
    assumed: &mut Vec<Assumption>,
) -> Result<ConvolutionalSpec, Skip> {
    let own = usize::from(recipe.dimensions);
    let sizes: Option<Vec<u32>> = run
        .input_size
        .as_ref()
        .map(|text| text.strip_prefix(SEQUENCE).unwrap_or(text))
        .and_then(|text| text.split('x').map(|side| side.trim().parse().ok()).collect());
    let mut spec = recipe.clone();
    match sizes {
        Some(sizes) if sizes.len() == own || sizes.len() == own + 1 => {
            let from = spec.input.len() - own;
            spec.input[from..].copy_from_slice(&sizes[..own]);
            if let Some(&channels) = sizes.get(own) {
                spec.channels = channels;
            }
        }
        Some(_) => {
            let text = run.input_size.as_deref().unwrap_or_default();
            let message = format!("input {text} for a network of {own} sides");
            return Err(Skip::new(SkipReason::IncompleteShape, message));
        }
        None => assume(assumed, "input", "that of the zoo", "not stated as one size"),
    }
    Ok(spec)
}

fn sequence_length(run: &Run) -> Option<u32> {
    let from_input = || run.input_size.as_ref()?.strip_prefix(SEQUENCE)?.trim().parse().ok();
    run.sequence_length.or_else(from_input)
}

fn optimizer(what: OptimizerUse, catalog: &Catalog) -> Result<&OptimizerSpec, Skip> {
    let missing =
        || Skip::new(SkipReason::IncompleteShape, format!("the catalog has no optimizer for {what:?}"));
    catalog.usual_optimizer(what).ok_or_else(missing)
}

fn of_shape<'c>(
    run: &Run,
    mut shape: TransformerSpec,
    catalog: &'c Catalog,
    mut assumed: Vec<Assumption>,
) -> Result<Network<'c>, Skip> {
    let Some(sequence) = sequence_length(run) else {
        return Err(Skip::new(SkipReason::IncompleteShape, "sequence length not stated"));
    };
    shape.max_sequence = shape.max_sequence.max(sequence);
    let computed = computed_positions(run, sequence, catalog, &mut assumed);
    let mut workload = transformer(&run.model, &shape, computed);
    let notes = run.notes.to_lowercase();
    let fine_tuning = notes.contains("fine-tun") || notes.contains("squad");
    let encoder = shape.kind == TransformerKind::Encoder;
    if encoder && fine_tuning {
        workload.head = span_head(&workload, f64::from(shape.hidden));
        assume(&mut assumed, "head", "two outputs per token", "fine-tuning has no language-model head");
    }
    let pre_training = encoder && !fine_tuning;
    let usual = if pre_training { OptimizerUse::EncoderPreTraining } else { OptimizerUse::Transformer };
    let optimizer = optimizer(usual, catalog)?;
    assume(&mut assumed, "optimizer", &optimizer.id, "usual for this class of network");
    Ok(Network { workload, optimizer, assumed })
}

/// The positions of a sample that a row computes: those that hold tokens, where its remarks say that the others are
/// skipped and the catalog knows how far its set fills them; else all.
fn computed_positions(run: &Run, sequence: u32, catalog: &Catalog, assumed: &mut Vec<Assumption>) -> u32 {
    let set = if run.notes.contains(PADDING_SKIPPED) { stated_set(run, catalog) } else { None };
    let Some(filled) = set.and_then(|set| set.filled) else { return sequence };
    let computed = (f64::from(sequence) * filled).round() as u32;
    assume(
        assumed,
        "positions",
        format!("{computed} of {sequence}"),
        "padding is skipped; the mean fill of the set",
    );
    computed
}

/// Start and end of an answer: two outputs per token.
fn span_head(workload: &Workload, hidden: f64) -> Block {
    Block {
        repeat: 1,
        operators: vec![Operator::MatrixProduct {
            name: "span head",
            inputs: hidden,
            outputs: 2.0,
            partition: Partition::Replicated,
        }],
        parameters: 2.0 * hidden,
        input_elements: workload.head.input_elements,
        ..Block::empty("head")
    }
}

/// A candidate's distance from what the row states; less is nearer.
fn distance(run: &Run, shape: &TransformerSpec) -> f64 {
    run.parameters.map_or(0.0, |stated| (transformer_parameters(shape) as f64 / stated - 1.0).abs())
}

fn vocabulary_distance(run: &Run, vocab: u32) -> f64 {
    run.vocab.map_or(0.0, |stated| (f64::from(vocab) / f64::from(stated)).ln().abs())
}

/// The shape of the zoo that agrees with every stated size, else one whose parameter count is nearest.
fn shape(run: &Run, catalog: &Catalog, assumed: &mut Vec<Assumption>) -> Result<TransformerSpec, Skip> {
    let mut best: Option<((f64, f64, u8), &str, TransformerSpec)> = None;
    for model in &catalog.models {
        let ModelSpec::Transformer { id, shape, .. } = model else { continue };
        let language = matches!(shape.kind, TransformerKind::Decoder | TransformerKind::Encoder);
        if !language || !agrees(run, shape) {
            continue;
        }
        let own = fitted_to(run, shape);
        let (parameters, vocab) = (distance(run, &own), vocabulary_distance(run, shape.vocab));
        if parameters > OTHER_NETWORK {
            continue;
        }
        // Rounded counts do not tell two networks apart.
        let parameters = if parameters < ROUNDED_PARAMETERS { 0.0 } else { parameters };
        // Four times the hidden size is the width of a plain MLP; gated ones are narrower, with few exceptions.
        let plain_width = run.ffn.is_some_and(|width| width == shape.hidden.saturating_mul(4));
        let other_kind = u8::from(plain_width && shape.gated_mlp);
        let order = (parameters, vocab, other_kind);
        if best.as_ref().is_none_or(|b| order < b.0) {
            best = Some((order, id, own));
        }
    }
    if let Some((_, id, shape)) = best {
        let reason = "the zoo has a network of this shape";
        assume(assumed, "network details", format!("as {id}"), reason);
        return Ok(shape);
    }
    inferred(run, catalog, assumed)
}

/// True when layers, width, MLP, key-value heads and (padded) vocabulary are those of the row, where stated.
fn agrees(run: &Run, shape: &TransformerSpec) -> bool {
    let same = |stated: Option<u32>, own: u32| stated.is_none_or(|s| s == own);
    same(run.layers, shape.layers)
        && same(run.hidden, shape.hidden)
        && same(run.ffn, shape.ffn)
        && (same(run.kv_heads, shape.kv_heads) || run.kv_heads == run.heads && shape.kv_heads == shape.heads)
        && vocabulary_distance(run, shape.vocab) <= PADDED_VOCABULARY
}

/// The zoo's shape with the row's own vocabulary and heads.
fn fitted_to(run: &Run, shape: &TransformerSpec) -> TransformerSpec {
    let mut own = shape.clone();
    own.vocab = run.vocab.unwrap_or(own.vocab);
    if let (Some(heads), Some(hidden)) = (run.heads, run.hidden)
        && heads != own.heads
    {
        own.heads = heads;
        own.kv_heads = run.kv_heads.unwrap_or(heads);
        own.head_dim = hidden / heads.max(1);
    }
    own
}

/// Plain or gated MLP, tied or not: whichever counts nearest to the stated parameters.
fn inferred(run: &Run, catalog: &Catalog, assumed: &mut Vec<Assumption>) -> Result<TransformerSpec, Skip> {
    let missing = |what: &str| Skip::new(SkipReason::IncompleteShape, format!("{what} not stated"));
    let layers = run.layers.ok_or_else(|| missing("layers"))?;
    let hidden = run.hidden.ok_or_else(|| missing("hidden size"))?;
    let heads = run.heads.ok_or_else(|| missing("heads"))?;
    let vocab = run.vocab.ok_or_else(|| missing("vocabulary"))?;
    let sequence = sequence_length(run).ok_or_else(|| missing("sequence length"))?;
    let plain_width = hidden.saturating_mul(4);
    let plain = TransformerSpec {
        kind: kind(run, catalog, sequence),
        layers,
        hidden,
        heads,
        kv_heads: run.kv_heads.unwrap_or(heads),
        head_dim: hidden / heads,
        ffn: run.ffn.unwrap_or(plain_width),
        gated_mlp: false,
        vocab,
        tied_embeddings: true,
        position: Position::Learned,
        max_sequence: sequence,
        rms_norm: false,
        biases: true,
        experts: None,
        latent: None,
        window: None,
        patch: None,
        extra_parameters: 0,
        extra_parameters_per_layer: 0,
        target_share: MASKED_SPANS,
        target_stated: false,
    };
    let gated = TransformerSpec {
        gated_mlp: true,
        position: Position::Rotary,
        rms_norm: true,
        biases: false,
        tied_embeddings: false,
        ..plain.clone()
    };
    let later = plain.kv_heads < heads || plain.ffn != plain_width;
    let untied = TransformerSpec { tied_embeddings: false, ..plain.clone() };
    let tied_gated = TransformerSpec { tied_embeddings: true, ..gated.clone() };
    let candidates =
        if later { [gated, tied_gated, plain, untied] } else { [plain, untied, gated, tied_gated] };
    let near = candidates.iter().find(|c| distance(run, c) < ROUNDED_PARAMETERS);
    let nearest = || candidates.iter().min_by(|a, b| distance(run, a).total_cmp(&distance(run, b)));
    let chosen = near.or_else(nearest).ok_or_else(|| missing("shape"))?.clone();
    let mlp = if chosen.gated_mlp { "gated MLP, rotary positions" } else { "plain MLP, learned positions" };
    let head = if chosen.tied_embeddings { "tied" } else { "its own" };
    let reason =
        if run.parameters.is_some() { "nearest to the stated parameters" } else { "usual for this width" };
    assume(assumed, "network details", format!("{mlp}, head table {head}"), reason);
    Ok(chosen)
}

/// An encoder has the vocabulary of one in the zoo, nearer than that of any decoder, and short sequences.
fn kind(run: &Run, catalog: &Catalog, sequence: u32) -> TransformerKind {
    let nearest = |wanted: TransformerKind| {
        let shapes = catalog.models.iter().filter_map(|m| match m {
            ModelSpec::Transformer { shape, .. } if shape.kind == wanted => Some(shape.vocab),
            _ => None,
        });
        shapes.map(|vocab| vocabulary_distance(run, vocab)).fold(f64::INFINITY, f64::min)
    };
    let encoder = nearest(TransformerKind::Encoder);
    let alike = encoder <= PADDED_VOCABULARY && encoder < nearest(TransformerKind::Decoder);
    if alike && sequence <= ENCODER_SEQUENCE { TransformerKind::Encoder } else { TransformerKind::Decoder }
}
