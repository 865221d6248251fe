//! What would let a rejected cluster in, as JSON: the key of a flag and the value to give it.

use serde::Serialize;

use crate::advisor::Cure;

/// One change that works.
#[derive(Serialize)]
pub(in crate::report) struct CureWire<'a> {
    change: &'static str,
    value: std::borrow::Cow<'a, str>,
}

/// Changes that work, by the names of `whatif --set`.
pub(in crate::report) fn cures(cures: &[Cure]) -> Vec<CureWire<'_>> {
    cures.iter().map(cure).collect()
}

fn cure(cure: &Cure) -> CureWire<'_> {
    let (change, value) = match cure {
        Cure::Recompute(recompute) => ("recompute", recompute.name().into()),
        Cure::MicroBatch(size) => ("micro_batch", size.to_string().into()),
        Cure::Sharding(sharding) => ("sharding", sharding.name().into()),
        Cure::FreePlan => ("plan", "open".into()),
        Cure::Nodes(nodes) => ("nodes", nodes.to_string().into()),
        Cure::HostOptimizer => ("optimizer_offload", "on".into()),
        Cure::Software(id) => ("framework", id.as_str().into()),
        Cure::Precision(precision) => ("precision", precision.name().into()),
        Cure::NoFlashAttention => ("flash_attention", "off".into()),
        Cure::GlobalBatch(batch) => ("global_batch", batch.to_string().into()),
        Cure::Purchase(purchase) => ("purchase", purchase.name().into()),
        Cure::Adapters => ("method", "lora".into()),
    };
    CureWire { change, value }
}
