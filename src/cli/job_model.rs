//! The model of a job: a zoo id, a description of the user's own, a Hugging Face configuration, an ONNX file, or a bare
//! size.

use std::path::Path;

use super::error::CliError;
use super::job_file::{GivenJob, read_bytes, read_text};
use super::problems::{Given, Origin, Problems};
use crate::catalog::load::parse_sources;
use crate::catalog::{
    Catalog, ConvolutionalSpec, Dataset, Finding, ModelSpec, NameKind, Precision, SampleKind, Task,
    TransformerKind, TransformerSpec,
};
use crate::units::parse::parse_count;
use crate::workload::job::Assumption;
use crate::workload::{Workload, WorkloadError, WorkloadKind, convolutional, from_hugging_face, from_onnx};
use crate::workload::{standard_decoder, transformer};

/// Smallest and largest size that is believed.
const SIZES: std::ops::RangeInclusive<f64> = 1e6..=1e14;

/// A model before its sequence length is known.
#[derive(Debug, Clone)]
pub struct Model {
    name: String,
    shape: Shape,
    /// What was assumed about it.
    pub assumed: Vec<Assumption>,
    /// It is a standard decoder of a bare size.
    pub is_standard: bool,
    /// Why its details are as they are.
    pub details: &'static str,
    /// Found in the catalog by its name.
    of_zoo: bool,
    /// What it is trained to do, where that is stated.
    task: Option<Task>,
}

/// Of models that are described by a few numbers.
const USUAL: &str = "how such models are usually built";

#[derive(Debug, Clone)]
enum Shape {
    Transformer(TransformerSpec),
    Convolutional(ConvolutionalSpec),
    /// Read from a file as it is.
    Graph(Box<Workload>),
}

impl Model {
    /// A record of a catalog.
    fn described(spec: &ModelSpec) -> Self {
        let shape = match spec {
            ModelSpec::Transformer { shape, .. } => Shape::Transformer(shape.clone()),
            ModelSpec::Convolutional { recipe, .. } => Shape::Convolutional(recipe.clone()),
        };
        Self {
            name: spec.id().to_owned(),
            shape,
            assumed: Vec::new(),
            is_standard: false,
            details: USUAL,
            of_zoo: false,
            task: spec.task(),
        }
    }

    /// The model as a stack builds it in a stated precision, where the catalog knows that this is another way than the usual one.
    pub fn built_by(&mut self, stack: &str, precision: Option<Precision>, catalog: &Catalog) {
        let usual = catalog.models.iter().find(|m| self.of_zoo && m.id() == self.name);
        let Some(usual) = usual else { return };
        let own = catalog.implementation(usual, stack, precision);
        if own.id() != usual.id() {
            *self = Self { assumed: std::mem::take(&mut self.assumed), ..Self::described(own) };
            self.assumed.push(Assumption {
                name: "implementation".to_owned(),
                value: own.id().to_owned(),
                reason: "what this software builds of the network".to_owned(),
            });
        }
    }

    /// Kind of sample.
    pub const fn kind(&self) -> WorkloadKind {
        match &self.shape {
            Shape::Transformer(shape) => match shape.kind {
                TransformerKind::Decoder => WorkloadKind::Decoder,
                TransformerKind::Encoder => WorkloadKind::Encoder,
                TransformerKind::EncoderDecoder => WorkloadKind::EncoderDecoder,
                TransformerKind::Vision => WorkloadKind::Vision,
            },
            Shape::Convolutional(_) | Shape::Graph(_) => WorkloadKind::Convolutional,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a sample is.
    pub const fn samples(&self) -> SampleKind {
        match &self.shape {
            Shape::Transformer(TransformerSpec { kind: TransformerKind::Vision, .. }) => SampleKind::Images,
            Shape::Transformer(_) => SampleKind::Sequences,
            Shape::Convolutional(recipe) => recipe.samples,
            Shape::Graph(workload) => workload.samples,
        }
    }

    /// What it is trained to do, where that is stated.
    pub const fn task(&self) -> Option<Task> {
        self.task
    }

    /// Whether it trains on a set: on its samples and, of samples that it takes, on its labels.
    pub fn takes(&self, set: &Dataset) -> bool {
        self.takes_samples(set) && set.serves(self.task)
    }

    /// Whether it trains on the samples of a set; of a decoder, sound is no text.
    pub fn takes_samples(&self, set: &Dataset) -> bool {
        let own = self.samples();
        let sound = self.kind() != WorkloadKind::Decoder;
        let takes = |&offered: &SampleKind| own.takes(offered) && (sound || offered != SampleKind::Audio);
        set.samples.is_empty() || matches!(self.shape, Shape::Graph(_)) || set.samples.iter().any(takes)
    }

    /// True for networks over samples with attention in them.
    pub fn has_attention(&self) -> bool {
        matches!(&self.shape, Shape::Convolutional(recipe) if recipe.has_attention())
    }

    /// Pixels or voxels of one sample, for networks over images or volumes.
    pub fn places(&self) -> Option<f64> {
        match &self.shape {
            Shape::Convolutional(network) if network.dimensions > 1 => {
                Some(network.input.iter().map(|&side| f64::from(side)).product())
            }
            _ => None,
        }
    }

    /// A network over single records, without space or sequence.
    pub fn is_of_single_records(&self) -> bool {
        matches!(&self.shape, Shape::Convolutional(n) if n.dimensions == 1 && n.input.iter().all(|&side| side == 1))
    }

    /// Longest sequence it was built for, for transformers.
    pub const fn max_sequence(&self) -> Option<u32> {
        match &self.shape {
            Shape::Transformer(shape) => Some(shape.max_sequence),
            Shape::Convolutional(_) | Shape::Graph(_) => None,
        }
    }

    /// Sets the target tokens for each source token; false for what is no encoder-decoder.
    pub fn set_target_share(&mut self, share: f64) -> bool {
        match &mut self.shape {
            Shape::Transformer(shape) if shape.kind == TransformerKind::EncoderDecoder => {
                shape.target_share = share;
                shape.target_stated = true;
                true
            }
            _ => false,
        }
    }

    /// The operators at a sequence length, which convolutional networks ignore.
    ///
    /// # Errors
    /// When a layer recipe does not fit together.
    pub fn workload(&self, sequence_length: u32) -> Result<Workload, WorkloadError> {
        match &self.shape {
            Shape::Transformer(shape) => Ok(transformer(&self.name, shape, sequence_length)),
            Shape::Convolutional(recipe) => convolutional(&self.name, recipe),
            Shape::Graph(workload) => Ok(Workload::clone(workload)),
        }
    }
}

/// Hubs keep each model's configuration under this name in a folder of the model's.
const HUB_CONFIG: &str = "config.json";

/// Finds the model that was asked for; `None` after a problem.
///
/// # Errors
/// When a configuration cannot be read for reasons outside the input.
pub fn model(
    given: &GivenJob,
    catalog: &Catalog,
    problems: &mut Problems,
) -> Result<Option<Model>, CliError> {
    match (given.get("model"), given.get("params")) {
        (Some(name), None) if has_ending(&name.text, "toml") => from_description(name, problems),
        (Some(name), None) if has_ending(&name.text, "onnx") => from_graph(name, problems),
        (Some(name), None) if is_path(&name.text) => from_config(name, problems),
        (Some(name), None) => Ok(from_zoo(name, catalog, problems)),
        (None, Some(size)) => Ok(from_size(size, problems)),
        (Some(_), Some(size)) => {
            problems.value(size, "excludes the model; give one of model and params");
            Ok(None)
        }
        (None, None) if given.is_unread("model") || given.is_unread("params") => Ok(None),
        (None, None) => {
            problems.usage(
                "no model: add --model NAME (see `catalog list models`), --model with a file (config.json, network.toml, \
                 network.onnx), or --params 7B for a standard decoder of that size",
            );
            Ok(None)
        }
    }
}

/// True for a file, or a folder with one; `owner/name` of a hub is none unless it lies here.
fn is_path(name: &str) -> bool {
    let name = name.trim();
    if has_ending(name, "json") || Path::new(name).join(HUB_CONFIG).is_file() {
        return true;
    }
    let is_hub_name = name.matches('/').count() == 1 && !name.starts_with(['/', '.']);
    name.contains(['/', '\\']) && !is_hub_name
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name.trim()).extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

fn from_zoo(given: &Given, catalog: &Catalog, problems: &mut Problems) -> Option<Model> {
    let name = given.text.trim();
    let Some(found) = catalog.find_model(name) else {
        let near = catalog.near_names(NameKind::Model, name);
        let near = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
        let file = if name.contains('/') { ", and no file here has this name" } else { "" };
        problems.value(
            given,
            format!(
                "unknown model {name:?}{file}{near}; `catalog list models` lists all, and the config.json of a language \
                 model, a network.toml or an .onnx file is taken, too"
            ),
        );
        return None;
    };
    Some(Model { of_zoo: true, ..Model::described(found) })
}

/// A file with one record of the catalog's format.
fn from_description(given: &Given, problems: &mut Problems) -> Result<Option<Model>, CliError> {
    let path = Path::new(given.text.trim());
    let Some(text) = text_of(path, given, problems)? else { return Ok(None) };
    let shown = path.display().to_string();
    // What a catalog needs to know of its records is no matter of a file of one's own.
    let lacks = |word: &str| !text.lines().any(|line| line.trim_start().starts_with(word));
    let before = if lacks("family") { "family = \"own\"\n" } else { "" };
    let after =
        if lacks("[defaults]") { "\n[defaults]\nsource = \"user\"\nas_of = \"unknown\"\n" } else { "" };
    match parse_sources(&[(format!("models/{shown}"), format!("{before}{text}{after}"))]) {
        Ok(catalog) => match catalog.models.as_slice() {
            [one] => Ok(Some(Model::described(one))),
            several => {
                let message = format!(
                    "describes {} models; expected one [[convolutional]] or [[transformer]]",
                    several.len()
                );
                problems.finding(Finding { file: shown, line: None, key: String::new(), message });
                Ok(None)
            }
        },
        Err(findings) => {
            for finding in findings {
                let line = finding.line.map(|line| line.saturating_sub(before.lines().count()).max(1));
                problems.finding(Finding { file: shown.clone(), line, ..finding });
            }
            Ok(None)
        }
    }
}

/// Files of the exchange format are at most so large: what their encoding allows.
const LARGEST_GRAPH: u64 = 1 << 31;

/// A network as its graph.
fn from_graph(given: &Given, problems: &mut Problems) -> Result<Option<Model>, CliError> {
    let path = Path::new(given.text.trim());
    let Some(bytes) = content(read_bytes(path, LARGEST_GRAPH), given, problems)? else { return Ok(None) };
    let shown = path.display().to_string();
    let name = path.file_stem().map_or_else(|| shown.clone(), |stem| stem.to_string_lossy().into_owned());
    match from_onnx(&name, bytes) {
        Ok(workload) => {
            let shape = Shape::Graph(Box::new(workload));
            let details = "read in the file";
            Ok(Some(Model {
                name,
                shape,
                assumed: Vec::new(),
                is_standard: false,
                details,
                of_zoo: false,
                task: None,
            }))
        }
        Err(messages) => {
            for message in messages {
                problems.finding(Finding { file: shown.clone(), line: None, key: String::new(), message });
            }
            Ok(None)
        }
    }
}

/// The text of a model file; what the user got wrong goes to `problems`.
fn text_of(path: &Path, given: &Given, problems: &mut Problems) -> Result<Option<String>, CliError> {
    content(read_text(path), given, problems)
}

/// What was read; what the user got wrong goes to `problems`.
fn content<T>(
    read: Result<T, CliError>,
    given: &Given,
    problems: &mut Problems,
) -> Result<Option<T>, CliError> {
    match (read, &given.origin) {
        (Err(CliError::Usage(messages)), Origin::File { .. }) => {
            for message in messages {
                problems.value(given, message);
            }
            Ok(None)
        }
        (result, _) => problems.absorb(result),
    }
}

fn from_size(given: &Given, problems: &mut Problems) -> Option<Model> {
    let size = problems.read(given, parse_count)?;
    if !SIZES.contains(&size) {
        problems.value(given, format!("{} parameters are not believed; 10M to 2T can be built", given.text));
        return None;
    }
    let (shape, words) = problems.read(given, |_| standard_decoder(size))?;
    let reason = "only a size is known: proportions of the open decoders since 2023".to_owned();
    Some(Model {
        of_zoo: false,
        task: None,
        name: format!("standard decoder {}", given.text.trim()),
        shape: Shape::Transformer(shape),
        assumed: vec![Assumption { name: "model".to_owned(), value: words, reason }],
        is_standard: true,
        details: USUAL,
    })
}

fn from_config(given: &Given, problems: &mut Problems) -> Result<Option<Model>, CliError> {
    let own = Path::new(given.text.trim());
    let path = &if own.is_dir() { own.join(HUB_CONFIG) } else { own.to_path_buf() };
    let Some(text) = text_of(path, given, problems)? else { return Ok(None) };
    match from_hugging_face(&text) {
        Ok((shape, assumed)) => {
            let reason = "the configuration does not say".to_owned();
            let note = |value| Assumption { name: "model_details".to_owned(), value, reason: reason.clone() };
            let is_usual = path.file_name().is_some_and(|name| name == HUB_CONFIG);
            let named = if is_usual { path.parent().and_then(Path::file_name) } else { path.file_stem() };
            let name = named.map_or_else(|| given.text.clone(), |f| f.to_string_lossy().into_owned());
            let assumed = assumed.into_iter().map(note).collect();
            Ok(Some(Model {
                of_zoo: false,
                task: None,
                name,
                shape: Shape::Transformer(shape),
                assumed,
                is_standard: false,
                details: USUAL,
            }))
        }
        Err(messages) => {
            for message in messages {
                let file = path.display().to_string();
                problems.finding(Finding { file, line: None, key: String::new(), message });
            }
            Ok(None)
        }
    }
}
