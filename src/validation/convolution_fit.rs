//! Fitting the convolution kernels of a GPU to timings of single layers.

use crate::catalog::Precision;
use crate::numeric::least_squares::{Prior, Problem, minimise_absolute};
use crate::numeric::median;
use crate::profile::{ConvolutionPass, ConvolutionProfile, Grade, HardwareProfile, LoweredConvolution};
use crate::units::{Bytes, Seconds};

/// One pass of a layer that was timed by itself.
#[derive(Debug, Clone, Copy)]
pub struct TimedConvolution {
    /// Layer of the table, the same for its three passes.
    pub layer: usize,
    /// Pass.
    pub pass: ConvolutionPass,
    /// Sides, not filled up.
    pub sides: LoweredConvolution,
    /// Elements of input, output and weight together.
    pub elements: f64,
    /// Measured.
    pub time: Seconds,
}

/// Timings of one GPU at one precision, ready to be fitted.
#[derive(Debug, Clone, Copy)]
pub struct ConvolutionFit<'t> {
    /// Passes.
    pub timed: &'t [TimedConvolution],
    /// The GPU that was measured; it must have products at the precision.
    pub hardware: &'t HardwareProfile,
    /// Precision.
    pub precision: Precision,
    /// Multiprocessors of the GPU.
    pub multiprocessors: f64,
}

/// Passes that the columns of a table time, in milliseconds.
const TIMED: [(&str, ConvolutionPass); 3] = [
    ("forward_ms", ConvolutionPass::Forward),
    ("backward_input_ms", ConvolutionPass::InputGradient),
    ("backward_weight_ms", ConvolutionPass::WeightGradient),
];

/// Reads the passes of one GPU and precision from a table of `calibration/kernels`.
///
/// # Errors
/// The line and column of the first cell that is no number, or the column that is missing.
pub fn parse_convolutions(text: &str, gpu: &str, precision: &str) -> Result<Vec<TimedConvolution>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|e| e.to_string())?.clone();
    let column = |name: &str| {
        headers.iter().position(|h| h == name).ok_or_else(|| format!("column {name:?} is missing"))
    };
    let (of_gpu, of_precision) = (column("gpu")?, column("precision")?);
    let mut all = Vec::new();
    let mut layer = 0;
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|e| e.to_string())?;
        if record.get(of_gpu) != Some(gpu) || record.get(of_precision) != Some(precision) {
            continue;
        }
        let cell = |name: &str| -> Result<Option<f64>, String> {
            match record.get(column(name)?).unwrap_or_default() {
                "" => Ok(None),
                text => text.parse().map(Some).map_err(|_| format!("line {}: {name} is {text:?}", index + 2)),
            }
        };
        let number = |name: &str| {
            cell(name).and_then(|value| value.ok_or_else(|| format!("line {}: {name} is empty", index + 2)))
        };
        let side = |which: &str, padding: &str| -> Result<f64, String> {
            let (size, filter) = (number(&format!("input_{which}"))?, number(&format!("filter_{which}"))?);
            let stride = number(&format!("stride_{which}"))?;
            Ok(((size + 2.0 * number(padding)? - filter) / stride).floor() + 1.0)
        };
        let (inputs, outputs, batch) = (number("in_channels")?, number("out_channels")?, number("batch")?);
        let taps = number("filter_width")? * number("filter_height")?;
        let positions = batch * side("width", "pad_width")? * side("height", "pad_height")?;
        let read = batch * number("input_width")? * number("input_height")?;
        let dense = number("stride_width")? <= 1.0 && number("stride_height")? <= 1.0;
        let transformed = dense && taps == LoweredConvolution::TRANSFORMED_TAPS;
        let sides = LoweredConvolution { positions, inputs, outputs, taps, transformed, line: false };
        let elements = read * inputs + positions * outputs + inputs * outputs * taps;
        for (name, pass) in TIMED {
            if let Some(milliseconds) = cell(name)? {
                let time = Seconds::from_micros(milliseconds * 1000.0);
                all.push(TimedConvolution { layer, pass, sides, elements, time });
            }
        }
        layer += 1;
    }
    Ok(all)
}

/// Numbers of a profile that are fitted.
const FREE: usize = 11;
/// Residual of ln(time) beyond which a pass counts by less than its square.
const SCALE: f64 = 0.2;
/// Step of a derivative.
const DERIVATIVE_STEP: f64 = 1e-4;
/// Belief before any timing: value and standard deviation of its logarithm, in the order of [`profile_of`]; the sizes that
/// fill multiprocessors are for one of them.
const BELIEFS: [(f64, f64); FREE] = [
    (1.3, 0.7),
    (0.7, 0.5),
    (0.7, 0.5),
    (1.3, 0.5),
    (0.9, 0.5),
    (15.0, 1.5),
    (60.0, 1.0),
    (20.0, 1.0),
    (5.0, 1.5),
    (0.9, 0.5),
    (1e-5, 0.7),
];

fn profile_of(logs: &[f64], multiprocessors: f64) -> ConvolutionProfile {
    let mut values = [0.0; FREE];
    for (value, log) in values.iter_mut().zip(logs) {
        *value = log.exp();
    }
    let [
        rate,
        input_gradient,
        weight_gradient,
        transform_gain,
        pointwise_work,
        m0,
        n0,
        k0,
        w0,
        traffic,
        floor,
    ] = values;
    let profile = ConvolutionProfile {
        rate,
        input_gradient,
        weight_gradient,
        transform_gain,
        pointwise_work,
        m0,
        n0,
        k0,
        w0,
        traffic,
        floor: Seconds::new(floor),
        grade: Grade::C,
    };
    profile.scaled(multiprocessors)
}

struct Timings<'t> {
    passes: Vec<&'t TimedConvolution>,
    of: &'t ConvolutionFit<'t>,
}

impl Timings<'_> {
    /// `ln(predicted / measured)`: the floor, and work beside traffic.
    fn residual(&self, profile: &ConvolutionProfile, timed: &TimedConvolution) -> f64 {
        let ConvolutionFit { hardware, precision, .. } = *self.of;
        let Some(product) = hardware.matmul(precision) else { return 0.0 };
        let sides = timed.sides.filled(precision);
        let work = sides.flop() / product.peak * profile.slowdown(timed.pass, &sides);
        let moved = Bytes::new(timed.elements * precision.element_bytes() * profile.traffic);
        let time = profile.floor + hardware.join(work, moved / hardware.dram);
        (time / timed.time).ln()
    }
}

impl Problem for Timings<'_> {
    fn residuals(&self, logs: &[f64]) -> Vec<f64> {
        let profile = profile_of(logs, self.of.multiprocessors);
        self.passes.iter().map(|timed| self.residual(&profile, timed)).collect()
    }

    fn columns(&self, logs: &[f64], residuals: &[f64]) -> Vec<Vec<(usize, f64)>> {
        (0..logs.len())
            .map(|j| {
                let mut moved = logs.to_vec();
                moved[j] += DERIVATIVE_STEP;
                let there = self.residuals(&moved);
                there.iter().zip(residuals).map(|(a, b)| (a - b) / DERIVATIVE_STEP).enumerate().collect()
            })
            .collect()
    }
}

impl ConvolutionFit<'_> {
    fn timings(&self, keep: impl Fn(&TimedConvolution) -> bool) -> Timings<'_> {
        Timings { passes: self.timed.iter().filter(|t| keep(t)).collect(), of: self }
    }

    /// Kernels fitted to all passes.
    ///
    /// Source of the form: METHODOLOGY section 2; the loss is the soft absolute value.
    pub fn profile(&self) -> ConvolutionProfile {
        profile_of(&fitted(&self.timings(|_| true)), self.multiprocessors)
    }

    /// Median of `|predicted / measured - 1|`, a third of the layers left out at a time.
    pub fn held_out(&self) -> Option<f64> {
        let errors = (0..3).flat_map(|third| {
            let logs = fitted(&self.timings(|t| t.layer % 3 != third));
            self.timings(|t| t.layer % 3 == third).residuals(&logs)
        });
        median(errors.map(|r| r.exp_m1().abs()))
    }
}

fn fitted(problem: &Timings<'_>) -> Vec<f64> {
    let priors = BELIEFS.map(|(value, sd): (f64, f64)| {
        let mean = value.ln();
        Prior { mean, sd, low: mean - 6.0 * sd, high: mean + 6.0 * sd }
    });
    let start = priors.iter().map(|p| p.mean).collect();
    minimise_absolute(problem, &vec![1.0; problem.passes.len()], SCALE, &priors, start)
}
