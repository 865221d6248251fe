//! `software_names.toml`.

use super::super::SoftwareName;
use super::record::Record;
use super::{Document, Records, located};

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let names = &mut records.software_names;
    document.read(
        &mut |_| {},
        &mut [("software_name", &mut |r| {
            if let Some(name) = read_name(r) {
                names.push(located(r, index, name));
            }
        })],
    );
}

fn read_name(r: &Record<'_>) -> Option<SoftwareName> {
    let name = r.text("name");
    let means = r.texts("means");
    let written = r.opt_text("written");
    let (provenance, notes) = (r.provenance(), r.opt_text("notes"));
    if means.is_empty() == written.is_none() {
        r.wrong("means", "expected one of means (a list of stacks) and written (flags)".to_owned());
        return None;
    }
    Some(SoftwareName { name: name?, means, written, provenance: provenance?.0, notes })
}
