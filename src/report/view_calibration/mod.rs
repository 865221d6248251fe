//! Calibration: a measured profile, two of them side by side, many merged, what a check found.

mod check;
mod collectives;
mod compare;
mod roofline;

pub use check::check;
pub use collectives::collectives;
pub use compare::{comparison, merged};
pub use roofline::{RooflineSubject, measured_plot, operators, shipped_plot, shipped_subject};

use super::phrases::calibration as say;
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::calibration::comparison::{Quantity, quantities};
use crate::calibration::device::DeviceKind;
use crate::calibration::fit_curve::Residuals;
use crate::calibration::measured::Measured;
use crate::calibration::profile_file::ProfileFile;
use crate::calibration::trace::Gap;
use crate::units::text::significant;

/// A measured profile in full.
pub fn profile(file: &ProfileFile, language: Language) -> Document {
    let measured = &file.measured;
    let mut blocks = vec![
        Block::heading(1, say::CALIBRATION.fill(language, &[&measured.device.name])),
        Block::Fields(fields(file, language)),
    ];
    match measured.device.kind {
        _ if !measured.is_real() => blocks.push(Block::paragraph(say::NOT_MEASURED.text(language))),
        DeviceKind::Cpu => blocks.push(Block::paragraph(say::ON_CPU.text(language))),
        DeviceKind::Cuda | DeviceKind::Simulated => {}
    }
    blocks.push(values(&quantities(measured), language).into());
    blocks.push(fits(measured, language).into());
    if !measured.gaps.is_empty() {
        blocks.push(Block::heading(3, say::MISSING.text(language)));
        blocks.push(Block::List(gaps(&measured.gaps)));
    }
    Document::new(blocks)
}

/// Gaps, those with the same reason in one line.
fn gaps(all: &[Gap]) -> Vec<String> {
    let mut by_reason: std::collections::BTreeMap<&str, Vec<&str>> = std::collections::BTreeMap::new();
    for gap in all {
        by_reason.entry(gap.reason.as_str()).or_default().push(&gap.item);
    }
    by_reason
        .into_iter()
        .map(|(reason, items)| match items[..] {
            [one] => format!("{one}: {reason}"),
            [first, ..] => format!("{first} (+{}): {reason}", items.len() - 1),
            [] => reason.to_owned(),
        })
        .collect()
}

fn fields(file: &ProfileFile, language: Language) -> Vec<(String, String)> {
    let measured = &file.measured;
    let device = &measured.device;
    let mut fields = vec![(say::DEVICE.owned(language), format!("{} ({})", device.name, device.kind.name()))];
    fields.push((say::GPU_ID.owned(language), file.gpu.clone()));
    if let Some(instance) = &measured.instance {
        fields.push((say::INSTANCE.owned(language), instance.clone()));
    }
    let numbers =
        [measured.rounds.to_string(), significant(measured.duration_s, 3), measured.seed.to_string()];
    let line = say::RUN_LINE.fill(language, &[&numbers[0], &numbers[1], &measured.effort, &numbers[2]]);
    let date = measured.date.as_ref().map_or_else(String::new, |d| format!(", {d}"));
    fields.push((say::RUN.owned(language), format!("{line}{date}")));
    let libraries: Vec<String> =
        device.libraries.iter().map(|l| format!("{} {}", l.name, l.version)).collect();
    if !libraries.is_empty() {
        fields.push((say::LIBRARIES.owned(language), libraries.join(", ")));
    }
    let conditions = &measured.conditions;
    let parts = [
        conditions.clock_mhz.map(|[low, middle, high]| format!("{low:.0}/{middle:.0}/{high:.0} MHz")),
        conditions.watts.map(|w| format!("{w:.0} W")),
        conditions.celsius.map(|c| format!("{c:.0} °C")),
    ];
    let known: Vec<String> = parts.into_iter().flatten().collect();
    if !known.is_empty() {
        fields.push((say::CONDITIONS.owned(language), known.join(", ")));
    }
    let flags: Vec<&str> = measured.flags.iter().map(|f| f.name()).collect();
    let flags = if flags.is_empty() { say::NO_FLAGS.owned(language) } else { flags.join(", ") };
    fields.push((say::FLAGS.owned(language), flags));
    fields
}

/// A share with one decimal below ten per cent.
fn percent(share: f64) -> String {
    let decimals = usize::from(share.abs() < 0.1);
    format!("{:.decimals$} %", share * 100.0)
}

/// A value with its unit.
fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", significant(value, 4)).trim_end().to_owned()
}

fn interval_text(ci95: Option<[f64; 2]>) -> Option<String> {
    ci95.map(|[low, high]| format!("{} – {}", significant(low, 4), significant(high, 4)))
}

fn values(all: &[Quantity], language: Language) -> Table {
    let columns = vec![
        Column::left(say::QUANTITY.text(language), "quantity"),
        Column::right(say::VALUE.text(language), "value"),
        Column::right(say::CI95.text(language), "interval"),
        Column::machine("ci95_low"),
        Column::machine("ci95_high"),
        Column::right(say::SPREAD.text(language), "relative_width"),
    ];
    let rows = all.iter().map(|q| {
        let end = |i: usize| q.ci95.map_or_else(Cell::absent, |c| Cell::number("", c[i]));
        let width = q.ci95.map(|[low, high]| (high - low) / q.value);
        Row::new([
            Cell::text(q.name.clone()),
            Cell::number(with_unit(q.value, q.unit), q.value),
            interval_text(q.ci95).map_or_else(Cell::absent, Cell::text),
            end(0),
            end(1),
            width.map_or_else(Cell::absent, |w| Cell::number(percent(w), w)),
        ])
    });
    Table::new(columns, rows).titled(say::ROOFLINE.text(language))
}

fn fits(measured: &Measured, language: Language) -> Table {
    let columns = vec![
        Column::left(say::FIT.text(language), "fit"),
        Column::right(say::POINTS.text(language), "points"),
        Column::right(say::MEDIAN_ERROR.text(language), "residual_median"),
        Column::right(say::P90_ERROR.text(language), "residual_p90"),
        Column::right(say::HELD_OUT.text(language), "held_out_median"),
        Column::left(say::VALUE.text(language), "parameters"),
    ];
    let row = |name: String, residuals: &Residuals, held: Option<&Residuals>, parameters: String| {
        let cell = |v: f64| Cell::number(percent(v), v);
        Row::new([
            Cell::text(name),
            Cell::count(u64::from(residuals.points)),
            cell(residuals.median),
            cell(residuals.p90),
            held.map_or_else(Cell::absent, |h| cell(h.median)),
            Cell::text(parameters),
        ])
    };
    let knee = &measured.knee;
    let exponent = format!(
        "P {} TFLOP/s, W {} GB/s, p {}",
        significant(knee.tflop_per_s.value, 3),
        significant(knee.gb_per_s.value, 4),
        significant(knee.exponent.value, 3)
    );
    let mut rows = vec![row(say::KNEE.owned(language), &knee.residuals, None, exponent)];
    rows.extend(measured.product.iter().map(|p| {
        let parameters = format!(
            "P {} TFLOP/s, m0 = n0 {}, k0 {}",
            significant(p.tflop_per_s.value, 4),
            significant(p.m0.value, 3),
            significant(p.k0.value, 3)
        );
        let name = super::phrases::plot::PRODUCTS.fill(language, &[p.format.name()]);
        row(name, &p.residuals, p.held_out.as_ref(), parameters)
    }));
    Table::new(columns, rows).titled(say::RESIDUALS.text(language))
}
