//! The roofline of a machine as a plot and as a table of its operators.

use crate::calibration::measured::Measured;
use crate::calibration::measurement::{Cores, Format, Stream};
use crate::calibration::placed::{Binds, Placed};
use crate::calibration::profile_file::ProfileFile;
use crate::calibration::statistics::Estimate;
use crate::catalog::{GpuSpec, Precision};
use crate::profile::HardwareProfile;
use crate::report::phrases::calibration as say;
use crate::report::phrases::plot as words;
use crate::report::plot::{BandwidthRoof, Interval, PlotModel, RateRoof, RooflinePlot, RooflinePoint};
use crate::report::{Block, Cell, Column, Document, Language, Row, Table};
use crate::units::text::{bandwidth, flop_rate, significant};
use crate::units::{BytesPerSecond, FlopRate};

/// GB/s in a TB/s.
const TERA_PER_GIGA: f64 = 1000.0;

/// The ceilings of a machine, from a measurement or from a shipped profile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RooflineSubject {
    /// Name of the machine.
    pub name: String,
    /// Bandwidths in GB/s by name, DRAM first.
    pub bandwidths: Vec<(String, f64)>,
    /// Rates in TFLOP/s by name.
    pub rates: Vec<(String, f64)>,
    /// Where from.
    pub source: String,
}

impl RooflineSubject {
    /// What can be said of a measured profile.
    pub fn measured(file: &ProfileFile) -> Self {
        let measured = &file.measured;
        let copy = measured.stream(Stream::Copy).map(|e| ("DRAM".to_owned(), e.value));
        let l2 = measured.best_l2().map(|e| ("L2".to_owned(), e.value));
        let mut rates: Vec<(String, f64)> = Format::ALL
            .into_iter()
            .filter_map(|f| Some((f.name().to_owned(), measured.ceiling(f)?)))
            .collect();
        rates.sort_by(|a, b| b.1.total_cmp(&a.1));
        let cores = measured.ceiling.iter().any(|c| c.cores == Cores::Matrix);
        let device = &measured.device.name;
        let source = format!(
            "gpu-advisor {} · {} · {} rounds{}",
            measured.program,
            measured.date.as_deref().unwrap_or(device),
            measured.rounds,
            if cores { " · matrix units" } else { "" }
        );
        Self { name: device.clone(), bandwidths: copy.into_iter().chain(l2).collect(), rates, source }
    }
}

/// The ceilings of a shipped profile.
pub fn shipped_subject(gpu: &GpuSpec, profile: &HardwareProfile) -> RooflineSubject {
    let rate = |p: Precision| Some((p.name().to_owned(), profile.matmul(p)?.peak.tera()));
    let mut rates: Vec<(String, f64)> = Precision::ALL.into_iter().filter_map(rate).collect();
    rates.sort_by(|a, b| b.1.total_cmp(&a.1));
    RooflineSubject {
        name: gpu.name.clone(),
        bandwidths: vec![("DRAM".to_owned(), profile.dram.gb())],
        rates,
        source: profile.source.clone(),
    }
}

fn plot(subject: &RooflineSubject, language: Language) -> RooflinePlot {
    let bandwidths = subject.bandwidths.iter().enumerate().map(|(place, (name, gb))| BandwidthRoof {
        name: format!("{name} {}", bandwidth(BytesPerSecond::from_gb(*gb))),
        tb_per_s: gb / TERA_PER_GIGA,
        ridges: place == 0,
    });
    let rates = subject.rates.iter().map(|(name, tera)| RateRoof {
        name: format!("{name} {}", flop_rate(FlopRate::from_tera(*tera))),
        tflop_per_s: *tera,
    });
    RooflinePlot {
        title: words::ROOFLINE.fill(language, &[&subject.name]),
        bandwidths: bandwidths.collect(),
        rates: rates.collect(),
        interval: words::INTERVAL_95.owned(language),
        footer: subject.source.clone(),
        ..RooflinePlot::default()
    }
}

fn interval(estimate: &Estimate) -> Interval {
    let [low, high] = estimate.ci95.unwrap_or([estimate.value; 2]);
    Interval::new(low, estimate.value, high)
}

/// Adds the operators, one group for each thing that binds.
fn add_operators(plot: &mut RooflinePlot, placed: &[Placed], language: Language) {
    for (binds, word) in
        [(Binds::Compute, say::COMPUTE), (Binds::Memory, say::DRAM), (Binds::Launch, say::LAUNCH)]
    {
        let of = placed.iter().filter(|p| p.binds == binds);
        let group = plot.groups.len();
        let points: Vec<RooflinePoint> = of
            .map(|p| RooflinePoint {
                label: p.name.to_owned(),
                group,
                flop_per_byte: p.flop_per_byte,
                tflop_per_s: Interval::exact(p.tflop_per_s),
            })
            .collect();
        if !points.is_empty() {
            plot.groups.push(words::OPERATOR_BOUND.fill(language, &[word.text(language)]));
            plot.points.extend(points);
        }
    }
}

/// Ceilings and measured points with their intervals, and operators where there are any.
pub fn measured_plot(file: &ProfileFile, placed: &[Placed], language: Language) -> PlotModel {
    let measured: &Measured = &file.measured;
    let mut plot = plot(&RooflineSubject::measured(file), language);
    plot.groups.push(words::SWEEP.owned(language));
    plot.points.extend(measured.knee.points.iter().map(|p| RooflinePoint {
        label: String::new(),
        group: 0,
        flop_per_byte: p.flop_per_byte,
        tflop_per_s: interval(&p.tflop_per_s),
    }));
    for product in &measured.product {
        let group = plot.groups.len();
        plot.groups.push(words::PRODUCTS.fill(language, &[product.format.name()]));
        let forward = product.points.iter().filter(|p| p.layout == product.format.first_layout());
        plot.points.extend(forward.map(|p| RooflinePoint {
            label: String::new(),
            group,
            flop_per_byte: (p.shape().work() / p.shape().traffic(product.format)).get(),
            tflop_per_s: interval(&p.rate()),
        }));
    }
    add_operators(&mut plot, placed, language);
    PlotModel::Roofline(plot)
}

/// Ceilings of a shipped profile, and operators where there are any.
pub fn shipped_plot(subject: &RooflineSubject, placed: &[Placed], language: Language) -> PlotModel {
    let mut plot = plot(subject, language);
    add_operators(&mut plot, placed, language);
    PlotModel::Roofline(plot)
}

/// Ceilings, ridge points and operators in words.
pub fn operators(subject: &RooflineSubject, placed: &[Placed], language: Language) -> Document {
    let dram = subject.bandwidths.first().map(|(_, gb)| gb / TERA_PER_GIGA);
    let columns = vec![
        Column::left(say::CEILING.text(language), "ceiling"),
        Column::right(say::VALUE.text(language), "value"),
        Column::right(say::RIDGE.text(language), "ridge_flop_per_byte"),
    ];
    let bandwidths = subject.bandwidths.iter().map(|(name, gb)| {
        Row::new([
            Cell::text(name.clone()),
            Cell::number(bandwidth(BytesPerSecond::from_gb(*gb)), *gb),
            Cell::absent(),
        ])
    });
    let rates = subject.rates.iter().map(|(name, tera)| {
        let ridge = dram.map(|d| tera / d);
        Row::new([
            Cell::text(name.clone()),
            Cell::number(flop_rate(FlopRate::from_tera(*tera)), *tera),
            ridge.map_or_else(Cell::absent, |r| {
                Cell::number(words::RIDGE_AT.fill(language, &[&significant(r, 3)]), r)
            }),
        ])
    });
    let mut blocks = vec![
        Block::heading(1, words::ROOFLINE.fill(language, &[&subject.name])),
        Table::new(columns, bandwidths.chain(rates).collect::<Vec<_>>()).into(),
    ];
    if !placed.is_empty() {
        let columns = vec![
            Column::left(say::OPERATOR.text(language), "operator"),
            Column::right(say::INTENSITY.text(language), "flop_per_byte"),
            Column::right(say::RATE.text(language), "tflop_per_s"),
            Column::left(say::BINDS.text(language), "binds"),
        ];
        let rows = placed.iter().map(|p| {
            let (word, key) = match p.binds {
                Binds::Compute => (say::COMPUTE, "compute"),
                Binds::Memory => (say::DRAM, "memory"),
                Binds::Launch => (say::LAUNCH, "launch"),
            };
            let rate = flop_rate(FlopRate::from_tera(p.tflop_per_s));
            Row::new([
                Cell::text(p.name),
                Cell::number(significant(p.flop_per_byte, 3), p.flop_per_byte),
                Cell::number(rate, p.tflop_per_s),
                Cell::id(word.text(language), key),
            ])
        });
        blocks.push(Table::new(columns, rows).titled(say::OPERATORS.text(language)).into());
    }
    Document::new(blocks)
}
