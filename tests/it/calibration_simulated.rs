//! Simulated machines: the fit finds the parameters they were built from, and sees what disturbs them.

use gpu_advisor::calibration::fit::{FitError, FitSettings, fit};
use gpu_advisor::calibration::measured::Measured;
use gpu_advisor::calibration::measurement::{Format, Stream};
use gpu_advisor::calibration::protocol::{Settings, run};
use gpu_advisor::calibration::schedule::Effort;
use gpu_advisor::calibration::simulated::{Disturbance, Simulated, Truth};
use gpu_advisor::calibration::statistics::Flag;
use gpu_advisor::calibration::trace::Trace;
use gpu_advisor::catalog::Catalog;
use gpu_advisor::profile::Profiles;
use rayon::prelude::*;

fn truth(gpu: &str) -> Truth {
    let catalog = Catalog::embedded().unwrap();
    let profiles = Profiles::embedded(&catalog.gpus).unwrap();
    let id = catalog.gpus.iter().position(|g| g.id == gpu).unwrap();
    let mut truth = Truth::of(&catalog.gpus[id], &profiles.hardware[id]);
    truth.products.truncate(2);
    truth
}

fn settings(seed: u64) -> Settings {
    Settings { seed, sustained_s: 1.0, ..Settings::new(Effort::Quick) }
}

fn trace(truth: &Truth, disturbance: Disturbance) -> Trace {
    let mut device = Simulated::new(truth.clone(), disturbance);
    run(&mut device, &settings(disturbance.seed), &mut |_| {}).unwrap()
}

fn measure(truth: &Truth, disturbance: Disturbance, resamples: u32) -> Result<Measured, FitError> {
    fit(&trace(truth, disturbance), &FitSettings { resamples, gpu: None })
}

/// Every parameter with whether its interval holds the truth.
fn hits(measured: &Measured, truth: &Truth) -> Vec<(String, bool)> {
    let mut hits = Vec::new();
    for kind in Stream::ALL {
        let held = measured.stream(kind).unwrap().holds(truth.stream(kind).gb());
        hits.push((kind.name().to_owned(), held));
    }
    hits.push(("floor".to_owned(), measured.launch_us["stream"].holds(truth.floor.get() * 1e6)));
    hits.push(("peak of the sweep".to_owned(), measured.knee.tflop_per_s.holds(truth.vector.tera())));
    let read = truth.stream(Stream::Read).gb();
    hits.push(("bandwidth of the sweep".to_owned(), measured.knee.gb_per_s.holds(read)));
    hits.push(("exponent".to_owned(), measured.knee.exponent.holds(truth.norm)));
    for product in &truth.products {
        let found = measured.product.iter().find(|p| p.format == product.format).unwrap();
        let name = |what: &str| format!("{what} of {}", product.format.name());
        hits.push((name("peak"), found.tflop_per_s.holds(product.peak.tera())));
        hits.push((name("m0"), found.m0.holds(product.m0)));
        hits.push((name("k0"), found.k0.holds(product.k0)));
    }
    hits
}

/// Share of 200 seeds in which each interval holds the truth: 95 % is claimed. 200 draws of that have a standard
/// deviation of 1.54 %, and with 14 parameters of three machines four of them are the limit. Parameters of one machine
/// share its rounds and so stray together: 600 other seeds of the A100, whose m0 is the lowest here with 89 %, hold it
/// in 94 % of cases and all its parameters in 94 to 97 %.
fn covers(gpu: &str) {
    let truth = truth(gpu);
    let runs: Vec<Vec<(String, bool)>> = (0..200_u64)
        .into_par_iter()
        .map(|seed| hits(&measure(&truth, Disturbance::quiet(seed), 40).unwrap(), &truth))
        .collect();
    let mut low = Vec::new();
    for (i, (name, _)) in runs[0].iter().enumerate() {
        let share = runs.iter().filter(|r| r[i].1).count() as f64 / runs.len() as f64;
        if share < 0.888 {
            low.push(format!("{name}: {share}"));
        }
    }
    assert!(low.is_empty(), "{gpu}: {low:?}");
}

#[test]
fn intervals_of_a_simulated_v100_hold_the_truth_as_often_as_they_say() {
    covers("v100-sxm2-16gb");
}

#[test]
fn intervals_of_a_simulated_a100_hold_the_truth_as_often_as_they_say() {
    covers("a100-sxm-80gb");
}

#[test]
fn intervals_of_a_simulated_h200_hold_the_truth_as_often_as_they_say() {
    covers("h200-sxm");
}

#[test]
fn a_perfect_machine_is_found_exactly_and_carries_no_flag() {
    let truth = truth("a100-sxm-80gb");
    let perfect = Disturbance { within: 0.0, between: 0.0, ..Disturbance::quiet(1) };
    let measured = measure(&truth, perfect, 10).unwrap();
    assert_eq!(measured.flags, []);
    let peak = measured.product[0].tflop_per_s.value / truth.products[0].peak.tera();
    assert!((peak - 1.0).abs() < 0.005, "{peak}");
    assert!((measured.knee.exponent.value / truth.norm - 1.0).abs() < 0.02, "{:?}", measured.knee);
    assert!((measured.product[0].sustained_ratio.unwrap() - truth.sustained).abs() < 0.01);
    assert!(measured.product[0].held_out.unwrap().median < 0.01);
}

#[test]
fn drift_throttling_and_outliers_are_flagged_and_only_they() {
    let truth = truth("v100-sxm2-16gb");
    let flags = |change: fn(&mut Disturbance)| {
        let mut disturbance = Disturbance { between: 0.001, ..Disturbance::quiet(5) };
        change(&mut disturbance);
        measure(&truth, disturbance, 10).unwrap().flags
    };
    assert_eq!(flags(|_| {}), []);
    assert!(flags(|d| d.drift = 0.02).contains(&Flag::Drifting));
    assert!(flags(|d| d.outliers = 0.05).contains(&Flag::Outliers));
    let throttled = flags(|d| d.throttle_after = Some(5.0));
    assert!(throttled.contains(&Flag::Throttled), "{throttled:?}");
}

/// A machine as slow as a host CPU: a thousandth of a GPU's rates.
fn slow() -> Truth {
    let fast = truth("v100-sxm2-16gb");
    let mut truth = Truth {
        copy: fast.copy * 0.02,
        vector: fast.vector * 0.005,
        host: fast.host * 0.2,
        floor: fast.floor * 5.0,
        ..fast
    };
    truth.products.retain(|p| p.format == Format::Fp32);
    for product in &mut truth.products {
        product.peak = product.peak * 0.005;
    }
    truth
}

fn on_a_busy_machine(busy: f64) -> (Trace, Result<Measured, FitError>) {
    let mut device = Simulated::new(slow(), Disturbance { busy, ..Disturbance::quiet(4) });
    let settings = Settings { longest_s: 0.32, ..Settings::new(Effort::Quick) };
    let trace = run(&mut device, &settings, &mut |_| {}).unwrap();
    // The last execution that was begun may outlast the 50 s; 60 s hold it and the fit.
    assert!(trace.duration_s < 53.0, "busy {busy}: {} s", trace.duration_s);
    let measured = fit(&trace, &FitSettings { resamples: 20, gpu: None });
    (trace, measured)
}

#[test]
fn a_busy_machine_ends_within_its_minute_and_gives_a_profile_that_says_so() {
    for busy in [0.5, 3.0] {
        let (trace, measured) = on_a_busy_machine(busy);
        let flags = measured.unwrap_or_else(|e| panic!("busy {busy}: {e}")).flags;
        assert!(flags.contains(&Flag::Noisy) && flags.contains(&Flag::Truncated), "busy {busy}: {flags:?}");
        assert!(
            trace.gaps.iter().any(|g| g.truncated && g.reason.contains("of 5 rounds")),
            "{:?}",
            trace.gaps
        );
    }
}

#[test]
fn a_machine_with_ten_others_in_the_queue_ends_as_soon_and_its_numbers_are_refused_with_that_reason() {
    let (trace, measured) = on_a_busy_machine(10.0);
    assert!(trace.gaps.iter().any(|g| g.reason.contains("busy with other work")), "{:?}", trace.gaps);
    let refused = measured.unwrap_err().to_string();
    assert!(refused.contains("run again when the machine is idle"), "{refused}");
}

#[test]
fn a_clock_that_ticks_a_thousand_times_a_second_costs_rounds_and_not_minutes() {
    let disturbance = Disturbance { tick: 1e-3, ..Disturbance::quiet(4) };
    let truth = truth("a100-sxm-80gb");
    let trace = trace(&truth, disturbance);
    assert!(trace.duration_s < 52.0, "{} s", trace.duration_s);
    // Batches of 50 ticks are read within two per cent.
    let measured = fit(&trace, &FitSettings { resamples: 20, gpu: None }).unwrap();
    let peak = measured.product[0].tflop_per_s.value / truth.products[0].peak.tera();
    assert!((peak - 1.0).abs() < 0.05, "{peak}");
}

#[test]
fn a_machine_too_busy_for_any_number_is_refused_with_that_reason() {
    let mut trace = trace(&truth("v100-sxm2-16gb"), Disturbance::quiet(3));
    let mut random = gpu_advisor::numeric::Random::new(9);
    for sample in &mut trace.samples {
        sample.elapsed_s *= (3.0 * random.normal()).exp();
    }
    let refused = fit(&trace, &FitSettings { resamples: 5, gpu: None }).unwrap_err().to_string();
    assert!(refused.contains("The machine is busy with other work"), "{refused}");
}

#[test]
fn typical_batches_spoiled_by_other_work_leave_the_fastest() {
    let truth = truth("v100-sxm2-16gb");
    let mut trace = trace(&truth, Disturbance::quiet(3));
    let mut random = gpu_advisor::numeric::Random::new(9);
    // Every fifth batch is undisturbed, the others take up to 30 times as long.
    for (place, sample) in trace.samples.iter_mut().enumerate() {
        sample.elapsed_s *= if place % 5 == 0 { 1.0 } else { 1.0 + 30.0 * random.uniform() };
    }
    let measured = fit(&trace, &FitSettings { resamples: 5, gpu: None }).unwrap();
    assert!(measured.flags.contains(&Flag::Busy), "{:?}", measured.flags);
    let product = &measured.product[0];
    assert_eq!(product.tflop_per_s.ci95, None);
    assert!((product.tflop_per_s.value / truth.products[0].peak.tera() - 1.0).abs() < 0.1, "{product:?}");
}

#[test]
fn a_trace_read_back_gives_the_same_profile_to_the_last_bit() {
    let trace = trace(&truth("h200-sxm"), Disturbance::quiet(3));
    let settings = FitSettings { resamples: 20, gpu: None };
    let again = Trace::parse("t", &trace.to_text().unwrap()).unwrap();
    assert_eq!(fit(&again, &settings), fit(&trace, &settings));
}

#[test]
fn measurements_that_no_curve_describes_are_refused() {
    let mut trace = trace(&truth("v100-sxm2-16gb"), Disturbance::quiet(3));
    let mut random = gpu_advisor::numeric::Random::new(9);
    for sample in trace.samples.iter_mut().filter(|s| s.item.starts_with("product")) {
        sample.elapsed_s *= (2.0 * random.normal()).exp();
    }
    let refused = fit(&trace, &FitSettings { resamples: 5, gpu: None });
    assert!(matches!(refused, Err(FitError::Poor { .. })), "{refused:?}");
    trace.samples.retain(|s| !s.item.starts_with("launch"));
    let missing = fit(&trace, &FitSettings { resamples: 5, gpu: None }).unwrap_err();
    assert!(missing.to_string().contains("launch floor"), "{missing}");
}
