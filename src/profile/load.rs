//! Loading profiles: the files inside the binary, and one of the user's over them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use include_dir::{Dir, include_dir};

use super::read::{self, Document, LayerKernels, Reader};
use super::{Defaults, HardwareProfile, NetworkProfile, Profiles, StackProfile, datasheet};
use crate::catalog::{Finding, GpuSpec};

static HARDWARE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/calibration/hardware");
static INSTANCES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/calibration/instances");
static SOFTWARE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/calibration/software");
const DEFAULTS: &str = include_str!("../../calibration/defaults.toml");
const LAYERS: &str = include_str!("../../calibration/layers.toml");
const NETWORKS: &str = include_str!("../../calibration/networks.toml");

/// Text of one calibration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Name relative to the calibration folder, with forward slashes: `hardware/<gpu>.toml`,
    /// `instances/<provider>/<instance>.toml`.
    pub name: String,
    /// Content.
    pub text: Cow<'static, str>,
}

/// Why profiles could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// All findings of all files.
    #[error("{} invalid", .0.len())]
    Invalid(Vec<Finding>),
    /// A file could not be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl Profiles {
    /// Profiles from the files inside the binary, for the GPUs of a catalog.
    ///
    /// Files of GPUs that the catalog lacks are left out: a small catalog needs no other set.
    ///
    /// # Errors
    /// [`ProfileError::Invalid`] when a file is wrong.
    pub fn embedded(gpus: &[GpuSpec]) -> Result<Self, ProfileError> {
        parse(&embedded_files(gpus), None, gpus).map_err(ProfileError::Invalid)
    }

    /// The same with files of the user's own folder over them, and one hardware profile over all.
    ///
    /// In the folder, `hardware/<gpu>.toml` and `instances/<provider>/<instance>.toml` replace the embedded files of
    /// the same name. `profile` replaces that of its GPU and of its instance type.
    ///
    /// # Errors
    /// [`ProfileError::Io`] when a file cannot be read, [`ProfileError::Invalid`] when one is wrong.
    pub fn load(
        gpus: &[GpuSpec],
        folder: Option<&Path>,
        profile: Option<&Path>,
    ) -> Result<Self, ProfileError> {
        let mut files = embedded_files(gpus);
        for file in folder.map_or_else(|| Ok(Vec::new()), user_files)? {
            files.retain(|f| f.name != file.name);
            files.push(file);
        }
        let overlay = profile.map(|path| read_file(path, path.display().to_string())).transpose()?;
        parse(&files, overlay.as_ref(), gpus).map_err(ProfileError::Invalid)
    }
}

fn read_file(path: &Path, name: String) -> Result<SourceFile, ProfileError> {
    let failed = |source| ProfileError::Io { path: path.display().to_string(), source };
    Ok(SourceFile { name, text: Cow::Owned(std::fs::read_to_string(path).map_err(failed)?) })
}

/// The profiles in a user's folder, sorted by name: `hardware/*.toml` and `instances/*/*.toml`.
fn user_files(folder: &Path) -> Result<Vec<SourceFile>, ProfileError> {
    let mut files = Vec::new();
    let mut folders = vec!["hardware".to_owned(), "instances".to_owned()];
    while let Some(name) = folders.pop() {
        let path = folder.join(&name);
        if !path.is_dir() {
            continue;
        }
        let failed = |source| ProfileError::Io { path: path.display().to_string(), source };
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let below = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(below);
            } else if entry.path().extension().is_some_and(|e| e == "toml") {
                files.push(read_file(&entry.path(), below)?);
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// The files inside the binary, sorted by name within their folder.
pub(super) fn embedded_files(gpus: &[GpuSpec]) -> Vec<SourceFile> {
    let file = |name: &str, text| SourceFile { name: name.to_owned(), text: Cow::Borrowed(text) };
    let mut files =
        vec![file("defaults.toml", DEFAULTS), file("layers.toml", LAYERS), file("networks.toml", NETWORKS)];
    for (folder, dir) in [("hardware", &HARDWARE), ("software", &SOFTWARE)] {
        for entry in dir.files() {
            let (Some(path), Some(text)) = (entry.path().to_str(), entry.contents_utf8()) else { continue };
            let stem = path.strip_suffix(".toml");
            let known = folder == "software" || gpus.iter().any(|g| Some(g.id.as_str()) == stem);
            if stem.is_some() && known {
                files.push(file(&format!("{folder}/{path}"), text));
            }
        }
    }
    for folder in INSTANCES.dirs() {
        for entry in folder.files() {
            if let (Some(path), Some(text)) = (entry.path().to_str(), entry.contents_utf8()) {
                files.push(file(&format!("instances/{path}"), text));
            }
        }
    }
    files
}

/// The files of software stacks inside the binary, sorted by name: `software/<stack>.toml`.
pub fn software_files() -> Vec<SourceFile> {
    embedded_files(&[]).into_iter().filter(|f| f.name.starts_with("software/")).collect()
}

/// Profiles from texts: pure, strict, and complete in its findings.
///
/// `overlay` is one hardware profile that replaces the one of its GPU. Every GPU gets a profile: where there is no
/// file, or a file lacks a precision, stated shares of the datasheet stand in at grade D.
///
/// # Errors
/// Every finding of every file, sorted by file and line.
pub fn parse(
    files: &[SourceFile],
    overlay: Option<&SourceFile>,
    gpus: &[GpuSpec],
) -> Result<Profiles, Vec<Finding>> {
    let mut findings = Vec::new();
    let text_of = |name: &str| files.iter().find(|f| f.name == name).map_or("", |f| f.text.as_ref());

    let defaults =
        document("defaults.toml", text_of("defaults.toml"), &mut findings, read::defaults).flatten();
    let networks = document("networks.toml", text_of("networks.toml"), &mut findings, read::networks);
    let stacks = software(files, gpus, &mut findings);
    let layers = document("layers.toml", text_of("layers.toml"), &mut findings, read::layers).flatten();
    let hardware = defaults.as_ref().map(|d| hardware(files, overlay, gpus, d, &mut findings));
    if let (Some(defaults), Some((_, networks))) = (&defaults, &networks) {
        check_names(defaults, networks, &stacks, &mut findings);
    }
    for file in files.iter().filter(|f| folder_and_stem(&f.name).is_none()) {
        let message = "is no calibration file; expected defaults.toml, layers.toml, networks.toml, hardware/, instances/ or software/";
        findings.push(Finding {
            file: file.name.clone(),
            line: None,
            key: String::new(),
            message: message.to_owned(),
        });
    }
    findings
        .sort_by(|a, b| (&a.file, a.line, &a.key, &a.message).cmp(&(&b.file, b.line, &b.key, &b.message)));
    findings.dedup();
    let parts = (hardware, networks, defaults, layers);
    let (
        true,
        (
            Some((mut hardware, mut instances)),
            Some((links, networks)),
            Some(defaults),
            Some((kernels, layers)),
        ),
    ) = (findings.is_empty(), parts)
    else {
        return Err(findings);
    };
    let content_hash = content_hash(files.iter().chain(overlay));
    for profile in hardware.iter_mut().chain(instances.values_mut()) {
        if let Some(gpu) = gpus.iter().find(|g| g.id == profile.gpu) {
            with_kernels(profile, gpu, &kernels, defaults.datasheet.multiprocessors);
            profile.fused_attention = defaults.fused_attention(&gpu.architecture);
        }
    }
    Ok(Profiles { hardware, instances, links, networks, stacks, layers, defaults, content_hash })
}

/// The convolution and recurrent kernels of a GPU's architecture, sizes scaled to its multiprocessors.
fn with_kernels(profile: &mut HardwareProfile, gpu: &GpuSpec, kernels: &[LayerKernels], usual: u32) {
    let named = |name: &str| kernels.iter().find(|k| k.architecture == name);
    let Some(own) = named(&gpu.architecture).or_else(|| named("default")) else { return };
    let share = f64::from(gpu.multiprocessors.unwrap_or(usual)) / own.multiprocessors;
    profile.convolution = own.convolution.map(|c| c.scaled(share));
    profile.recurrent = own.recurrent;
}

/// `("hardware", "<gpu>")` of a name, `("", "defaults")` for the two files at the top.
fn folder_and_stem(name: &str) -> Option<(&str, &str)> {
    let stem = name.strip_suffix(".toml")?;
    match stem.split_once('/') {
        Some((folder @ ("hardware" | "software"), stem)) => Some((folder, stem)),
        Some(("instances", key)) if key.contains('/') => Some(("instances", key)),
        None if matches!(stem, "defaults" | "layers" | "networks") => Some(("", stem)),
        _ => None,
    }
}

/// Reads one document and takes over its findings.
fn document<T>(
    name: &str,
    text: &str,
    findings: &mut Vec<Finding>,
    read: impl FnOnce(&Reader<'_>) -> T,
) -> Option<T> {
    let document = Document::new(name, text);
    let result = document.parse().map(|table| read(&Reader::root(&document, &table)));
    findings.extend(document.into_findings());
    result
}

/// Profiles by GPU, and those of instance types by `provider/instance`.
type Hardware = (Vec<HardwareProfile>, BTreeMap<String, HardwareProfile>);

fn hardware(
    files: &[SourceFile],
    overlay: Option<&SourceFile>,
    gpus: &[GpuSpec],
    defaults: &Defaults,
    findings: &mut Vec<Finding>,
) -> Hardware {
    let mut profiles: Vec<_> = gpus.iter().map(|g| datasheet::hardware(g, defaults)).collect();
    let mut instances = BTreeMap::new();
    for file in files.iter().chain(overlay) {
        let place = match folder_and_stem(&file.name) {
            _ if overlay.is_some_and(|o| std::ptr::eq(o, file)) => None,
            Some(place @ ("hardware" | "instances", _)) => Some(place),
            _ => continue,
        };
        let read = |reader: &Reader<'_>| {
            let read = read::hardware(reader, gpus, defaults)?;
            let stated = match place {
                Some(("hardware", _)) => Some(("gpu", Some(&read.profile.gpu))),
                Some(_) => Some(("instance", read.instance.as_ref())),
                None => None,
            };
            if let (Some((_, stem)), Some((key, value))) = (place, stated)
                && value.is_none_or(|v| v != stem)
            {
                let value = value.map_or("", String::as_str);
                reader.fail(key, format!("is {value:?} in a file named {stem:?}; expected the same"));
            }
            Some(read)
        };
        let Some(read) = document(&file.name, &file.text, findings, read).flatten() else { continue };
        if let (Some(instance), true) = (read.instance, place.is_none_or(|(f, _)| f == "instances")) {
            instances.insert(instance, read.profile.clone());
        }
        if place.is_none_or(|(folder, _)| folder == "hardware") {
            profiles[usize::from(read.gpu.0)] = read.profile;
        }
    }
    (profiles, instances)
}

fn software(files: &[SourceFile], gpus: &[GpuSpec], findings: &mut Vec<Finding>) -> Vec<StackProfile> {
    let sources = files.iter().filter_map(|f| match folder_and_stem(&f.name) {
        Some(("software", stem)) => Some((stem, f)),
        _ => None,
    });
    let documents: Vec<_> = sources.map(|(stem, f)| (stem, Document::new(&f.name, &f.text))).collect();
    let tables: Vec<_> = documents.iter().map(|(_, d)| d.parse()).collect();
    let mut common = None;
    let mut parsed = Vec::new();
    for ((stem, document), table) in documents.iter().zip(&tables) {
        match table {
            Some(table) if *stem == "common" => common = Some(Reader::root(document, table)),
            Some(table) => parsed.push((*stem, document, table)),
            None => {}
        }
    }
    let stacks = common.as_ref().map(|common| read::stacks(common, &parsed, gpus));
    drop(common);
    drop(parsed);
    drop(tables);
    let reported = findings.len();
    findings.extend(documents.into_iter().flat_map(|(_, d)| d.into_findings()));
    if stacks.is_none() && findings.len() == reported {
        let message = "is missing; expected the values that stacks share".to_owned();
        let file = "software/common.toml".to_owned();
        findings.push(Finding { file, line: None, key: String::new(), message });
    }
    stacks.unwrap_or_default()
}

/// Checks that the names in the defaults exist.
fn check_names(
    defaults: &Defaults,
    networks: &[NetworkProfile],
    stacks: &[StackProfile],
    findings: &mut Vec<Finding>,
) {
    let cluster = &defaults.cluster;
    let used = [&cluster.linked_gpu, &cluster.pcie_gpu, &cluster.unknown_network].into_iter();
    let classes = used.chain(defaults.reference_network.values()).map(|n| (&n.class, "network class"));
    let stack = &defaults.stack;
    let names = [&stack.decoder, &stack.encoder, &stack.convolutional, &stack.adapters].map(|s| (s, "stack"));
    for (name, kind) in classes.chain(names) {
        let known = match kind {
            "stack" => stacks.iter().any(|s| s.id == *name),
            _ => networks.iter().any(|n| n.class == *name),
        };
        if !known {
            let (file, message) =
                ("defaults.toml".to_owned(), format!("{name:?} is no {kind} of the other files"));
            findings.push(Finding { file, line: None, key: name.clone(), message });
        }
    }
}

/// FNV-1a of names and texts, as 16 hex digits.
fn content_hash<'f>(files: impl Iterator<Item = &'f SourceFile>) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in file.name.bytes().chain([0]).chain(file.text.bytes()).chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
