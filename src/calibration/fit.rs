//! From a trace to what it says about the machine: values, fitted parameters, intervals, flags, refusal.

use super::fit_curve::Residuals;
use super::fit_intervals::{Parameters, bootstrap};
use super::fit_product::{Known, Observation, held_out, residuals};
use super::fit_transfers::transfers;
use super::measured::{
    CacheResult, CeilingResult, Conditions, Fitted, KneePoint, KneeResult, Measured, ProductPoint,
    ProductResult, StreamResult, giga, micros, tera,
};
use super::measurement::{Cores, Format, Item, Shape};
use super::statistics::{Estimate, Flag, Summary, scatter, summarise};
use super::trace::Trace;
use crate::catalog::GpuSpec;
use crate::numeric::{median, quantile, sorted};

/// Largest median error of a fit that is worth a profile.
const WORST_MEDIAN: f64 = 0.25;
/// Measured rates may exceed the datasheet by the clock's tolerance.
pub(super) const TOLERANCE: f64 = 1.02;
/// Shapes with a shorter side have kernels of their own and do not belong on the curve.
const LEAST_SIDE: u32 = 64;
/// Folds of the held-out error.
const FOLDS: usize = 5;
/// Batches that are typically slower than the fastest by this share tell of other work on the machine: a quiet one scatters by
/// a few per cent.
const BUSY: f64 = 0.1;
/// From here on the typical batch measures the other work: throttling slows by a third at most.
const VERY_BUSY: f64 = 0.5;

/// How to fit.
#[derive(Debug, Clone, Copy)]
pub struct FitSettings<'a> {
    /// Resamples of the rounds.
    pub resamples: u32,
    /// Datasheet of the GPU, to tell the impossible.
    pub gpu: Option<&'a GpuSpec>,
}

/// Why a trace gives no profile.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A required measurement is missing.
    #[error("{what} was not measured{}", .reason.as_ref().map_or_else(String::new, |r| format!(": {r}")))]
    Missing {
        /// What.
        what: &'static str,
        /// Why, where the trace says.
        reason: Option<String>,
    },
    /// The curve does not describe the measurements.
    #[error(
        "the fit of {what} is off by {:.0} % at the median; at most {:.0} % is accepted{}",
        .median * 100.0, .limit * 100.0, busy(*.scatter, *.cut)
    )]
    Poor {
        /// Which fit.
        what: String,
        /// Its median error.
        median: f64,
        /// The limit.
        limit: f64,
        /// How much slower the typical batch is than the fastest.
        scatter: f64,
        /// Items that were cut short for want of time.
        cut: usize,
    },
}

/// What to say of a machine that was too busy even for its fastest batches.
fn busy(scatter: f64, cut: usize) -> String {
    if scatter < BUSY && cut == 0 {
        return String::new();
    }
    format!(
        ". The machine is busy with other work or too slow: batches of one measurement typically take {:.0} % longer than the fastest of \
         them, {cut} measurements were cut short, and even the fastest batches do not fit. These numbers are unusable; run again when \
         the machine is idle",
        scatter * 100.0
    )
}

/// Shapes of an item that belong on the curve of a format.
pub(super) fn on_curve(item: &Item, format: Format) -> Option<Shape> {
    match item {
        Item::Product { shape, format: f, layout } if *f == format && *layout == f.first_layout() => {
            let sides = [shape.m, shape.n, shape.k];
            let aligned = format == Format::Fp32 || sides.iter().all(|s| s % 8 == 0);
            (aligned && sides.iter().all(|s| *s >= LEAST_SIDE)).then_some(*shape)
        }
        _ => None,
    }
}

/// Fits a trace. On a machine that other work keeps busy the fastest batches are fitted, without intervals and flagged: where the
/// typical ones are far slower, or where they do not fit.
///
/// # Errors
/// When a required item is missing or a curve misses its points by more than a quarter at the median.
pub fn fit(trace: &Trace, settings: &FitSettings<'_>) -> Result<Measured, FitError> {
    let summaries = summarise(trace);
    let scatter = scatter(&summaries);
    if scatter < VERY_BUSY {
        match fit_summaries(&summaries, trace, settings) {
            Err(FitError::Poor { .. }) if scatter > BUSY || trace.gaps.iter().any(|g| g.truncated) => {}
            found => return found,
        }
    }
    let fastest: Vec<Summary> = summaries.iter().map(Summary::fastest).collect();
    fit_summaries(&fastest, trace, settings).map_err(|error| match error {
        FitError::Poor { what, median, limit, .. } => {
            let cut = trace.gaps.iter().filter(|g| g.truncated).count();
            FitError::Poor { what, median, limit, scatter, cut }
        }
        missing @ FitError::Missing { .. } => missing,
    })
}

fn fit_summaries(
    summaries: &[Summary],
    trace: &Trace,
    settings: &FitSettings<'_>,
) -> Result<Measured, FitError> {
    let (point, intervals) = bootstrap(summaries, trace, settings)?;
    let mut measured = Measured {
        program: trace.run.program.clone(),
        date: trace.run.date.clone(),
        effort: trace.run.effort.clone(),
        seed: trace.run.seed,
        rounds: trace.run.rounds,
        duration_s: trace.duration_s,
        instance: trace.run.instance.clone(),
        node: trace.run.node.clone(),
        merged_from: Vec::new(),
        host_cpu: trace.run.host_cpu.clone(),
        flags: Vec::new(),
        conditions: conditions(trace),
        device: trace.run.device.clone(),
        launch_us: summaries
            .iter()
            .filter_map(|s| match s.item {
                Item::Launch(kind) => Some((kind.name().to_owned(), s.time.scaled(micros(1.0)))),
                _ => None,
            })
            .collect(),
        stream: collect(summaries, |s| match s.item {
            Item::Stream { kind, bytes } => {
                Some(StreamResult { kind, bytes, gb_per_s: net_bandwidth(s, point.floor) })
            }
            _ => None,
        }),
        l2: collect(summaries, |s| match s.item {
            Item::L2Read { bytes } => Some(CacheResult { bytes, gb_per_s: s.bandwidth().scaled(giga(1.0)) }),
            _ => None,
        }),
        knee: knee(summaries, &point, &intervals)?,
        ceiling: collect(summaries, |s| match s.item {
            Item::Ceiling { format, cores } => {
                Some(CeilingResult { format, cores, tflop_per_s: s.flop_rate().scaled(tera(1.0)) })
            }
            _ => None,
        }),
        product: products(summaries, trace, &point, &intervals)?,
        transfer: transfers(summaries),
        gaps: trace.gaps.clone(),
    };
    implausible(&mut measured, settings.gpu);
    measured.flags = all_flags(&measured);
    Ok(measured)
}

/// Bandwidth without the floor of the kernel, in GB/s: `W` of `T = floor + bytes / W`, as the simulator uses it.
fn net_bandwidth(summary: &Summary, floor: f64) -> Estimate {
    summary.time.less(floor).inverse(summary.item.traffic().get()).scaled(giga(1.0))
}

fn collect<T>(summaries: &[Summary], each: impl Fn(&Summary) -> Option<T>) -> Vec<T> {
    summaries.iter().filter_map(each).collect()
}

fn knee(summaries: &[Summary], point: &Parameters, intervals: &[Fitted]) -> Result<KneeResult, FitError> {
    let curve = &point.knee;
    let sweep: Vec<&Summary> =
        summaries.iter().filter(|s| matches!(s.item, Item::Intensity { .. })).collect();
    let pairs = sweep.iter().map(|s| (curve.seconds(s.work, s.item.traffic().get()), s.time.value));
    let residuals =
        Residuals::of(pairs).ok_or(FitError::Missing { what: "the intensity sweep", reason: None })?;
    accept("the intensity sweep", residuals.median)?;
    let points = sweep
        .iter()
        .map(|s| KneePoint {
            flop_per_byte: s.work / s.item.traffic().get(),
            tflop_per_s: s.flop_rate().scaled(tera(1.0)),
        })
        .collect();
    Ok(KneeResult {
        tflop_per_s: intervals[0].scaled(tera(1.0)),
        gb_per_s: intervals[1].scaled(giga(1.0)),
        exponent: intervals[2],
        residuals,
        points,
    })
}

fn accept(what: &str, median: f64) -> Result<(), FitError> {
    if median > WORST_MEDIAN {
        return Err(FitError::Poor {
            what: what.to_owned(),
            median,
            limit: WORST_MEDIAN,
            scatter: 0.0,
            cut: 0,
        });
    }
    Ok(())
}

fn products(
    summaries: &[Summary],
    trace: &Trace,
    point: &Parameters,
    intervals: &[Fitted],
) -> Result<Vec<ProductResult>, FitError> {
    let mut results = Vec::new();
    for (place, (format, model)) in point.products.iter().enumerate() {
        let known = Known {
            format: *format,
            bandwidth: Some(point.copy),
            floor: Some(point.floor),
            norm: model.norm,
            tied: true,
            ceiling: None,
        };
        let observations: Vec<Observation> = summaries
            .iter()
            .filter_map(|s| Some(Observation { shape: on_curve(&s.item, *format)?, seconds: s.time.value }))
            .collect();
        let what = format!("{} products", format.name());
        let errors = residuals(model, &observations, *format)
            .ok_or(FitError::Missing { what: "a matrix product", reason: None })?;
        accept(&what, errors.median)?;
        let points = collect(summaries, |s| match s.item {
            Item::Product { shape, format: f, layout } if f == *format => Some(ProductPoint {
                m: shape.m,
                n: shape.n,
                k: shape.k,
                layout,
                us: s.time.scaled(micros(1.0)),
                predicted_us: micros(model.seconds(shape, f)),
                fitted: on_curve(&s.item, f).is_some(),
            }),
            _ => None,
        });
        let first = 3 + 3 * place;
        results.push(ProductResult {
            format: *format,
            source: trace.run.device.product_source.clone(),
            tflop_per_s: intervals[first].scaled(tera(1.0)),
            m0: intervals[first + 1],
            k0: intervals[first + 2],
            sustained_ratio: sustained(summaries, *format),
            residuals: errors,
            held_out: held_out(&observations, &known, FOLDS),
            points,
        });
    }
    Ok(results)
}

/// Rate of the second half of the sustained product over that of its own shape in the rounds; at most 1.
fn sustained(summaries: &[Summary], format: Format) -> Option<f64> {
    let long = summaries.iter().find_map(|s| match s.item {
        Item::Sustained { shape, format: f } if f == format => Some((shape, s)),
        _ => None,
    });
    let (shape, long) = long?;
    let short = summaries
        .iter()
        .find(|s| s.item == Item::Product { shape, format, layout: format.first_layout() })?;
    let late = median(long.rounds[long.rounds.len() / 2..].iter().copied())?;
    Some((short.time.value / late).min(1.0))
}

/// Flags what cannot be: above the datasheet, products above the ceiling of their format, L2 slower than DRAM.
fn implausible(measured: &mut Measured, gpu: Option<&GpuSpec>) {
    let flag = |flags: &mut Vec<Flag>| {
        flags.push(Flag::Implausible);
        flags.sort_unstable();
    };
    let bandwidth = gpu.and_then(|g| g.memory_bandwidth).map(|b| b.gb() * TOLERANCE);
    for stream in &mut measured.stream {
        if bandwidth.is_some_and(|limit| stream.gb_per_s.value > limit) {
            flag(&mut stream.gb_per_s.flags);
        }
    }
    let dram = measured.stream.iter().map(|s| s.gb_per_s.value).fold(0.0, f64::max);
    for cache in measured.l2.iter_mut().filter(|c| c.gb_per_s.value < dram) {
        flag(&mut cache.gb_per_s.flags);
    }
    for product in &mut measured.product {
        let peak = gpu.zip(product.format.precision()).and_then(|(g, p)| g.peak(p));
        let sheet = peak.map(|p| p.tera() * TOLERANCE);
        for point in &mut product.points {
            if sheet.is_some_and(|limit| point.rate().value > limit) {
                flag(&mut point.us.flags);
            }
        }
    }
    for ceiling in &mut measured.ceiling {
        let peak = match (ceiling.cores, ceiling.format.precision()) {
            (Cores::Vector, Some(_)) if ceiling.format == Format::Fp32 => gpu.and_then(|g| g.peaks.fp32),
            (Cores::Matrix, Some(precision)) => gpu.and_then(|g| g.peak(precision)),
            _ => None,
        };
        if peak.is_some_and(|p| ceiling.tflop_per_s.value > p.tera() * TOLERANCE) {
            flag(&mut ceiling.tflop_per_s.flags);
        }
    }
}

/// Every flag that some value carries.
pub(super) fn all_flags(measured: &Measured) -> Vec<Flag> {
    let lists = (measured.launch_us.values().map(|e| &e.flags))
        .chain(measured.stream.iter().map(|s| &s.gb_per_s.flags))
        .chain(measured.l2.iter().map(|l| &l.gb_per_s.flags))
        .chain(measured.knee.points.iter().map(|p| &p.tflop_per_s.flags))
        .chain(measured.ceiling.iter().map(|c| &c.tflop_per_s.flags))
        .chain(measured.product.iter().flat_map(|p| p.points.iter().map(|point| &point.us.flags)));
    let mut flags: Vec<Flag> = lists.flatten().copied().collect();
    flags.sort_unstable();
    flags.dedup();
    flags
}

fn conditions(trace: &Trace) -> Conditions {
    let states = || trace.samples.iter().filter_map(|s| s.environment.as_ref());
    let clocks = sorted(states().filter_map(|e| e.clock_mhz));
    let clock = |share| quantile(&clocks, share);
    Conditions {
        clock_mhz: clock(0.0)
            .zip(clock(0.5))
            .zip(clock(1.0))
            .map(|((low, middle), high)| [low, middle, high]),
        watts: median(states().filter_map(|e| e.watts)),
        celsius: states().filter_map(|e| e.celsius).reduce(f64::max),
    }
}
