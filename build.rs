//! Rebuilds when a file of the embedded folders changes: a directory inside a macro is not tracked by the compiler.

fn main() {
    println!("cargo:rerun-if-changed=catalog");
    println!("cargo:rerun-if-changed=calibration");
}
