//! The `gpu-advisor` binary: everything is in the library.

fn main() {}
