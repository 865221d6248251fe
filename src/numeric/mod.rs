//! Which numbers fit best, what is typical, what is drawn at random? Pure and deterministic.

pub mod least_squares;
mod order;
mod random;

pub use order::{median, quantile, sorted};
pub use random::Random;
