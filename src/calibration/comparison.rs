//! Is this machine what its kind is? One profile against another, quantity by quantity.

use super::measured::Measured;
use super::measurement::{Cores, Direction, HostMemory, Launch, Stream};
use crate::profile::HardwareProfile;

/// A difference to a reference without interval that counts.
const TOLERANCE: f64 = 0.05;
/// A difference between two intervals that counts.
const INTERVAL_TOLERANCE: f64 = 0.03;

/// One quantity of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// What it is, such as `copy bandwidth`.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Value.
    pub value: f64,
    /// Interval, where there is one.
    pub ci95: Option<[f64; 2]>,
    /// True for times: less is better.
    pub less_is_better: bool,
}

/// How one quantity compares.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// This machine.
    pub this: Quantity,
    /// The reference.
    pub reference: Quantity,
    /// Value over reference, less one.
    pub change: f64,
    /// The value lies outside the reference's interval, or beyond the tolerance where it has none.
    pub outside: bool,
    /// It is outside on the bad side.
    pub worse: bool,
}

/// What of a measured profile can be compared.
pub fn quantities(measured: &Measured) -> Vec<Quantity> {
    let mut all = Vec::new();
    let mut add = |name: String, unit, value, ci95, less_is_better| {
        all.push(Quantity { name, unit, value, ci95, less_is_better });
    };
    for kind in Stream::ALL {
        if let Some(e) = measured.stream(kind) {
            add(format!("{} bandwidth", kind.name()), "GB/s", e.value, e.ci95, false);
        }
    }
    if let Some(e) = measured.best_l2() {
        add("L2 bandwidth".to_owned(), "GB/s", e.value, e.ci95, false);
    }
    for kind in Launch::ALL {
        if let Some(e) = measured.launch_us.get(kind.name()) {
            add(format!("launch, {}", kind.name()), "us", e.value, e.ci95, true);
        }
    }
    for c in &measured.ceiling {
        let cores = if c.cores == Cores::Vector { "vector" } else { "matrix" };
        let e = &c.tflop_per_s;
        add(format!("{} {cores} ceiling", c.format.name()), "TFLOP/s", e.value, e.ci95, false);
    }
    for p in &measured.product {
        let f = p.tflop_per_s;
        add(format!("{} product peak", p.format.name()), "TFLOP/s", f.value, f.ci95, false);
        if let Some(ratio) = p.sustained_ratio {
            add(format!("{} sustained over short", p.format.name()), "", ratio, None, false);
        }
    }
    for t in &measured.transfer {
        let name = match (t.memory, t.direction, t.operation, t.ranks, t.peers) {
            (Some(memory), Some(direction), ..) => {
                let memory = if memory == HostMemory::Pinned { "pinned" } else { "pageable" };
                let direction = match direction {
                    Direction::H2d => "host to device",
                    Direction::D2h => "device to host",
                    Direction::Both => "both directions",
                };
                format!("{direction}, {memory}")
            }
            (.., Some(operation), Some(ranks), _) => {
                let nodes = t.nodes.map_or_else(String::new, |n| format!(" on {n} nodes"));
                format!("{} of {ranks}{nodes}", operation.name())
            }
            (.., Some([from, to])) => format!("peer copy {from} to {to}"),
            _ => continue,
        };
        // The largest transfer carries the interval.
        let ends = t.us.last().zip(t.us_low.last()).zip(t.us_high.last());
        let ci95 = ends.map(|((us, low), high)| [t.gb_per_s * us / high, t.gb_per_s * us / low]);
        add(name, "GB/s", t.gb_per_s, ci95, false);
    }
    all
}

/// What of a shipped profile can be compared, under the same names.
pub fn shipped_quantities(profile: &HardwareProfile) -> Vec<Quantity> {
    let quantity = |name: String, unit, value, less_is_better| Quantity {
        name,
        unit,
        value,
        ci95: None,
        less_is_better,
    };
    let mut all = vec![
        quantity("copy bandwidth".to_owned(), "GB/s", profile.dram.gb(), false),
        quantity("launch, stream".to_owned(), "us", super::measured::micros(profile.launch.get()), true),
        quantity("host to device, pinned".to_owned(), "GB/s", profile.host_to_device.gb(), false),
    ];
    for precision in crate::catalog::Precision::ALL {
        if let Some(m) = profile.matmul(precision) {
            all.push(quantity(format!("{} product peak", precision.name()), "TFLOP/s", m.peak.tera(), false));
        }
    }
    all
}

/// Compares what both have, in the order of `this`.
pub fn compare(this: &[Quantity], reference: &[Quantity]) -> Vec<Comparison> {
    this.iter()
        .filter_map(|this| {
            let reference = reference.iter().find(|r| r.name == this.name)?;
            let change = this.value / reference.value - 1.0;
            let outside = match (this.ci95, reference.ci95) {
                (Some([low, high]), Some([least, most])) => {
                    (low > most || high < least) && change.abs() > INTERVAL_TOLERANCE
                }
                (None, Some([least, most])) => {
                    !(least..=most).contains(&this.value) && change.abs() > INTERVAL_TOLERANCE
                }
                _ => change.abs() > TOLERANCE,
            };
            let worse = outside && (change > 0.0) == this.less_is_better;
            Some(Comparison { this: this.clone(), reference: reference.clone(), change, outside, worse })
        })
        .collect()
}
