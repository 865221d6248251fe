//! The name that programs look for, so that a library opened by its path answers to it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
}
