//! The driver library without a GPU, put where the loader finds it.

use std::path::{Path, PathBuf};

/// The stand-in as cargo built it for these tests.
fn built_library() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_gpu-advisor"));
    let library = program.with_file_name("deps").join("libstandin_driver.so");
    assert!(library.is_file(), "{} was not built", library.display());
    library
}

/// A folder with the stand-in under the driver's name.
pub fn driver_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(built_library(), folder.path().join("libcuda.so.1")).expect("a copy");
    folder
}

/// The stand-in under the names of further libraries: hard links, so that they are one library with one state.
pub fn folder_with(files: &[&str]) -> tempfile::TempDir {
    let folder = driver_folder();
    for file in files {
        std::fs::hard_link(folder.path().join("libcuda.so.1"), folder.path().join(file)).expect("a link");
    }
    folder
}

/// The stand-in without one of its functions: the name in its symbol table is overwritten.
pub fn driver_without(symbol: &str) -> tempfile::TempDir {
    let folder = driver_folder();
    let path = folder.path().join("libcuda.so.1");
    let mut bytes = std::fs::read(&path).expect("the library");
    let name = [b"\0", symbol.as_bytes(), b"\0"].concat();
    let places: Vec<usize> =
        (0..bytes.len() - name.len()).filter(|&at| bytes[at..].starts_with(&name)).collect();
    assert!(!places.is_empty(), "{symbol} is not in the library");
    for at in places {
        bytes[at + symbol.len()] = b'_';
    }
    std::fs::write(&path, bytes).expect("the library");
    folder
}
