//! Reading measured runs from CSV.

use std::collections::BTreeMap;

use super::header::{missing_columns, unread};
use super::run::{BatchUnit, Metric, Quality, Run};
use super::training_length::trained_share;
use crate::catalog::{Finding, Precision};
use crate::plan::{Recompute, Sharding};
use crate::units::BytesPerSecond;

/// Columns a file must have.
const COLUMNS: [&str; 42] = [
    "id",
    "family",
    "source",
    "gpu",
    "gpus",
    "gpus_per_node",
    "network_gbit_s_per_node",
    "network_kind",
    "stack",
    "model",
    "params_b",
    "layers",
    "hidden",
    "heads",
    "kv_heads",
    "ffn",
    "vocab",
    "sequence_length",
    "input_size",
    "precision",
    "global_batch",
    "micro_batch",
    "gradient_accumulation",
    "tensor_parallel",
    "pipeline_parallel",
    "virtual_stages",
    "context_parallel",
    "expert_parallel",
    "data_parallel",
    "sharding",
    "sequence_parallel",
    "recompute",
    "flash_attention",
    "optimizer_offload",
    "recipe",
    "compiler",
    "input_data",
    "batch_unit",
    "metric",
    "value",
    "quality",
    "notes",
];

/// Parameters are written in billions.
const PARAMETER_UNIT: &str = "B";

/// Reads all rows of a CSV text; `file` names it in findings.
///
/// # Errors
/// Every finding of the file: missing columns, broken records, cells that are not what their column holds.
pub fn parse_runs(file: &str, text: &str) -> Result<Vec<Run>, Vec<Finding>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut findings = Vec::new();
    let index = match reader.headers() {
        Ok(headers) => headers.iter().enumerate().map(|(i, h)| (h.to_owned(), i)).collect(),
        Err(error) => return Err(vec![finding(file, Some(1), "", error.to_string())]),
    };
    missing_columns(file, &index, &COLUMNS, &mut findings);
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut runs = Vec::new();
    for record in reader.records() {
        match record {
            Ok(record) => {
                let line = record.position().map_or(0, |p| line_of(text, p));
                let mut cells = Cells {
                    file,
                    line,
                    record: &record,
                    index: &index,
                    findings: &mut findings,
                    compound: Vec::new(),
                };
                runs.extend(cells.run());
            }
            Err(error) => {
                let line = error.position().map(|p| line_of(text, p) as usize);
                findings.push(finding(file, line, "", unread(&error)));
            }
        }
    }
    if findings.is_empty() { Ok(runs) } else { Err(findings) }
}

/// One-based line of a record. After a line that ends in CR LF the reader takes the LF for the beginning of the next
/// record, and its line with it.
fn line_of(text: &str, position: &csv::Position) -> u64 {
    let at = text.as_bytes().get(position.byte() as usize);
    position.line() + u64::from(at == Some(&b'\n'))
}

pub(super) fn finding(file: &str, line: Option<usize>, key: &str, message: String) -> Finding {
    Finding { file: file.to_owned(), line, key: key.to_owned(), message }
}

/// One record with what was found wrong in it.
struct Cells<'c> {
    file: &'c str,
    line: u64,
    record: &'c csv::StringRecord,
    index: &'c BTreeMap<String, usize>,
    findings: &'c mut Vec<Finding>,
    compound: Vec<(&'static str, String)>,
}

impl<'c> Cells<'c> {
    fn text(&self, column: &str) -> &'c str {
        self.index.get(column).and_then(|&i| self.record.get(i)).unwrap_or_default().trim()
    }

    fn stated(&self, column: &str) -> Option<&'c str> {
        Some(self.text(column)).filter(|t| !t.is_empty())
    }

    fn owned(&self, column: &str) -> Option<String> {
        self.stated(column).map(str::to_owned)
    }

    fn fail(&mut self, column: &str, message: String) {
        self.findings.push(finding(self.file, Some(self.line as usize), column, message));
    }

    fn required(&mut self, column: &str) -> String {
        let text = self.text(column);
        if text.is_empty() {
            self.fail(column, "is empty; expected text".to_owned());
        }
        text.to_owned()
    }

    /// One of a few words.
    fn word<T: Copy>(&mut self, column: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.stated(column)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|&(_, value)| value);
        if found.is_none() {
            let accepted: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.fail(column, format!("is {text:?}; expected one of {}", accepted.join(", ")));
        }
        found
    }

    /// A finite number above zero.
    fn number(&mut self, column: &str) -> Option<f64> {
        let text = self.stated(column)?;
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => Some(number),
            _ => {
                self.fail(column, format!("is {text:?}; expected a number above zero"));
                None
            }
        }
    }

    /// A whole number above zero. Text that begins with a digit but is no whole number is kept as it is: the row is
    /// readable, only not expressible.
    fn count(&mut self, column: &'static str) -> Option<u64> {
        let text = self.stated(column)?;
        match text.parse::<f64>() {
            Ok(number) if number >= 1.0 && number.fract() == 0.0 && number < 1e15 => Some(number as u64),
            _ if text.starts_with(|c: char| c.is_ascii_digit()) && text != "0" => {
                self.compound.push((column, text.to_owned()));
                None
            }
            _ => {
                self.fail(column, format!("is {text:?}; expected a whole number above zero"));
                None
            }
        }
    }

    fn small(&mut self, column: &'static str) -> Option<u32> {
        let count = self.count(column)?;
        let small = u32::try_from(count).ok();
        if small.is_none() {
            self.fail(column, format!("is {count}; expected less than 2^32"));
        }
        small
    }

    fn flag(&mut self, column: &str) -> Option<bool> {
        self.word(column, &[("yes", Some(true)), ("no", Some(false)), ("unknown", None)]).flatten()
    }

    fn run(&mut self) -> Option<Run> {
        let before = self.findings.len();
        let sharding = self.word(
            "sharding",
            &[
                ("none", (Sharding::None, false)),
                ("zero1", (Sharding::Zero1, false)),
                ("zero2", (Sharding::Zero2, false)),
                ("zero3", (Sharding::Zero3, false)),
                ("hsdp", (Sharding::Zero3, true)),
            ],
        );
        let parameters = self.number("params_b").map(|billions| {
            crate::units::parse::parse_count(&format!("{billions}{PARAMETER_UNIT}")).unwrap_or(f64::NAN)
        });
        let network = self.number("network_gbit_s_per_node").map(BytesPerSecond::from_gigabit);
        let run = Run {
            file: self.file.to_owned(),
            line: self.line,
            id: self.required("id"),
            family: self.required("family"),
            source: self.text("source").to_owned(),
            gpu: self.text("gpu").to_owned(),
            gpus: self.small("gpus"),
            gpus_per_node: self.small("gpus_per_node"),
            network,
            network_kind: self.owned("network_kind"),
            stack: self.text("stack").to_owned(),
            model: self.text("model").to_owned(),
            parameters,
            layers: self.small("layers"),
            hidden: self.small("hidden"),
            heads: self.small("heads"),
            kv_heads: self.small("kv_heads"),
            ffn: self.small("ffn"),
            vocab: self.small("vocab"),
            sequence_length: self.small("sequence_length"),
            input_size: self.owned("input_size"),
            precision: self.precision(),
            global_batch: self.count("global_batch"),
            micro_batch: self.count("micro_batch"),
            gradient_accumulation: self.small("gradient_accumulation"),
            tensor_parallel: self.small("tensor_parallel"),
            pipeline_parallel: self.small("pipeline_parallel"),
            virtual_stages: self.small("virtual_stages"),
            context_parallel: self.small("context_parallel"),
            expert_parallel: self.small("expert_parallel"),
            data_parallel: self.small("data_parallel"),
            sharding: sharding.map(|(s, _)| s),
            hybrid_sharding: sharding.is_some_and(|(_, hybrid)| hybrid),
            sequence_parallel: self.flag("sequence_parallel"),
            recompute: self.recompute(),
            flash_attention: self.flag("flash_attention"),
            optimizer_offload: self.flag("optimizer_offload"),
            recipe: self.owned("recipe"),
            compiler: self.owned("compiler"),
            input_data: self.owned("input_data"),
            batch_unit: self.batch_unit(),
            metric: self.metric(),
            value: self.value(),
            quality: self.quality(),
            notes: self.text("notes").to_owned(),
            compound: std::mem::take(&mut self.compound),
        };
        (self.findings.len() == before).then_some(run)
    }

    fn precision(&mut self) -> Option<Precision> {
        self.word("precision", &Precision::ALL.map(|p| (p.name(), p)))
    }

    fn recompute(&mut self) -> Option<Recompute> {
        self.word(
            "recompute",
            &[Recompute::None, Recompute::Selective, Recompute::Full].map(|r| (r.name(), r)),
        )
    }

    fn value(&mut self) -> f64 {
        if self.stated("value").is_none() {
            self.fail("value", "is empty; expected a number above zero".to_owned());
        }
        let value = self.number("value").unwrap_or(f64::NAN);
        let share = trained_share(self.text("notes")).filter(|_| self.text("metric").contains("_per_s"));
        value * share.unwrap_or(1.0)
    }

    fn batch_unit(&mut self) -> BatchUnit {
        let words = [
            ("sequences", BatchUnit::Sequences),
            ("samples", BatchUnit::Samples),
            ("tokens", BatchUnit::Tokens),
        ];
        self.word("batch_unit", &words).unwrap_or(BatchUnit::Samples)
    }

    fn quality(&mut self) -> Quality {
        let words = [
            ("strong", Quality::Strong),
            ("assumed", Quality::Assumed),
            ("weak", Quality::Weak),
            ("recalled", Quality::Recalled),
        ];
        // An absent quality is not a strong one.
        self.word("quality", &words).unwrap_or(Quality::Weak)
    }

    fn metric(&mut self) -> Metric {
        let words = [
            ("iteration_time_s", Metric::IterationTimeS),
            ("tokens_per_s", Metric::TokensPerS),
            ("tokens_per_s_per_gpu", Metric::TokensPerSPerGpu),
            ("samples_per_s", Metric::SamplesPerS),
            ("mel_frames_per_s", Metric::MelFramesPerS),
            ("time_to_train_s", Metric::TimeToTrainS),
            ("epoch_time_s", Metric::EpochTimeS),
            ("total_days", Metric::TotalDays),
            ("total_gpu_hours", Metric::TotalGpuHours),
        ];
        if self.stated("metric").is_none() {
            self.fail("metric", "is empty; expected such as iteration_time_s".to_owned());
        }
        self.word("metric", &words).unwrap_or(Metric::IterationTimeS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(rows: &[&[(&str, &str)]]) -> String {
        let mut text = COLUMNS.join(",");
        for row in rows {
            let cells: Vec<&str> = COLUMNS
                .iter()
                .map(|column| {
                    let given = row.iter().find(|(name, _)| name == column).map(|(_, value)| *value);
                    let default = match *column {
                        "metric" => "iteration_time_s",
                        "value" => "2.5",
                        "quality" => "strong",
                        "id" | "family" | "source" | "gpu" | "stack" | "model" => "x",
                        _ => "",
                    };
                    given.unwrap_or(default)
                })
                .collect();
            text.push('\n');
            text.push_str(&cells.join(","));
        }
        text
    }

    #[test]
    fn absent_cells_stay_absent() {
        let runs = parse_runs("a.csv", &csv(&[&[("gpus", "8"), ("params_b", "1.5")]])).unwrap();
        assert_eq!((runs[0].gpus, runs[0].micro_batch, runs[0].recompute), (Some(8), None, None));
        assert_eq!((runs[0].parameters, runs[0].value), (Some(1.5e9), 2.5));
    }

    #[test]
    fn all_findings_come_at_once_with_their_line_and_column() {
        let text = csv(&[&[("gpus", "eight")], &[("metric", "speed"), ("value", "-1")]]);
        let findings = parse_runs("a.csv", &text).unwrap_err();
        let places: Vec<_> = findings.iter().map(|f| (f.line, f.key.as_str())).collect();
        assert_eq!(places, [(Some(2), "gpus"), (Some(3), "metric"), (Some(3), "value")]);
    }

    #[test]
    fn lines_are_counted_alike_whatever_ends_them() {
        let text = csv(&[&[("gpus", "eight")], &[], &[("gpus", "nine")]]);
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            let findings = parse_runs("a.csv", &text).unwrap_err();
            assert_eq!(findings.iter().map(|f| f.line).collect::<Vec<_>>(), [Some(2), Some(4)]);
        }
    }

    #[test]
    fn two_phases_in_one_cell_are_kept_but_are_no_number() {
        let runs = parse_runs("a.csv", &csv(&[&[("micro_batch", "64 then 8")]])).unwrap();
        assert_eq!(runs[0].micro_batch, None);
        assert_eq!(runs[0].compound, [("micro_batch", "64 then 8".to_owned())]);
    }

    #[test]
    fn a_missing_column_is_named() {
        let findings = parse_runs("a.csv", &csv(&[&[]]).replacen("metric", "metrik", 1)).unwrap_err();
        assert!(findings.iter().any(|f| f.key == "metric" && f.line == Some(1)));
    }
}
