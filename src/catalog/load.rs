//! Reading and checking catalog files: the embedded catalog, folders that overlay it, and the pure core.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use include_dir::{Dir, include_dir};

use super::Catalog;
use super::assemble::{LayerFile, assemble};
use super::names::nearest;

/// The catalog of this version.
static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/catalog");
/// Larger files are refused; the largest embedded one has a hundredth of it.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// Folders inside a catalog folder.
const FOLDERS: [&str; 4] = ["instances", "prices", "models", "unresolved"];

/// One problem in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the catalog folder; of an overlay with its folder.
    pub file: String,
    /// One-based line, where known.
    pub line: Option<usize>,
    /// The record and key, such as `instance[3].network_class`; empty for the whole file.
    pub key: String,
    /// What is wrong and what would be accepted.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Why a catalog could not be had.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// All findings of all files.
    #[error("{} invalid catalog entries:{}", .0.len(), listed(.0))]
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

fn listed(findings: &[Finding]) -> String {
    findings.iter().fold(String::new(), |mut text, finding| {
        text.push_str("\n  ");
        text.push_str(&finding.to_string());
        text
    })
}

impl Catalog {
    /// The catalog inside the binary.
    ///
    /// # Errors
    /// When an embedded file is invalid, which a test rules out.
    pub fn embedded() -> Result<Self, CatalogError> {
        static CACHE: OnceLock<Result<Catalog, Vec<Finding>>> = OnceLock::new();
        let layers = || vec![embedded_files()];
        CACHE.get_or_init(|| build(&layers())).clone().map_err(CatalogError::Invalid)
    }

    /// The embedded catalog with the records of the folders laid over it, later folders winning.
    ///
    /// A folder has the layout of the embedded one; any of its files may be missing. A record replaces the one with
    /// the same key (GPU, model, dataset and source by id, region by provider and id, instance type by provider and
    /// name, price by provider, instance, region, purchase and currency) or is added.
    ///
    /// # Errors
    /// [`CatalogError::Io`] when a folder or file cannot be read, [`CatalogError::Invalid`] with all findings of all
    /// files otherwise.
    pub fn with_overlays(dirs: &[PathBuf]) -> Result<Self, CatalogError> {
        if dirs.is_empty() {
            return Self::embedded();
        }
        let mut layers = vec![embedded_files()];
        let mut findings = vec![];
        for dir in dirs {
            layers.push(read_folder(dir, &mut findings)?);
        }
        match build(&layers) {
            Ok(catalog) if findings.is_empty() => Ok(catalog),
            Ok(_) => Err(CatalogError::Invalid(findings)),
            Err(more) => {
                findings.extend(more);
                Err(CatalogError::Invalid(findings))
            }
        }
    }
}

/// Builds a catalog from texts alone: pairs of path in the catalog folder (`instances/x.toml`) and content.
///
/// # Errors
/// All findings of all files.
pub fn parse_sources(files: &[(String, String)]) -> Result<Catalog, Vec<Finding>> {
    let mut layer: Vec<LayerFile> = files
        .iter()
        .map(|(path, text)| LayerFile { path: path.clone(), shown: path.clone(), text: text.clone() })
        .collect();
    layer.sort_by(|a, b| a.path.cmp(&b.path));
    build(&[layer])
}

fn build(layers: &[Vec<LayerFile>]) -> Result<Catalog, Vec<Finding>> {
    assemble(layers, content_hash(layers))
}

/// FNV-1a (64 bits) over the paths and texts of all layers in order: 16 hex digits.
fn content_hash(layers: &[Vec<LayerFile>]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes.iter().chain(&[0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for file in layers.iter().flatten() {
        add(file.path.as_bytes());
        add(file.text.as_bytes());
    }
    format!("{hash:016x}")
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "toml")
}

fn embedded_files() -> Vec<LayerFile> {
    let mut files = vec![];
    let mut folders = vec![&EMBEDDED];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        for file in folder.files().filter(|f| is_toml(f.path())) {
            let path = file.path().to_string_lossy().replace('\\', "/");
            let text = String::from_utf8_lossy(file.contents()).into_owned();
            files.push(LayerFile { shown: format!("catalog/{path}"), path, text });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn io_error(path: &Path) -> impl FnOnce(std::io::Error) -> CatalogError {
    let path = path.display().to_string();
    move |source| CatalogError::Io { path, source }
}

/// Names in a folder, sorted; hidden ones are left out.
fn entries(dir: &Path) -> Result<Vec<PathBuf>, CatalogError> {
    let mut found = vec![];
    for entry in std::fs::read_dir(dir).map_err(io_error(dir))? {
        let entry = entry.map_err(io_error(dir))?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn read_folder(dir: &Path, findings: &mut Vec<Finding>) -> Result<Vec<LayerFile>, CatalogError> {
    let mut files = vec![];
    for path in entries(dir)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.is_dir() {
            read_file(&path, name, &mut files, findings)?;
        } else if FOLDERS.contains(&name.as_str()) {
            for inner in entries(&path)? {
                let file = inner.file_name().unwrap_or_default().to_string_lossy().into_owned();
                read_file(&inner, format!("{name}/{file}"), &mut files, findings)?;
            }
        } else {
            let hint = nearest(&name, FOLDERS.into_iter())
                .first()
                .map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            let accepted = FOLDERS.join(", ");
            findings.push(whole(&path, format!("is no folder of a catalog; accepted are {accepted}{hint}")));
        }
    }
    Ok(files)
}

fn whole(path: &Path, message: String) -> Finding {
    Finding { file: path.display().to_string(), line: None, key: String::new(), message }
}

fn read_file(
    path: &Path,
    relative: String,
    files: &mut Vec<LayerFile>,
    findings: &mut Vec<Finding>,
) -> Result<(), CatalogError> {
    if !is_toml(path) {
        return Ok(());
    }
    if !std::fs::metadata(path).map_err(io_error(path))?.is_file() {
        findings.push(whole(path, "is not a file; expected a TOML file of this name".to_owned()));
        return Ok(());
    }
    let mut bytes = vec![];
    File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(io_error(path))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let message =
            format!("is larger than {} MiB; split it or remove what is no catalog", MAX_FILE_BYTES >> 20);
        findings.push(whole(path, message));
        return Ok(());
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            // A byte-order mark is how some editors begin a file.
            let text = text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned);
            files.push(LayerFile { path: relative, shown: path.display().to_string(), text });
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].split(|&b| b == b'\n').count();
            let message = "is not UTF-8 text; save it as UTF-8".to_owned();
            findings.push(Finding { line: Some(line), ..whole(path, message) });
        }
    }
    Ok(())
}
