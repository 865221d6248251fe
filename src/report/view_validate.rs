//! How far predictions are from measured runs: by set, among plans, and row by row on demand.

use super::phrases::{column, section, validation as say};
use super::{Block, Cell, Column, Document, Language, Phrase, Row, Table};
use crate::units::text;
use crate::validation::{
    FamilyChoices, LeftOut, Quality, RowResult, SkipReason, SkippedRows, ValidatedSet, ValidationReport,
};

/// Everything the view reads.
#[derive(Debug, Clone, Copy)]
pub struct ValidateView<'a> {
    /// The comparison.
    pub report: &'a ValidationReport,
    /// List every row.
    pub rows: bool,
    /// Language of the text.
    pub language: Language,
}

/// The comparison as a document.
pub fn document(view: &ValidateView<'_>) -> Document {
    let (report, lang) = (view.report, view.language);
    let mut blocks =
        vec![Block::heading(1, section::VALIDATION.text(lang)), Block::Fields(fields(report, lang))];
    if !report.families.is_empty() {
        blocks.push(sets(report, lang).into());
    }
    if !report.family_choices.is_empty() {
        blocks.push(choices(&report.family_choices, lang).into());
    }
    if !report.skipped.is_empty() {
        blocks.push(skipped(&report.skipped, lang).into());
    }
    if !report.uncounted.is_empty() {
        blocks.push(uncounted(report, lang).into());
    }
    if view.rows {
        blocks.push(rows(&report.rows, lang).into());
    }
    Document::new(blocks)
}

/// What the counted predictions had not seen.
pub(super) const fn predicted_with(left_out: Option<LeftOut>) -> Phrase {
    match left_out {
        None => say::AS_LOADED,
        Some(LeftOut::Model) => say::LEFT_OUT_MODEL,
        Some(LeftOut::Family) => say::LEFT_OUT_FAMILY,
    }
}

fn fields(report: &ValidationReport, lang: Language) -> Vec<(String, String)> {
    let strong = report.rows.iter().filter(|r| r.quality == Quality::Strong).count();
    let skipped: usize = report.skipped.iter().map(|s| s.ids.len()).sum();
    let counts = [report.rows.len(), strong, strong - skipped, skipped, report.rows.len() - strong];
    let counts = counts.map(|n| n.to_string());
    let counts: Vec<&str> = counts.iter().map(String::as_str).collect();
    let mut fields = vec![
        (say::PREDICTED_WITH.owned(lang), predicted_with(report.left_out).owned(lang)),
        (say::ROWS.owned(lang), say::ROWS_LINE.fill(lang, &counts)),
    ];
    if let Some(mean) = report.mean_over_sets {
        let baseline = report.baseline_over_sets.map_or_else(|| "-".to_owned(), text::percent_to_tenth);
        let sets = report.families.len().to_string();
        let line = say::MEAN_LINE.fill(lang, &[&text::percent_to_tenth(mean), &sets, &baseline]);
        fields.push((say::MEAN_ERROR.owned(lang), line));
    }
    fields
}

/// A share with a digit behind the point; absent when it is no number.
fn tenth(share: f64) -> Cell {
    Cell::number(text::percent_to_tenth(share), share)
}

fn share(share: f64) -> Cell {
    Cell::number(if share.is_finite() { text::percent(share) } else { "-".to_owned() }, share)
}

fn right(phrase: Phrase, key: &str, lang: Language) -> Column {
    Column::right(phrase.text(lang), key)
}

fn left(phrase: Phrase, key: &str, lang: Language) -> Column {
    Column::left(phrase.text(lang), key)
}

/// Errors by set, with their mean.
pub(super) fn sets(report: &ValidationReport, lang: Language) -> Table {
    let columns = vec![
        left(say::SOURCE_FAMILY, "family", lang),
        left(super::phrases::simulation::ARCHITECTURE, "architecture", lang),
        right(say::ROWS, "rows", lang),
        right(say::SKIPPED, "skipped_rows", lang),
        right(say::MEDIAN, "median_error", lang),
        right(say::MEAN, "mean_error", lang),
        right(say::P90, "p90_error", lang),
        right(say::BIAS, "bias", lang),
        right(say::COVERAGE, "coverage", lang),
        right(say::CONSTANT_MFU, "constant_utilization_mean_error", lang),
    ];
    let row = |set: &ValidatedSet| {
        let errors = &set.errors;
        Row::new([
            Cell::text(&errors.family),
            Cell::text(&errors.architecture),
            Cell::count(errors.rows as u64),
            Cell::count(set.skipped as u64),
            tenth(errors.median),
            tenth(errors.mean),
            tenth(errors.p90),
            Cell::number(text::signed_percent(errors.bias), errors.bias),
            share(errors.coverage),
            tenth(errors.baseline),
        ])
    };
    let mut rows: Vec<Row> = report.families.iter().map(row).collect();
    let counted: usize = report.families.iter().map(|s| s.errors.rows).sum();
    let absent = Cell::absent;
    let optional = |value: Option<f64>| value.map_or_else(Cell::absent, tenth);
    rows.push(Row::highlighted([
        Cell::id(say::MEAN_ERROR.text(lang), "mean_over_sets"),
        Cell::absent_as(""),
        Cell::count(counted as u64),
        Cell::count(report.families.iter().map(|s| s.skipped as u64).sum()),
        absent(),
        optional(report.mean_over_sets),
        absent(),
        absent(),
        absent(),
        optional(report.baseline_over_sets),
    ]));
    let notes = [say::SET_NOTE.text(lang), say::BASELINE_NOTE.text(lang)];
    Table::new(columns, rows).titled(say::SETS.text(lang)).noted(notes)
}

fn choices(choices: &[FamilyChoices], lang: Language) -> Table {
    let columns = vec![
        left(say::SOURCE_FAMILY, "family", lang),
        right(say::GROUPS, "groups", lang),
        right(say::PLANS, "plans", lang),
        right(say::PAIR_ORDER, "mean_pair_order", lang),
        right(say::LEAST_PAIR_ORDER, "least_pair_order", lang),
        right(say::REGRET, "mean_regret", lang),
        right(say::MOST_REGRET, "most_regret", lang),
    ];
    let row = |c: &FamilyChoices| {
        Row::new([
            Cell::text(&c.family),
            Cell::count(c.groups as u64),
            Cell::count(c.plans as u64),
            share(c.mean_pair_order),
            share(c.least_pair_order),
            tenth(c.mean_regret),
            tenth(c.most_regret),
        ])
    };
    Table::new(columns, choices.iter().map(row))
        .titled(say::CHOICES.text(lang))
        .noted([say::REGRET_NOTE.text(lang)])
}

/// Ids shown of each reason; JSON has them all.
const SHOWN_IDS: usize = 3;

fn skipped(skipped: &[SkippedRows], lang: Language) -> Table {
    let columns = vec![
        left(say::SOURCE_FAMILY, "family", lang),
        left(super::phrases::simulation::ARCHITECTURE, "architecture", lang),
        left(column::REASON, "reason", lang),
        right(say::ROWS, "rows", lang),
        left(say::IDS, "ids", lang),
    ];
    let row = |s: &SkippedRows| {
        let shown = s.ids.iter().take(SHOWN_IDS).map(String::as_str).collect::<Vec<_>>().join(", ");
        Row::new([
            Cell::text(&s.family),
            s.architecture.as_ref().map_or_else(Cell::absent, Cell::text),
            Cell::id(reason(s.reason).text(lang), reason(s.reason).en),
            Cell::count(s.ids.len() as u64),
            Cell::id(shown, s.ids.join(" ")),
        ])
    };
    Table::new(columns, skipped.iter().map(row)).titled(say::SKIPPED_ROWS.text(lang))
}

fn uncounted(report: &ValidationReport, lang: Language) -> Table {
    let columns = vec![
        left(say::SOURCE_FAMILY, "family", lang),
        left(say::QUALITY, "quality", lang),
        right(say::ROWS, "rows", lang),
    ];
    let rows = report
        .uncounted
        .iter()
        .map(|u| Row::new([Cell::text(&u.family), Cell::text(u.quality.name()), Cell::count(u.rows as u64)]));
    Table::new(columns, rows).titled(say::UNCOUNTED_ROWS.text(lang))
}

fn rows(rows: &[RowResult], lang: Language) -> Table {
    let columns = vec![
        Column::left("id", "id"),
        left(say::SOURCE_FAMILY, "family", lang),
        left(say::QUALITY, "quality", lang),
        left(say::METRIC, "metric", lang),
        right(column::MEASURED, "measured", lang),
        right(column::PREDICTED, "predicted", lang),
        Column::right("P10", "low"),
        Column::right("P90", "high"),
        right(column::ERROR, "error", lang),
        left(column::GRADE, "grade", lang),
        left(column::NOTE, "note", lang),
    ];
    let number =
        |value: Option<f64>| value.map_or_else(Cell::absent, |v| Cell::number(text::significant(v, 4), v));
    let row = |r: &RowResult| {
        let note = r.skip_reason.clone().unwrap_or_else(|| r.assumed.join("; "));
        Row::new([
            Cell::text(&r.id),
            Cell::text(&r.family),
            Cell::text(r.quality.name()),
            Cell::text(r.metric.name()),
            number(Some(r.measured)),
            number(r.predicted),
            number(r.low),
            number(r.high),
            r.error.map_or_else(Cell::absent, |e| Cell::number(text::signed_percent(e), e)),
            r.grade.map_or_else(Cell::absent, |g| Cell::text(g.letter())),
            Cell::text(note),
        ])
    };
    Table::new(columns, rows.iter().map(row)).titled(say::EVERY_ROW.text(lang))
}

const fn reason(reason: SkipReason) -> Phrase {
    match reason {
        SkipReason::UnknownGpu => say::SKIP_GPU,
        SkipReason::UnknownStack => say::SKIP_STACK,
        SkipReason::UnknownModel => say::SKIP_MODEL,
        SkipReason::IncompleteShape => say::SKIP_SHAPE,
        SkipReason::Precision => say::SKIP_PRECISION,
        SkipReason::Compound => say::SKIP_COMPOUND,
        SkipReason::Batch => say::SKIP_BATCH,
        SkipReason::Cluster => say::SKIP_CLUSTER,
        SkipReason::Plan => say::SKIP_PLAN,
        SkipReason::Method => say::SKIP_METHOD,
        SkipReason::Metric => say::SKIP_METRIC,
    }
}
