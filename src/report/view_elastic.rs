//! A job over a schedule: when it ends, what it costs, which baseline is cheapest, hour by hour.

use jiff::civil::DateTime;

use super::phrases::{column, elastic as say, section, simulation, verdict};
use super::recommend::cells::{money, rate, time};
use super::sentences;
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::advisor::Simulation;
use crate::advisor::elastic::{Elastic, ElasticTerms};
use crate::cost::{ElasticBill, Price, PriceRate};
use crate::profile::Grade;
use crate::units::{Money, Seconds, text};
use crate::workload::Job;

/// Most rows of the course; JSON has it by the hour.
const MOST_ROWS: usize = 40;

/// Everything the view reads.
#[derive(Debug, Clone, Copy)]
pub struct ElasticView<'a> {
    /// The job.
    pub job: &'a Job,
    /// Name of its software.
    pub stack: &'a str,
    /// Each number of nodes, ascending; all run.
    pub simulations: &'a [Simulation],
    /// What was asked.
    pub terms: &'a ElasticTerms<'a>,
    /// When the job starts.
    pub start: DateTime,
    /// The result.
    pub elastic: &'a Elastic,
    /// Language of the text.
    pub language: Language,
}

impl ElasticView<'_> {
    /// The worst evidence of the sizes.
    fn grade(&self) -> Grade {
        let grades = self.simulations.iter().filter_map(|s| s.estimate()).map(|e| e.grade);
        grades.max().unwrap_or(Grade::D)
    }

    /// The largest size, whose name the answer carries.
    pub(super) fn largest(&self) -> &Simulation {
        &self.simulations[self.simulations.len() - 1]
    }

    /// A moment of the course by the clock, to the minute.
    pub(super) fn moment(&self, after: Seconds) -> String {
        let minutes = (after.get() / 60.0).round() as i64;
        let at = self.start.saturating_add(jiff::Span::new().minutes(minutes));
        at.strftime("%Y-%m-%d %H:%M").to_string()
    }
}

/// The answer as a document.
pub fn document(view: &ElasticView<'_>) -> Document {
    let lang = view.language;
    let title = say::ELASTIC.fill(lang, &[&name(view.largest())]);
    let mut blocks = vec![Block::heading(1, title), Block::Fields(fields(view)), sizes(view).into()];
    if view.elastic.bills.len() > 1 {
        blocks.push(baselines(view).into());
    }
    blocks.extend(course(view).map(Block::from));
    blocks.push(Block::heading(3, section::WARNINGS.text(lang)));
    blocks.push(Block::list(warnings(view)));
    let all = view.simulations.iter().flat_map(|s| &s.assumed).filter(|a| a.name != "plan");
    let mut assumed = sentences::assumptions(view.job.assumed.iter().chain(all), lang);
    let mut seen = std::collections::BTreeSet::new();
    assumed.retain(|line| seen.insert(line.clone()));
    if !assumed.is_empty() {
        blocks.push(Block::heading(3, section::ASSUMPTIONS.text(lang)));
        blocks.push(Block::list(assumed));
    }
    Document::new(blocks)
}

/// The cluster without its number of nodes.
fn name(simulation: &Simulation) -> String {
    let label = &simulation.cluster.label;
    label.rsplit_once(':').map_or(label.as_str(), |(name, _)| name).to_owned()
}

fn fields(view: &ElasticView<'_>) -> Vec<(String, String)> {
    let (lang, grade, elastic) = (view.language, view.grade(), view.elastic);
    let schedule = view.terms.schedule.to_string();
    let schedule =
        if view.terms.schedule.rests() { say::REST_OF_WEEK.fill(lang, &[&schedule]) } else { schedule };
    let mut fields = vec![
        (section::JOB.owned(lang), sentences::job(view.job, view.stack, None, lang)),
        (column::CLUSTER.owned(lang), sentences::cluster(view.largest(), lang)),
        (say::SCHEDULE.owned(lang), schedule),
        (say::START.owned(lang), view.moment(Seconds::ZERO)),
    ];
    let mut add = |label: super::Phrase, text: String| fields.push((label.owned(lang), text));
    let Some(courses) = &elastic.courses else {
        add(section::ANSWER, say::DOES_NOT_END.owned(lang));
        return fields;
    };
    let [p50, p10, p90] = [&courses.p50, &courses.p10, &courses.p90].map(|c| time(c.end().get(), grade));
    let ends = simulation::P10_TO_P90.fill(lang, &[&p50, &p10, &p90]);
    add(section::ANSWER, say::ENDS.fill(lang, &[&ends, &view.moment(courses.p50.end())]));
    let course = &courses.p50;
    let (lost, end) = (course.changing(), course.end());
    let words = [
        course.changes().to_string(),
        text::duration(elastic.change, 2),
        text::duration(lost, 2),
        text::duration(end, 3),
        text::percent(lost / end),
    ];
    add(say::CHANGES, say::CHANGES_OF.fill(lang, &words.each_ref().map(String::as_str)));
    add(say::NODE_HOURS, text::significant(course.node_hours(), 3));
    add(column::COST, cost(view));
    add(say::BASELINE, baseline(view));
    if let Some(price) = view.terms.hourly {
        add(
            column::PRICE,
            simulation::RATE_IN_PLACE.fill(lang, &[&rate(price.per_hour), &dated(view, price)]),
        );
    }
    if let Some(price) = view.terms.monthly
        && let PriceRate::PerMonth(month) = price.stated_rate()
    {
        add(column::PRICE, say::PER_MONTH.fill(lang, &[&rate(month), &dated(view, price)]));
    }
    fields
}

/// Where a price holds, how it is bought, its date and source.
fn dated(view: &ElasticView<'_>, price: &Price) -> String {
    let date = price.as_of.map_or_else(|| verdict::UNKNOWN.owned(view.language), |d| d.to_string());
    let place = view.largest().cluster.place.as_ref().map(ToString::to_string);
    let parts = [place, Some(price.purchase.name().to_owned()), Some(date), Some(price.source.clone())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn amount(money: Money, grade: Grade) -> String {
    self::money(money.as_f64(), money.currency, grade)
}

fn cost(view: &ElasticView<'_>) -> String {
    let (lang, grade) = (view.language, view.grade());
    let Some(chosen) = view.elastic.chosen else { return verdict::NO_PRICE.owned(lang) };
    let total = amount(chosen.total, grade);
    let total = match &view.elastic.ends {
        Some([p10, p90]) => {
            simulation::P10_TO_P90.fill(lang, &[&total, &amount(p10.total, grade), &amount(p90.total, grade)])
        }
        None => total,
    };
    format!("{total} · {}", section::COST_LEAVES_OUT.fill(lang, &[section::DISK_EGRESS_TAX.text(lang)]))
}

fn baseline(view: &ElasticView<'_>) -> String {
    let lang = view.language;
    let nodes = view.elastic.chosen.map_or(0, |b| b.committed.nodes);
    match (view.terms.baseline, view.terms.monthly) {
        (_, None) => say::NO_MONTHLY.owned(lang),
        (Some(_), _) => say::STATED_BASELINE.fill(lang, &[&nodes.to_string()]),
        _ if nodes == 0 => say::ALL_HOURLY.owned(lang),
        _ => say::BASELINE_OF.fill(lang, &[&nodes.to_string()]),
    }
}

/// Money without its currency, which the column names.
fn bare(money: Money, grade: Grade) -> Cell {
    Cell::number(super::recommend::cells::amount(money.as_f64(), grade), money.as_f64())
}

/// Every number of nodes by itself beside the schedule.
fn sizes(view: &ElasticView<'_>) -> Table {
    let (lang, grade) = (view.language, view.grade());
    let currency = view.terms.hourly.map_or_else(|| "-".to_owned(), |p| p.currency().to_string());
    let columns = vec![
        Column::right(say::NODES.text(lang), "nodes"),
        Column::right(column::STEP_TIME.text(lang), "step_time_s"),
        Column::right(column::MEMORY.text(lang), "memory_share"),
        Column::right(say::WHOLE_JOB.text(lang), "time_s"),
        Column::right(say::NODE_HOURS.text(lang), "node_hours"),
        Column::right(say::COST_ALONE.fill(lang, &[&currency]), "cost"),
    ];
    let row = |name: Cell, step: Cell, memory: Cell, end: Seconds, hours: f64, bill: Option<ElasticBill>| {
        let cost = bill.map_or_else(Cell::absent, |b| bare(b.total, grade));
        let hours = Cell::number(text::significant(hours, 3), hours);
        vec![name, step, memory, Cell::number(time(end.get(), grade), end.get()), hours, cost]
    };
    let mut rows: Vec<Row> = (view.elastic.fixed.iter().zip(view.simulations))
        .map(|(fixed, simulation)| {
            let planned = simulation.estimate().map(|e| &e.planned);
            let step = planned.map_or_else(Cell::absent, |p| {
                let step = p.step.total().get();
                Cell::number(time(step, grade), step)
            });
            let memory = planned.map_or_else(Cell::absent, |p| {
                Cell::number(text::percent(p.memory.share()), p.memory.share())
            });
            let name = Cell::number(fixed.nodes.to_string(), f64::from(fixed.nodes));
            let hours = fixed.whole.hours() * f64::from(fixed.nodes);
            Row::new(row(name, step, memory, fixed.whole, hours, fixed.bill))
        })
        .collect();
    if let Some(courses) = &view.elastic.courses {
        let name = Cell::id(say::THIS_SCHEDULE.text(lang), "schedule");
        let course = &courses.p50;
        let cells =
            row(name, Cell::absent(), Cell::absent(), course.end(), course.node_hours(), view.elastic.chosen);
        rows.push(Row::highlighted(cells));
    }
    Table::new(columns, rows).titled(say::SIZES.text(lang))
}

/// The bill of each size of baseline.
fn baselines(view: &ElasticView<'_>) -> Table {
    let (lang, grade) = (view.language, view.grade());
    let currency = view.terms.hourly.map_or_else(String::new, |p| p.currency().to_string());
    let columns = vec![
        Column::right(say::NODES.text(lang), "committed_nodes"),
        Column::right(say::COMMITTED.fill(lang, &[&currency]), "committed_cost"),
        Column::right(say::BURST_HOURS.text(lang), "burst_node_hours"),
        Column::right(say::BURST.fill(lang, &[&currency]), "burst_cost"),
        Column::right(say::TOTAL.fill(lang, &[&currency]), "total_cost"),
        Column::right(say::USED.text(lang), "committed_used_share"),
    ];
    let chosen = view.elastic.chosen.map(|b| b.committed.nodes);
    let rows = view.elastic.bills.iter().map(|bill| {
        let nodes = bill.committed.nodes;
        let cells = [
            Cell::number(nodes.to_string(), f64::from(nodes)),
            bare(bill.committed.cost, grade),
            Cell::number(text::significant(bill.burst_node_hours, 3), bill.burst_node_hours),
            bare(bill.burst, grade),
            bare(bill.total, grade),
            bill.used.map_or_else(Cell::absent, |u| Cell::number(text::percent(u), u)),
        ];
        if chosen == Some(nodes) { Row::highlighted(cells) } else { Row::new(cells) }
    });
    Table::new(columns, rows).titled(say::BASELINES.text(lang))
}

/// The median course, one row for each number of nodes in turn.
fn course(view: &ElasticView<'_>) -> Option<Table> {
    let lang = view.language;
    let course = &view.elastic.courses.as_ref()?.p50;
    let columns = vec![
        Column::left(say::FROM.text(lang), "from"),
        Column::left(say::TO.text(lang), "to"),
        Column::right(say::NODES.text(lang), "nodes"),
        Column::right(say::LOST.text(lang), "changing_s"),
        Column::right(say::DONE.text(lang), "done_share"),
    ];
    let rows = course.stretches.iter().take(MOST_ROWS).map(|s| {
        let lost = s.changing;
        Row::new([
            Cell::text(view.moment(s.from)),
            Cell::text(view.moment(s.to)),
            Cell::number(s.nodes.to_string(), f64::from(s.nodes)),
            if lost.get() > 0.0 { Cell::number(text::duration(lost, 2), lost.get()) } else { Cell::absent() },
            Cell::number(text::percent_to_tenth(s.done), s.done),
        ])
    });
    let table = Table::new(columns, rows).titled(say::COURSE.text(lang));
    let hidden = course.stretches.len().saturating_sub(MOST_ROWS);
    Some(if hidden > 0 { table.noted([say::MORE_ROWS.fill(lang, &[&hidden.to_string()])]) } else { table })
}

fn warnings(view: &ElasticView<'_>) -> Vec<String> {
    let lang = view.language;
    let most = view.largest().cluster.nodes.to_string();
    let mut list = vec![say::STOCK_NOT_CHECKED.fill(lang, &[&most])];
    if view.elastic.courses.as_ref().is_some_and(|c| c.p50.changes() > 0) {
        list.push(say::CHECKPOINT_FITS.owned(lang));
    }
    if view.terms.change.is_none() {
        list.push(say::CHANGE_ASSUMED.owned(lang));
    }
    if view.elastic.chosen.is_some_and(|b| b.committed.nodes > 0) {
        list.push(say::MONTH_WHOLE.owned(lang));
    }
    for warning in view.simulations.iter().flat_map(|s| &s.warnings) {
        let text = sentences::warning(warning, lang);
        if !list.contains(&text) {
            list.push(text);
        }
    }
    list
}
