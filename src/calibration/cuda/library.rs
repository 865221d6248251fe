//! Finding and opening the vendor's libraries: which names, in which folders, with what result.
//!
//! Nothing is taken for granted: a library that is missing, is broken or lacks a function gives a [`LibraryProbe`]
//! with a reason. The order is the user's folder, the loader's own search, the toolkit's folders, then Python's.
#![expect(
    unsafe_code,
    reason = "opening a library runs its initialisers; looking up a function asserts its type"
)]

use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::calibration::opening::{LibraryProbe, LibrarySearch};

/// A library to look for.
pub struct Wanted {
    /// Name without prefix and suffix.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// Nothing can be measured without it.
    pub required: bool,
    /// File names, best first.
    pub files: &'static [&'static str],
    /// Folder of the Python wheel below `site-packages/nvidia`, if one ships it.
    pub wheel: Option<&'static str>,
}

/// The driver.
pub const DRIVER: Wanted = Wanted {
    name: "cuda",
    purpose: "the driver: nothing runs without it",
    required: true,
    files: &["libcuda.so.1"],
    wheel: None,
};
/// The driver's management library.
pub const NVML: Wanted = Wanted {
    name: "nvidia-ml",
    purpose: "clocks, power, temperature, throttling",
    required: false,
    files: &["libnvidia-ml.so.1"],
    wheel: None,
};
/// Matrix products.
pub const CUBLAS: Wanted = Wanted {
    name: "cublas",
    purpose: "matrix products as training runs them; own kernels otherwise",
    required: false,
    files: &["libcublas.so.13", "libcublas.so.12", "libcublas.so.11"],
    wheel: Some("cublas"),
};
/// Matrix products with 8-bit operands; cuBLAS needs it, too.
pub const CUBLAS_LT: Wanted = Wanted {
    name: "cublasLt",
    purpose: "FP8 matrix products",
    required: false,
    files: &["libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"],
    wheel: Some("cublas"),
};
/// Collectives.
pub const NCCL: Wanted = Wanted {
    name: "nccl",
    purpose: "collectives over several GPUs",
    required: false,
    files: &["libnccl.so.2"],
    wheel: Some("nccl"),
};

/// Folders of the driver that its installer does not always tell the loader: in containers, and under WSL.
const DRIVER_FOLDERS: [&str; 2] = ["/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"];

/// An open library. It stays mapped until the process ends: drivers do not like to be unloaded.
#[derive(Clone, Copy)]
pub struct Opened {
    library: &'static Library,
}

impl Opened {
    /// A function or a constant of the library.
    ///
    /// # Errors
    /// The name, when the library lacks it.
    ///
    /// # Safety
    /// `F` is a function pointer type that the library's header gives to `symbol`.
    pub unsafe fn function<F: Copy>(self, symbol: &'static str) -> Result<F, &'static str> {
        // SAFETY: the caller vouches for the type; the library is never unloaded.
        let found = unsafe { self.library.get::<F>(symbol.as_bytes()) };
        found.map(|f| *f).map_err(|_| symbol)
    }

    /// True when the library has the symbol.
    pub fn has(self, symbol: &str) -> bool {
        // SAFETY: the address is neither called nor read.
        unsafe { self.library.get::<*const ()>(symbol.as_bytes()) }.is_ok()
    }
}

/// Looks for a library; every file that opens, best first, is offered to `accept`, which says why it will not do.
pub fn find<T>(
    wanted: &Wanted,
    search: &LibrarySearch,
    accept: impl Fn(Opened, &str) -> Result<T, String>,
) -> (LibraryProbe, Option<T>) {
    let mut probe = LibraryProbe {
        name: wanted.name.to_owned(),
        purpose: wanted.purpose,
        required: wanted.required,
        path: None,
        version: None,
        problem: None,
        tried: Vec::new(),
    };
    for candidate in candidates(wanted, search) {
        let shown = candidate.display().to_string();
        let place = if candidate.is_absolute() { "" } else { " on the loader's path" };
        probe.tried.push(format!("{shown}{place}"));
        // A path of its own that is not there needs no attempt, and no loader message.
        if candidate.is_absolute() && !candidate.exists() {
            continue;
        }
        match open(&candidate) {
            Err(reason) if candidate.is_absolute() => probe.problem = Some(format!("{shown}: {reason}")),
            Err(_) => {}
            Ok(opened) => match accept(opened, &shown) {
                Ok(value) => {
                    (probe.path, probe.problem) = (Some(shown), None);
                    return (probe, Some(value));
                }
                Err(reason) => probe.problem = Some(format!("{shown}: {reason}")),
            },
        }
    }
    probe.problem.get_or_insert_with(|| "not found".to_owned());
    (probe, None)
}

/// Opens through the loader's own search, without a word when that fails.
pub fn open_by_name(file: &str) -> Option<Opened> {
    open(Path::new(file)).ok()
}

fn open(path: &Path) -> Result<Opened, String> {
    // SAFETY: the vendor's libraries have initialisers without preconditions. Global, so that a library that needs
    // another one of the same folder, or a later open by its bare name, finds this one.
    match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) } {
        Ok(library) => Ok(Opened { library: Box::leak(Box::new(library)) }),
        Err(error) => Err(source_of(&error)),
    }
}

fn source_of(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// What to try: bare names stand for the loader's own search (`LD_LIBRARY_PATH`, its cache).
fn candidates(wanted: &Wanted, search: &LibrarySearch) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in wanted.files {
        found.extend(search.folder.iter().map(|f| f.join(file)));
    }
    found.extend(wanted.files.iter().map(PathBuf::from));
    for folder in folders(wanted.wheel) {
        found.extend(wanted.files.iter().map(|file| folder.join(file)));
    }
    found
}

/// Folders beyond the loader's: toolkit, conda, Python wheels where they exist, and the driver's.
fn folders(wheel: Option<&str>) -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let mut folders = Vec::new();
    for root in ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable) {
        folders.push(root.join("lib64"));
    }
    let toolkits = children(Path::new("/usr/local"), "cuda");
    folders.extend(toolkits.into_iter().rev().map(|toolkit| toolkit.join("lib64")));
    let environments: Vec<PathBuf> =
        ["CONDA_PREFIX", "VIRTUAL_ENV"].into_iter().filter_map(variable).collect();
    for environment in &environments {
        folders.push(environment.join("lib"));
    }
    if let Some(wheel) = wheel {
        let system = [PathBuf::from("/usr/local"), PathBuf::from("/usr")];
        for root in environments.iter().chain(&system) {
            for python in children(&root.join("lib"), "python3") {
                for packages in ["site-packages", "dist-packages"] {
                    let nvidia = python.join(packages).join("nvidia");
                    folders.extend([wheel, "cu13"].map(|part| nvidia.join(part).join("lib")));
                }
            }
        }
    }
    folders.retain(|folder| folder.is_dir());
    if wheel.is_none() {
        // Named even where they are not: they are where a driver would be.
        folders.extend(DRIVER_FOLDERS.map(PathBuf::from));
    }
    folders
}

/// Entries of a folder whose name starts so, sorted.
fn children(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    found.retain(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix)));
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: Wanted = Wanted {
        name: "nowhere",
        purpose: "a test",
        required: false,
        files: &["libno-such-library.so.7"],
        wheel: None,
    };

    #[test]
    fn a_missing_library_is_a_reason_and_the_names_tried() {
        let search = LibrarySearch { folder: Some(PathBuf::from("/no-such-folder")) };
        let (probe, value) = find(&NOWHERE, &search, |_, _| Ok(()));
        assert!(value.is_none());
        assert_eq!(probe.problem.as_deref(), Some("not found"));
        assert_eq!(
            probe.tried[..2],
            ["/no-such-folder/libno-such-library.so.7", "libno-such-library.so.7 on the loader's path"]
        );
    }

    #[test]
    fn a_file_that_is_no_library_is_named_with_the_loaders_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(NOWHERE.files[0]), "not a library").expect("a file");
        let search = LibrarySearch { folder: Some(folder.path().to_owned()) };
        let (probe, value) = find(&NOWHERE, &search, |_, _| Ok(()));
        assert!(value.is_none());
        let problem = probe.problem.expect("a reason");
        assert!(problem.contains("libno-such-library.so.7"), "{problem}");
        assert!(problem.len() > "libno-such-library.so.7: ".len() + 10, "{problem}");
    }

    #[test]
    fn a_library_that_is_refused_keeps_the_reason() {
        const C: Wanted = Wanted { files: &["libc.so.6"], ..NOWHERE };
        let (probe, value) = find(&C, &LibrarySearch::default(), |opened, _| {
            assert!(opened.has("malloc") && !opened.has("no_such_function"));
            Err::<(), _>("too old".to_owned())
        });
        assert!(value.is_none() && probe.path.is_none());
        assert_eq!(probe.problem.as_deref(), Some("libc.so.6: too old"));
    }
}
