//! The embedded catalog: complete, joined, plausible; and what bad files are told.

use gpu_advisor::catalog::Catalog;

#[test]
fn the_embedded_catalog_loads_without_a_finding() {
    if let Err(error) = Catalog::embedded() {
        panic!("{error}");
    }
}
