//! `optimizers.toml`.

use super::super::OptimizerSpec;
use super::record::Record;
use super::{Document, Records, located};

/// More bytes per parameter are not believed.
const MOST_BYTES: f64 = 64.0;

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let optimizers = &mut records.optimizers;
    document.read(
        &mut |_| {},
        &mut [("optimizer", &mut |r| {
            if let Some(optimizer) = read_optimizer(r) {
                optimizers.push(located(r, index, optimizer));
            }
        })],
    );
}

fn read_optimizer(r: &Record<'_>) -> Option<OptimizerSpec> {
    let (id, name) = (r.text("id"), r.text("name"));
    let bytes = |key: &'static str, value: f64| {
        let believed = (0.0..=MOST_BYTES).contains(&value);
        if !believed {
            r.wrong(key, format!("is {value}; expected bytes per parameter from 0 to {MOST_BYTES}"));
        }
        believed.then_some(value)
    };
    let state_bytes = r.opt_float("state_bytes");
    if !r.has("state_bytes") {
        r.wrong("state_bytes", "is missing; expected bytes per parameter".to_owned());
    }
    let state_bytes = state_bytes.and_then(|b| bytes("state_bytes", b));
    let extra_traffic = r.opt_float("extra_traffic").map_or(Some(0.0), |b| bytes("extra_traffic", b));
    let master_weights = r.opt_flag("master_weights").unwrap_or(true);
    let usual_for = if r.has("usual_for") { Some(r.choice("usual_for")?) } else { None };
    r.allow("usual_for");
    let (provenance, notes) = (r.provenance(), r.opt_text("notes"));
    Some(OptimizerSpec {
        id: id?,
        name: name?,
        state_bytes: state_bytes?,
        master_weights,
        extra_traffic: extra_traffic?,
        usual_for,
        provenance: provenance?.0,
        notes,
    })
}
