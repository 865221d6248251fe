//! `presets.toml`.

use super::super::{PRESET_KEYS, Preset};
use super::record::Record;
use super::{Document, Records, located};

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let presets = &mut records.presets;
    document.read(
        &mut |_| {},
        &mut [("preset", &mut |r| {
            if let Some(preset) = read_preset(r) {
                presets.push(located(r, index, preset));
            }
        })],
    );
}

fn read_preset(r: &Record<'_>) -> Option<Preset> {
    let (id, name, name_zh) = (r.text("id"), r.text("name"), r.opt_text("name_zh"));
    let job: Vec<(&'static str, String)> =
        PRESET_KEYS.into_iter().filter_map(|key| Some((key, r.opt_text(key)?))).collect();
    let preparation_cpu = r.opt_quantity("preparation_cpu");
    let (provenance, notes) = (r.provenance(), r.opt_text("notes"));
    if job.is_empty() {
        r.wrong("model", format!("nothing of a job is set; expected some of {}", PRESET_KEYS.join(", ")));
        return None;
    }
    Some(Preset { id: id?, name: name?, name_zh, job, preparation_cpu, provenance: provenance?.0, notes })
}
