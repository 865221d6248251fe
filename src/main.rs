//! The `gpu-advisor` binary: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpu_advisor::cli::run(std::env::args_os())
}
