//! The facts inside the program, as unit tests of several modules need them.

use super::Profiles;
use crate::catalog::Catalog;

/// The embedded catalog and the profiles of its GPUs.
pub fn embedded_facts() -> (Catalog, Profiles) {
    let catalog = Catalog::embedded().unwrap();
    let profiles = Profiles::embedded(&catalog.gpus).unwrap();
    (catalog, profiles)
}
