//! What a change does: before, after, ratio, what binds; or a table and a picture over a range.

use super::names;
use super::phrases::{column, plot as drawn, section, verdict, whatif};
use super::plot::{Interval as Bar, PlotModel, SweepCurve, SweepPlot};
use super::recommend::cells::{money, plan, reason, time};
use super::sentences;
use super::wire::Origin;
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::advisor::{Figures, Outcome, Ratios, ratios};
use crate::simulator::Interval;
use crate::units::{Currency, text};
use crate::workload::Job;

/// One point of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweptPoint {
    /// The value of each swept key, as typed.
    pub values: Vec<String>,
    /// The first value as a number, where it is one.
    pub number: Option<f64>,
    /// The answer there.
    pub outcome: Outcome,
    /// How it relates to the answer without the sweep.
    pub ratios: Option<Ratios>,
}

/// A sweep over one or two keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Swept {
    /// The keys.
    pub keys: Vec<&'static str>,
    /// All points; the first key goes through its values fastest.
    pub points: Vec<SweptPoint>,
}

/// Everything the view reads.
#[derive(Debug, Clone)]
pub struct WhatIfView<'a> {
    /// The job before.
    pub job: &'a Job,
    /// Name of its software.
    pub stack: &'a str,
    /// The job after the changes.
    pub changed_job: &'a Job,
    /// Name of its software.
    pub changed_stack: &'a str,
    /// Keys with their new values.
    pub changes: Vec<(&'static str, &'a str)>,
    /// The answer before.
    pub before: &'a Outcome,
    /// The answer after; `None` when only a sweep was asked.
    pub after: Option<&'a Outcome>,
    /// The sweep.
    pub swept: Option<&'a Swept>,
    /// Currency of every cost.
    pub currency: Currency,
    /// Language of the text.
    pub language: Language,
}

/// The answer as a document.
pub fn document(view: &WhatIfView<'_>) -> Document {
    let lang = view.language;
    let mut fields = vec![(section::JOB.owned(lang), sentences::job(view.job, view.stack, None, lang))];
    if !view.changes.is_empty() {
        let list: Vec<String> = view.changes.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        fields.push((whatif::CHANGES.owned(lang), list.join(", ")));
        let then = sentences::job(view.changed_job, view.changed_stack, None, lang);
        if then != fields[0].1 {
            fields.push((whatif::AFTER_JOB.owned(lang), then));
        }
    }
    let mut blocks = vec![Block::heading(1, section::WHAT_IF.text(lang)), Block::Fields(fields)];
    blocks.push(sides(view).into());
    blocks.extend(view.swept.map(|swept| sweep(view, swept).into()));
    let costs = section::COST_LEAVES_OUT.fill(lang, &[section::DISK_EGRESS_TAX.text(lang)]);
    blocks.extend([costs, section::GRADES_EXPLAINED.owned(lang)].map(Block::paragraph));
    Document::new(blocks)
}

/// A row of the table of before and after: label, key, cell of one side, its number.
struct Line {
    label: &'static str,
    key: &'static str,
    cell: Box<dyn Fn(&Figures) -> Cell>,
    ratio: fn(&Ratios) -> Option<f64>,
}

fn lines(view: &WhatIfView<'_>) -> Vec<Line> {
    let (lang, currency) = (view.language, view.currency);
    let none: fn(&Ratios) -> Option<f64> = |_| None;
    let line = |label: &'static str, key, cell: Box<dyn Fn(&Figures) -> Cell>, ratio| Line {
        label,
        key,
        cell,
        ratio,
    };
    let seconds = |value: f64, f: &Figures| Cell::number(time(value, f.grade), value);
    let cost = move |value: Option<f64>, f: &Figures| match value {
        Some(v) => Cell::number(money(v, currency, f.grade), v),
        None => Cell::absent_as(verdict::NO_PRICE.text(lang)),
    };
    vec![
        line(column::GPUS.text(lang), "gpus", Box::new(|f| Cell::count(u64::from(f.gpus))), none),
        line(column::PLAN.text(lang), "plan", Box::new(|f| Cell::text(plan(&f.plan))), none),
        line(
            column::PRECISION.text(lang),
            "precision",
            Box::new(|f| Cell::text(f.plan.precision.name())),
            none,
        ),
        line(column::STEP_TIME.text(lang), "step_time_s", Box::new(move |f| seconds(f.step.get(), f)), |r| {
            Some(r.step)
        }),
        line(
            column::TIME_P50.text(lang),
            "total_time_p50_s",
            Box::new(move |f| seconds(f.time.p50, f)),
            |r| Some(r.time),
        ),
        line(
            column::TIME_P90.text(lang),
            "total_time_p90_s",
            Box::new(move |f| seconds(f.time.p90, f)),
            none,
        ),
        line(
            column::COST_P50.text(lang),
            "cost_p50",
            Box::new(move |f| cost(f.cost.map(|c| c.p50), f)),
            |r| r.cost,
        ),
        line(
            column::COST_P90.text(lang),
            "cost_p90",
            Box::new(move |f| cost(f.cost.map(|c| c.p90), f)),
            none,
        ),
        line(
            column::GPU_HOURS.text(lang),
            "gpu_hours",
            Box::new(|f| Cell::number(text::significant(f.gpu_hours, 3), f.gpu_hours)),
            |r| Some(r.gpu_hours),
        ),
        line(
            column::MEMORY_PEAK.text(lang),
            "memory_peak_bytes",
            Box::new(|f| Cell::number(text::memory(f.memory), f.memory.get())),
            |r| Some(r.memory),
        ),
        line(column::BINDS.text(lang), "binding", Box::new(move |f| binds(f, lang)), none),
        line(column::GRADE.text(lang), "grade", Box::new(|f| Cell::text(f.grade.letter())), none),
    ]
}

fn binds(figures: &Figures, lang: Language) -> Cell {
    let (bound, share) = figures.binding;
    Cell::id(format!("{} ({})", names::bound(bound).text(lang), text::percent(share)), bound.name())
}

/// The table of before and after.
fn sides(view: &WhatIfView<'_>) -> Table {
    let lang = view.language;
    let mut columns = vec![Column::left("", "quantity"), Column::right(whatif::BEFORE.text(lang), "before")];
    if view.after.is_some() {
        columns.push(Column::right(whatif::AFTER.text(lang), "after"));
        columns.push(Column::right(whatif::RATIO.text(lang), "ratio"));
    }
    let relation = view.after.and_then(|after| ratios(view.before, after));
    let name = |outcome: &Outcome| match outcome.figures {
        Ok(_) => Cell::text(&outcome.cluster),
        Err(why) => {
            Cell::id(format!("{} {}", outcome.cluster, reason(why).text(lang)).trim().to_owned(), why)
        }
    };
    let mut cells = vec![Cell::id(column::CLUSTER.text(lang), "cluster"), name(view.before)];
    cells.extend(view.after.map(name));
    let mut rows = vec![Row::new(cells)];
    for line in lines(view) {
        let side = |o: &Outcome| o.figures().map_or_else(Cell::absent, |f| (line.cell)(f));
        let mut cells = vec![Cell::id(line.label, line.key), side(view.before)];
        if let Some(after) = view.after {
            cells.push(side(after));
            cells.push(relation.as_ref().and_then(line.ratio).map_or_else(Cell::absent, ratio));
        }
        rows.push(Row::new(cells));
    }
    Table::new(columns, rows)
}

fn ratio(value: f64) -> Cell {
    Cell::number(text::significant(value, 3), value)
}

/// The table of a sweep.
fn sweep(view: &WhatIfView<'_>, swept: &Swept) -> Table {
    let lang = view.language;
    let mut columns: Vec<Column> = swept.keys.iter().map(|key| Column::right(*key, *key)).collect();
    columns.extend([
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::right(column::GPUS.text(lang), "gpus"),
        Column::machine("step_time_s"),
        Column::right(column::TIME_P50.text(lang), "total_time_p50_s"),
        Column::machine("total_time_p90_s"),
        Column::right(whatif::RELATIVE_TIME.text(lang), "time_ratio"),
        Column::right(column::COST_P50.text(lang), format!("cost_p50_{}", view.currency).to_lowercase()),
        Column::right(whatif::RELATIVE_COST.text(lang), "cost_ratio"),
        Column::left(column::BINDS.text(lang), "binding"),
        Column::left(column::GRADE.text(lang), "grade"),
    ]);
    let rows = swept.points.iter().map(|point| {
        let mut cells: Vec<Cell> = point.values.iter().map(Cell::text).collect();
        match &point.outcome.figures {
            Ok(f) => {
                cells.extend([
                    Cell::text(&point.outcome.cluster),
                    Cell::count(u64::from(f.gpus)),
                    Cell::number(time(f.step.get(), f.grade), f.step.get()),
                    Cell::number(time(f.time.p50, f.grade), f.time.p50),
                    Cell::number(time(f.time.p90, f.grade), f.time.p90),
                    point.ratios.map_or_else(Cell::absent, |r| ratio(r.time)),
                    f.cost.map_or_else(Cell::absent, |c| {
                        Cell::number(money(c.p50, view.currency, f.grade), c.p50)
                    }),
                    point.ratios.and_then(|r| r.cost).map_or_else(Cell::absent, ratio),
                    binds(f, lang),
                    Cell::text(f.grade.letter()),
                ]);
            }
            Err(why) => cells.push(Cell::id(reason(why).text(lang), *why)),
        }
        Row::new(cells)
    });
    Table::new(columns, rows).titled(whatif::SWEEP.fill(lang, &[&swept.keys.join(", ")]))
}

/// Time and, where there are prices, cost over the first swept key; `None` when its values are no numbers.
pub fn picture(view: &WhatIfView<'_>, origin: Origin<'_>) -> Option<PlotModel> {
    let swept = view.swept?;
    let lang = view.language;
    if swept.points.iter().any(|p| p.number.is_none()) {
        return None;
    }
    let key = swept.keys.first()?;
    let footer = format!(
        "gpu-advisor {} · {} · catalog {} · profiles {} · {}",
        env!("CARGO_PKG_VERSION"),
        origin.prices.as_of,
        origin.catalog.content_hash,
        origin.profiles.content_hash,
        view.changes.iter().map(|(k, v)| format!("{k} = {v}")).collect::<Vec<_>>().join(", ")
    );
    let panel =
        |title: String, y_label: String, is_time: bool, of: fn(&Figures) -> Option<Interval>| SweepPlot {
            title: format!("{title}: {}", view.changed_job.workload.name),
            x_label: (*key).to_owned(),
            y_label,
            is_time,
            curves: curves(swept, of),
            footer: footer.trim_end_matches([' ', '·']).to_owned(),
        };
    let times =
        panel(whatif::TIME_OVER.fill(lang, &[key]), drawn::TRAINING_TIME.owned(lang), true, |f| Some(f.time));
    let currency = view.currency.to_string();
    let costs =
        panel(whatif::COST_OVER.fill(lang, &[key]), drawn::COST_IN.fill(lang, &[&currency]), false, |f| {
            f.cost
        });
    let mut plots = vec![PlotModel::Sweep(times)];
    if costs.curves.iter().any(|c| !c.points.is_empty()) {
        plots.push(PlotModel::Sweep(costs));
    }
    Some(PlotModel::Several(plots))
}

/// One curve for each value of the second key.
fn curves(swept: &Swept, of: fn(&Figures) -> Option<Interval>) -> Vec<SweepCurve> {
    let mut curves: Vec<SweepCurve> = Vec::new();
    for point in &swept.points {
        let name = match (swept.keys.get(1), point.values.get(1)) {
            (Some(key), Some(value)) => format!("{key} {value}"),
            _ => String::new(),
        };
        if curves.last().is_none_or(|c| c.name != name) {
            curves.push(SweepCurve { name, points: Vec::new() });
        }
        let value = point.outcome.figures().and_then(of);
        if let (Some(curve), Some(x), Some(v)) = (curves.last_mut(), point.number, value) {
            curve.points.push((x, Bar::new(v.p10, v.p50, v.p90)));
        }
    }
    curves
}
