//! A predicted step in the trace format that Perfetto and chrome://tracing open.

use serde_json::{Value, json};

use crate::simulator::schedule::{Schedule, Slice};

/// The trace as JSON text: one process, one thread per pipeline stage, complete events in microseconds. `about` names the
/// job and cluster.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn trace(schedule: &Schedule, about: &str) -> Result<String, serde_json::Error> {
    let stages = schedule.slices.iter().map(|s| s.stage + 1).max().unwrap_or(0);
    let mut events = vec![metadata("process_name", 0, about)];
    events.extend((0..stages).map(|stage| metadata("thread_name", stage, &format!("stage {}", stage + 1))));
    events.extend(schedule.slices.iter().map(event));
    let whole = json!({
        "displayTimeUnit": "ms",
        "otherData": {
            "about": about,
            "tool": concat!("gpu-advisor ", env!("CARGO_PKG_VERSION")),
            "prediction": "not a measurement; exposed communication only",
            "scale_of_passes": schedule.scale,
        },
        "traceEvents": events,
    });
    let mut text = serde_json::to_string(&whole)?;
    text.push('\n');
    Ok(text)
}

fn metadata(name: &str, thread: u32, value: &str) -> Value {
    json!({"name": name, "ph": "M", "pid": 0, "tid": thread, "args": {"name": value}})
}

fn event(slice: &Slice) -> Value {
    let mut event = json!({
        "name": slice.kind.name(),
        "ph": "X",
        "pid": 0,
        "tid": slice.stage,
        "ts": slice.start.micros(),
        "dur": slice.duration.micros(),
    });
    if let Some(micro_batch) = slice.micro_batch {
        event["args"] = json!({"micro_batch": micro_batch, "virtual_stage": slice.chunk});
    }
    event
}
