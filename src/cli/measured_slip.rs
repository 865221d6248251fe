//! Measurements that nobody believes: so far from the prediction that a unit, the thing measured or the cluster is another one.

use crate::advisor::{Estimate, Simulation};
use crate::units::Seconds;
use crate::units::text::{duration, significant};
use crate::validation::LogSpeed;
use crate::workload::Job;

/// A step this many times slower or faster than predicted is a slip of the pen: no published run was that far off.
const FAR: f64 = 20.0;
/// A slip explains a ratio when they differ by no more than this factor.
const NEAR: f64 = 3.0;
/// Between a unit and its thousandth.
const THOUSAND: f64 = 1000.0;

/// One mistake: by what it multiplies the step, and what it is.
type Slip = (f64, &'static str);

/// Why a measured step is not believed, with what was predicted and the mistake that explains it best; `None` where it is.
///
/// `measured` are its seconds and the share of them that waited for data, where that is told. Waits are no slip: without them, or
/// between the predicted work and the step with its predicted wait, a measurement is as expected.
pub fn disbelief(
    (measured, data_share): (f64, Option<f64>),
    speed: LogSpeed,
    job: &Job,
    simulation: &Simulation,
) -> Option<String> {
    let (estimate, cluster) = (simulation.estimate()?, &simulation.cluster);
    let label = &cluster.label;
    let step = &estimate.planned.step;
    let measured = measured * (1.0 - data_share.unwrap_or(0.0));
    let longest = if data_share.is_some() { step.work() } else { step.total() };
    let predicted = Seconds::new(measured).min(longest).max(step.work());
    let ratio = measured / predicted.get();
    let with_waits = predicted / step.total();
    let utilization = estimate.utilization.model_flop_utilization;
    let peak = utilization.map(|u| u / (ratio * with_waits)).filter(|&u| u > 1.0);
    if peak.is_none() && (1.0 / FAR..=FAR).contains(&ratio) {
        return None;
    }
    let samples = estimate.planned.plan.global_batch() as f64;
    let (times, way) = if ratio > 1.0 { (ratio, "slower") } else { (1.0 / ratio, "faster") };
    let beyond =
        peak.map_or_else(String::new, |u| format!(" and means {:.0} % of the GPUs' peak", u * 100.0));
    let [own, taken] = [Seconds::new(measured), predicted].map(|time| duration(time, 3));
    let likely = likely(ratio, &slips(speed, job, estimate, cluster.gpus()))
        .map_or_else(|| "check the number, its unit".to_owned(), |what| format!("is it {what}? Else check"));
    let rest = if likely.ends_with("check") { " " } else { ", " };
    Some(format!(
        "--measured: a step of {own} on {label} is {} times {way} than the {taken} predicted{beyond}; {likely}{rest}the \
         cluster and the global batch ({samples} samples a step here)",
        significant(times, 2)
    ))
}

/// The mistake nearest to the ratio.
fn likely(ratio: f64, slips: &[Slip]) -> Option<&'static str> {
    let off = |slip: &Slip| (ratio / slip.0).ln().abs();
    // One of hardly any effect, such as one micro-batch of one, explains nothing.
    let telling = |slip: &&Slip| slip.0.ln().abs() > NEAR.ln();
    let near = slips.iter().filter(telling).filter(|slip| off(slip) <= NEAR.ln());
    near.min_by(|a, b| off(a).total_cmp(&off(b))).map(|slip| slip.1)
}

/// What is easily written for a speed of this kind.
fn slips(speed: LogSpeed, job: &Job, estimate: &Estimate, gpus: u32) -> Vec<Slip> {
    let plan = &estimate.planned.plan;
    let samples = plan.global_batch() as f64;
    let (rows, gpus) = (f64::from(job.workload.rows_per_sample), f64::from(gpus));
    match speed {
        LogSpeed::StepSeconds(_) => vec![
            (THOUSAND, "milliseconds written as seconds"),
            (1.0 / THOUSAND, "seconds written as milliseconds"),
            (1.0 / samples, "the time of one sample, not of a step"),
            (1.0 / f64::from(plan.gradient_accumulation_steps), "the time of one micro-batch, not of a step"),
        ],
        LogSpeed::SamplesPerSecond(_) => vec![
            (THOUSAND, "thousands of samples a second written without the k"),
            (samples, "steps a second, not samples"),
            (gpus, "the rate of one GPU, not of all"),
            (1.0 / rows, "tokens a second, not samples"),
        ],
        LogSpeed::TokensPerSecond(_) => vec![
            (THOUSAND, "thousands of tokens a second written without the k"),
            (rows, "samples a second, not tokens"),
            (gpus, "the rate of one GPU, not of all"),
        ],
        LogSpeed::EpochSeconds(_) => vec![
            (THOUSAND, "milliseconds written as seconds"),
            (1.0 / THOUSAND, "seconds written as milliseconds"),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::likely;

    #[test]
    fn the_nearest_mistake_within_a_factor_of_three_is_named() {
        let slips = [(1000.0, "unit"), (0.001, "thousandth"), (1.0 / 256.0, "sample")];
        assert_eq!(likely(1100.0, &slips), Some("unit"));
        assert_eq!(likely(1.0 / 300.0, &slips), Some("sample"));
        assert_eq!(likely(1.0 / 900.0, &slips), Some("thousandth"));
        assert_eq!(likely(40.0, &slips), None);
        assert_eq!(likely(0.9, &[(1.0, "nothing")]), None);
    }
}
