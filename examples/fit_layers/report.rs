//! What a fit is judged by: the mean absolute error of each model, and the median of that over the models.

use std::collections::BTreeMap;

use gpu_advisor::numeric::median;
use gpu_advisor::profile::LayerProfile;
use gpu_advisor::validation::{Metric, Prepared, predict, serves_most};

/// Collection that is judged by itself.
const FAMILY: &str = "DeepLearningExamples";

/// Rows with `ln(predicted / measured time)` under a fit that saw them and under one that did not see their model.
pub struct Judged<'r, 'a> {
    pub rows: &'r [&'r Prepared<'a>],
    pub inside: &'r [f64],
    pub held: &'r [f64],
}

/// Errors by model.
type Errors<'r> = BTreeMap<&'r str, Vec<f64>>;

/// Rows of two kinds, with their errors, by model and by what else they share.
type Pairs<'r> = BTreeMap<(&'r str, String), [Vec<(usize, f64)>; 2]>;

/// Error of a rate that belongs to an error of a time.
fn of_rate(log_time: f64) -> f64 {
    (-log_time).exp_m1().abs()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean over the errors of a model, then the median over the models, in hundredths.
fn typical(errors: &Errors<'_>) -> f64 {
    median(errors.values().map(|list| mean(list))).unwrap_or(f64::NAN) * 100.0
}

impl<'r> Judged<'r, '_> {
    /// Everything, the figures that are asked for last.
    pub fn print(&self, profile: &LayerProfile) {
        self.models();
        let few = |row: &Prepared<'_>| matches!(row.machine.gpus(), 1 | 8);
        let family = |row: &Prepared<'_>| row.run.family.contains(FAMILY);
        println!("median over models of the mean absolute error in %: held out (in sample)");
        self.line("all rows", &|_| true);
        self.line("1 and 8 GPUs", &few);
        self.line(FAMILY, &family);
        self.line("  1 and 8 GPUs", &|row| family(row) && few(row));
        for (title, of) in [
            ("A100:V100 speed-up", Self::speed_up as fn(&Self, &[f64]) -> Errors<'r>),
            ("1 to 8 GPUs, points", Self::scaling),
        ] {
            let held = of(self, self.held);
            println!(
                "{title:26} {:3} models {:5.1} ({:.1})",
                held.len(),
                typical(&held),
                typical(&of(self, self.inside))
            );
            let words: Vec<String> =
                held.iter().map(|(model, list)| format!("{model} {:.0}", mean(list) * 100.0)).collect();
            println!("    {}", words.join(", "));
        }
        println!("80 % interval holds {:.1} % of {} rows", self.coverage(profile) * 100.0, self.rows.len());
    }

    fn models(&self) {
        println!("{:26} rows  in     held   bias: A100 V100", "model");
        let mut models: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, row) in self.rows.iter().enumerate() {
            models.entry(&row.run.model).or_default().push(i);
        }
        for (model, members) in &models {
            let error =
                |list: &[f64]| mean(&members.iter().map(|&i| of_rate(list[i])).collect::<Vec<_>>()) * 100.0;
            let bias = |gpu: &str| {
                let own = members.iter().filter(|&&i| self.rows[i].run.gpu.starts_with(gpu));
                mean(&own.map(|&i| self.held[i]).collect::<Vec<_>>())
            };
            println!(
                "{model:26} {:4} {:5.1}% {:5.1}% {:+.2} {:+.2}",
                members.len(),
                error(self.inside),
                error(self.held),
                bias("a100"),
                bias("v100")
            );
        }
    }

    fn line(&self, title: &str, keep: &dyn Fn(&Prepared<'_>) -> bool) {
        let of = |list: &[f64]| {
            let mut errors = Errors::new();
            for (row, error) in self.rows.iter().zip(list).filter(|(row, _)| keep(row)) {
                errors.entry(&row.run.model).or_default().push(of_rate(*error));
            }
            errors
        };
        let held = of(self.held);
        println!(
            "{title:26} {:3} models {:5.1} ({:.1})",
            held.len(),
            typical(&held),
            typical(&of(self.inside))
        );
    }

    /// Rows alike but for one thing, by what they share; the errors of either kind.
    fn pairs(&self, list: &[f64], kind: &dyn Fn(&Prepared<'_>) -> Option<(String, usize)>) -> Pairs<'r> {
        let mut groups = Pairs::new();
        for (i, (row, error)) in self.rows.iter().zip(list).enumerate() {
            let Some((what, kind)) = kind(row) else { continue };
            let run = row.run;
            let more = [&run.stack, &run.family].map(String::as_str);
            let told =
                [&run.recipe, &run.compiler, &run.input_data].map(|t| t.as_deref().unwrap_or_default());
            let key = format!("{what} {} {}", more.join(" "), told.join(" "));
            groups.entry((&run.model, key)).or_default()[kind].push((i, *error));
        }
        groups.retain(|_, pair| pair.iter().all(|side| !side.is_empty()));
        groups
    }

    fn speed_up(&self, list: &[f64]) -> Errors<'r> {
        let groups = self.pairs(list, &|row| {
            let precision = if row.plans[0].precision.is_mixed() { 16 } else { 32 };
            let what = format!("{precision} {} {:?}", row.machine.gpus(), row.run.metric);
            Some((what, usize::from(row.run.gpu.starts_with("a100"))))
        });
        let mut errors = Errors::new();
        for ((model, _), pair) in groups {
            let [old, new] = pair.map(|side| mean(&side.iter().map(|(_, e)| *e).collect::<Vec<_>>()));
            errors.entry(model).or_default().push(of_rate(new - old));
        }
        errors
    }

    /// Efficiency is the rate of a GPU among eight over that of one alone; the error is a difference, not a ratio.
    fn scaling(&self, list: &[f64]) -> Errors<'r> {
        let groups = self.pairs(list, &|row| {
            let kind = match (row.machine.gpus(), row.run.metric == Metric::TimeToTrainS) {
                (1, false) => 0,
                (8, false) => 1,
                _ => return None,
            };
            let plan = row.plans[0];
            Some((format!("{} {} {}", row.run.gpu, plan.precision.name(), plan.micro_batch), kind))
        });
        let mut errors = Errors::new();
        for ((model, _), pair) in groups {
            // What was measured follows from the prediction of any fit and its error.
            let measured = |side: &[(usize, f64)]| {
                mean(&side.iter().filter_map(|&(i, _)| self.measured(i)).collect::<Vec<_>>())
            };
            let efficiency = measured(&pair[0]) / measured(&pair[1]) / 8.0;
            let [one, eight] = pair.map(|side| mean(&side.iter().map(|(_, e)| *e).collect::<Vec<_>>()));
            errors.entry(model).or_default().push(efficiency * (one - eight).exp_m1().abs());
        }
        errors
    }

    /// Measured seconds of a sample, of the whole machine.
    fn measured(&self, i: usize) -> Option<f64> {
        let row = self.rows[i];
        let found = predict(row, row.stack, 0.1)?;
        let log = gpu_advisor::validation::log_time_ratio(row, row.stack)?;
        Some(found.estimate.total().get() / found.plan.global_batch() as f64 / log.exp())
    }

    fn coverage(&self, profile: &LayerProfile) -> f64 {
        let inside = self.rows.iter().zip(self.held).filter(|(row, error)| {
            let sigma = profile.residuals.get(&row.stack.id).copied().unwrap_or(profile.residual);
            error.abs() <= 1.2816 * sigma
        });
        inside.count() as f64 / self.rows.len() as f64
    }
}

/// Spread of ln(time) between sources: what, added in squares to the spread of models left out, puts 80 % of the rows inside
/// whose source the fit has not seen, every source alike. Volumes are of one source and do not count.
pub fn between_sources(rows: &[&Prepared<'_>], elsewhere: &[f64], profile: &LayerProfile) -> f64 {
    let mut sources: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for (row, error) in rows.iter().zip(elsewhere).filter(|(row, _)| !row.workload.over_volumes()) {
        let sigma = profile.residuals.get(&row.stack.id).copied().unwrap_or(profile.residual);
        let edge = error.abs() / 1.2816;
        let missing = (edge * edge - sigma * sigma).max(0.0).sqrt();
        sources.entry(&row.run.family).or_default().push((missing, *error));
    }
    let mut wanted: Vec<(f64, f64)> = Vec::new();
    for (source, list) in &sources {
        let each = 1.0 / list.len() as f64;
        wanted.extend(list.iter().map(|(missing, _)| (*missing, each)));
        let errors: Vec<f64> = list.iter().map(|(_, e)| e.abs()).collect();
        println!("source left out: {source:44} {:4} rows, mean of ln {:.2}", list.len(), mean(&errors));
    }
    serves_most(&mut wanted).unwrap_or_default()
}
