//! Small catalogs for tests.
