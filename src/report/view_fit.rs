//! A fit of software stacks: coefficients, deviations, spread, and the errors under it.

use super::phrases::{column, validation as say};
use super::view_validate::{predicted_with, sets};
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::units::text;
use crate::validation::{Coefficient, FittedParameter, Scope, StackFit};

/// Everything the view reads.
#[derive(Debug, Clone, Copy)]
pub struct FitView<'a> {
    /// The fit.
    pub fitted: &'a StackFit,
    /// Files that were written.
    pub written: &'a [String],
    /// Language of the text.
    pub language: Language,
}

/// The fit as a document.
pub fn document(view: &FitView<'_>) -> Document {
    let (fitted, lang) = (view.fitted, view.language);
    let report = &fitted.report;
    let numbers = [fitted.rows, report.families.len(), fitted.fit.parameters.len()].map(|n| n.to_string());
    let line = say::FITTED_LINE.fill(lang, &numbers.each_ref().map(String::as_str));
    let errors = match report.left_out {
        None => say::IN_SAMPLE,
        some => predicted_with(some),
    };
    let mut fields =
        vec![(say::FITTED_TO.owned(lang), line), (say::PREDICTED_WITH.owned(lang), errors.owned(lang))];
    if let Some(change) = fitted.largest_change() {
        let size = text::signed_percent(change.relative());
        let which = format!("{size} ({}, {})", change.coefficient.key(), change.stack);
        fields.push((say::LARGEST_CHANGE.owned(lang), which));
    }
    if let Some(sigma) = fitted.between_sources {
        fields.push((say::BETWEEN_SOURCES.owned(lang), format!("{sigma:.3}")));
    }
    let mut document = Document::new(vec![Block::heading(1, say::FIT.text(lang)), Block::Fields(fields)]);
    document.push(common(fitted, lang));
    document.push(deviations(fitted, lang));
    document.push(architectures(fitted, lang));
    document.push(spreads(fitted, lang));
    if !report.families.is_empty() {
        document.push(sets(report, lang));
    }
    if !view.written.is_empty() {
        document.push(Block::heading(3, say::WRITTEN.text(lang)));
        document.push(Block::list(view.written));
    }
    document
}

fn common(fitted: &StackFit, lang: Language) -> Table {
    let columns = vec![
        Column::left(say::COEFFICIENT.text(lang), "coefficient"),
        Column::right(say::FITTED_VALUE.text(lang), "fitted"),
    ];
    let shared = fitted.fit.parameters.iter().filter(|p| p.scope == Scope::Common);
    let rows = shared.map(|p| {
        let value = p.coefficient.from_scale(p.value);
        Row::new([Cell::text(p.coefficient.key()), value_cell(p.coefficient, value)])
    });
    Table::new(columns, rows).titled(say::COMMON_COEFFICIENTS.text(lang))
}

fn value_cell(coefficient: Coefficient, value: f64) -> Cell {
    Cell::number(coefficient.text(value).trim_matches('"'), value)
}

/// Smaller deviations are not shown to people.
const LEAST_SHOWN: f64 = 0.02;

fn deviations(fitted: &StackFit, lang: Language) -> Table {
    let columns = vec![
        Column::left(say::STACK.text(lang), "stack"),
        Column::left(say::COEFFICIENT.text(lang), "coefficient"),
        Column::right(say::FITTED_VALUE.text(lang), "fitted"),
        Column::right(say::LOADED_VALUE.text(lang), "loaded"),
    ];
    let own = |p: &FittedParameter| match &p.scope {
        Scope::Stack(id) if p.value.abs() > LEAST_SHOWN => {
            let change = fitted.changes.iter().find(|c| c.stack == *id && c.coefficient == p.coefficient)?;
            Some(Row::new([
                Cell::text(id),
                Cell::text(p.coefficient.key()),
                value_cell(p.coefficient, change.fitted),
                value_cell(p.coefficient, change.loaded),
            ]))
        }
        _ => None,
    };
    let rows: Vec<Row> = fitted.fit.parameters.iter().filter_map(own).collect();
    Table::new(columns, rows).titled(say::DEVIATIONS.text(lang))
}

/// Factors of GPU architectures on the common value.
fn architectures(fitted: &StackFit, lang: Language) -> Table {
    let columns = vec![
        Column::left(super::phrases::simulation::ARCHITECTURE.text(lang), "architecture"),
        Column::left(say::COEFFICIENT.text(lang), "coefficient"),
        Column::right(say::FACTOR.text(lang), "factor"),
    ];
    let rows: Vec<Row> = fitted
        .fit
        .architectures()
        .into_iter()
        .flat_map(|rates| {
            [
                ("matmul_efficiency", rates.matmul),
                ("attention_forward", rates.attention_forward),
                ("attention_backward", rates.attention_backward),
            ]
            .map(|(key, factor)| {
                Row::new([
                    Cell::text(rates.name.clone()),
                    Cell::text(key),
                    Cell::number(text::significant(factor, 3), factor),
                ])
            })
        })
        .collect();
    Table::new(columns, rows).titled(say::BY_ARCHITECTURE.text(lang))
}

fn spreads(fitted: &StackFit, lang: Language) -> Table {
    let columns = vec![
        Column::left(say::STACK.text(lang), "stack"),
        Column::right(say::RESIDUAL.text(lang), "residual"),
        Column::left(column::GRADE.text(lang), "grade"),
        Column::left(column::GPUS.text(lang), "fitted_gpus"),
    ];
    let rows = fitted.profiles.stacks.iter().filter(|s| !s.fitted_gpus.is_empty()).map(|stack| {
        Row::new([
            Cell::text(&stack.id),
            Cell::number(text::significant(stack.residual, 3), stack.residual),
            Cell::text(stack.grade.letter()),
            Cell::text(stack.fitted_gpus.join(", ")),
        ])
    });
    Table::new(columns, rows).titled(say::SPREADS.text(lang))
}
