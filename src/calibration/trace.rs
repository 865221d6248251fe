//! Every raw sample of a run, as JSON Lines: what the fit reads, now or years later.

use std::fmt::Write as _;

use super::device::DeviceFacts;
use super::measurement::{Environment, Item};
use crate::catalog::Finding;

/// Version of the format.
pub const SCHEMA: u32 = 1;

/// How a run was made.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct RunFacts {
    /// Version of the trace format.
    pub schema: u32,
    /// Version of the program.
    pub program: String,
    /// Day of the run, such as 2026-11-30, where known.
    pub date: Option<String>,
    /// `quick` or `thorough`.
    pub effort: String,
    /// Seed of the order of items.
    pub seed: u64,
    /// Rounds planned.
    pub rounds: u32,
    /// Catalog id of the GPU, where the user or the name tells.
    pub gpu: Option<String>,
    /// Instance type as `provider/name`, where the user tells.
    pub instance: Option<String>,
    /// Node of a fleet, where the launcher tells.
    pub node: Option<String>,
    /// CPU model of the host.
    pub host_cpu: Option<String>,
    /// The device.
    pub device: DeviceFacts,
}

/// One timed batch.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Sample {
    /// The item, as text.
    pub item: String,
    /// Round, from 0.
    pub round: u32,
    /// Seconds since the device was opened.
    pub at_s: f64,
    /// Time of the batch in seconds.
    pub elapsed_s: f64,
    /// Executions in the batch.
    pub count: u64,
    /// Floating-point operations of one execution.
    pub work: f64,
    /// Results were compared with known ones.
    pub checked: bool,
    /// State of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
}

impl Sample {
    /// Seconds of one execution.
    pub fn each(&self) -> f64 {
        self.elapsed_s / self.count.max(1) as f64
    }
}

/// An item that was left out or cut short.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Gap {
    /// The item, as text.
    pub item: String,
    /// True when it was measured in fewer rounds than planned, false when not at all.
    pub truncated: bool,
    /// Why.
    pub reason: String,
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// How it was made.
    pub run: RunFacts,
    /// Samples in the order they were taken.
    pub samples: Vec<Sample>,
    /// What is missing.
    pub gaps: Vec<Gap>,
    /// Seconds from opening to the end.
    pub duration_s: f64,
}

/// One line of the file.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line {
    Run(Box<RunFacts>),
    Sample(Sample),
    Gap(Gap),
    End { duration_s: f64, samples: usize },
}

impl Trace {
    /// The file: one run line, the samples, the gaps, one end line.
    ///
    /// # Errors
    /// When a value has no JSON form, such as a number that is not finite.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut out = String::new();
        let mut push = |line: &Line| -> Result<(), serde_json::Error> {
            let _ = writeln!(out, "{}", serde_json::to_string(line)?);
            Ok(())
        };
        push(&Line::Run(Box::new(self.run.clone())))?;
        for sample in &self.samples {
            push(&Line::Sample(sample.clone()))?;
        }
        for gap in &self.gaps {
            push(&Line::Gap(gap.clone()))?;
        }
        push(&Line::End { duration_s: self.duration_s, samples: self.samples.len() })?;
        Ok(out)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// All findings: lines that are no JSON of this format, unknown items, impossible times, a missing end.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let mut findings = Vec::new();
        let (mut run, mut samples, mut gaps, mut end) = (None, Vec::new(), Vec::new(), None);
        let mut lines = 0;
        for (number, line) in (1..).zip(text.lines()).filter(|(_, l)| !l.trim().is_empty()) {
            lines = number;
            let mut fail = |key: &str, message: String| {
                findings.push(Finding {
                    file: file.to_owned(),
                    line: Some(number),
                    key: key.to_owned(),
                    message,
                });
            };
            match serde_json::from_str::<Line>(line) {
                Ok(Line::Run(facts)) if facts.schema != SCHEMA => {
                    fail("schema", format!("is {}; this program reads {SCHEMA}", facts.schema));
                }
                Ok(Line::Run(_)) if run.is_some() => fail("kind", "is a second run; expected one".to_owned()),
                Ok(Line::Run(facts)) => run = Some(*facts),
                Ok(Line::Sample(sample)) => {
                    if let Err(error) = sample.item.parse::<Item>() {
                        fail("item", error.to_string());
                    } else if !(sample.elapsed_s > 0.0 && sample.count > 0 && sample.work >= 0.0) {
                        fail("elapsed_s", "is not a time above zero over one or more executions".to_owned());
                    } else {
                        samples.push(sample);
                    }
                }
                Ok(Line::Gap(gap)) => gaps.push(gap),
                Ok(Line::End { duration_s, .. }) => end = Some(duration_s),
                Err(error) => fail("", format!("is no line of a trace: {error}")),
            }
        }
        let mut missing = |what: &str| {
            let message = format!("has no {what} line; the file is incomplete");
            findings.push(Finding { file: file.to_owned(), line: Some(lines), key: String::new(), message });
        };
        if run.is_none() {
            missing("run");
        }
        if end.is_none() {
            missing("end");
        }
        match (run, end, findings.is_empty()) {
            (Some(run), Some(duration_s), true) => Ok(Self { run, samples, gaps, duration_s }),
            _ => Err(findings),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::DeviceKind;
    use super::*;

    fn trace() -> Trace {
        let run = RunFacts {
            schema: SCHEMA,
            program: "0".to_owned(),
            date: None,
            effort: "quick".to_owned(),
            seed: 1,
            rounds: 5,
            gpu: None,
            instance: None,
            node: None,
            host_cpu: None,
            device: DeviceFacts::new(DeviceKind::Simulated, "x"),
        };
        let sample = Sample {
            item: "launch stream".to_owned(),
            round: 0,
            at_s: 1.0,
            elapsed_s: 2e-3,
            count: 1000,
            work: 0.0,
            checked: true,
            environment: None,
        };
        Trace { run, samples: vec![sample], gaps: Vec::new(), duration_s: 3.0 }
    }

    #[test]
    fn a_trace_is_read_back_as_written() {
        let text = trace().to_text().unwrap();
        assert_eq!(Trace::parse("t", &text), Ok(trace()));
        assert_eq!(text.lines().count(), 3);
    }

    #[test]
    fn a_cut_trace_and_a_strange_item_are_findings_with_their_lines() {
        let text = trace().to_text().unwrap().replace("launch stream", "lunch");
        let cut: String = text.lines().take(2).collect::<Vec<_>>().join("\n");
        let findings = Trace::parse("t", &cut).unwrap_err();
        assert_eq!(findings.iter().map(|f| f.line).collect::<Vec<_>>(), [Some(2), Some(2)]);
        assert!(findings[0].message.contains("lunch") && findings[1].message.contains("end line"));
    }
}
