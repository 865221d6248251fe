//! GPU instance selection advisor and cost-performance simulator for deep-learning training.
//!
//! Data flows one way: [`catalog`] facts become a [`workload`] of operators and a [`plan`] on a cluster; the
//! [`simulator`] turns both, with a measured [`profile`], into time and memory; [`cost`] into money; the
//! [`advisor`] searches and explains; [`report`] draws; `cli` is the only place that prints.
//! `ARCHITECTURE.md` holds the invariants and the import table that a test enforces.

pub mod advisor;
pub mod calibration;
pub mod catalog;
pub mod cli;
pub mod cost;
pub mod numeric;
pub mod plan;
pub mod profile;
pub mod report;
pub mod simulator;
pub mod units;
pub mod validation;
pub mod workload;
