//! `capabilities.toml`.

use super::super::Capability;
use super::gpu::compute_capability;
use super::record::Record;
use super::{Document, Records, located};

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let capabilities = &mut records.capabilities;
    document.read(
        &mut |_| {},
        &mut [("capability", &mut |r| {
            if let Some(capability) = read_capability(r) {
                capabilities.push(located(r, index, capability));
            }
        })],
    );
}

fn read_capability(r: &Record<'_>) -> Option<Capability> {
    let (kind, name) = (r.choice("kind"), r.text("title"));
    let number = |key| r.opt_parsed(key, "text such as \"8.0\"", compute_capability);
    let (from, below) = (number("compute_capability_from"), number("compute_capability_below"));
    if from.is_none() && !r.has("compute_capability_from") {
        r.wrong("compute_capability_from", "is missing; expected text such as \"8.0\"".to_owned());
    }
    let (instead, provenance, notes) = (r.opt_text("instead"), r.provenance(), r.opt_text("notes"));
    Some(Capability {
        kind: kind?,
        name: name?,
        from: from?,
        below,
        instead,
        provenance: provenance?.0,
        notes,
    })
}
