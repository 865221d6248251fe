//! One job on one cluster: the answer, term by term, memory per item, warnings, assumptions.

use super::anchored;
use super::beside_training;
use super::explained;
use super::folds;
use super::names;
use super::phrases::{column, explain, section, simulation as say, verdict};
use super::recommend::cells::{about, digits, money, plan, rate, time};
use super::sentences;
use super::wire::WINNING_PRICE;
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::advisor::{Estimate, Filling, RejectionReason, Simulation};
use crate::cost::{CostOutcome, JobCost};
use crate::plan::Plan;
use crate::profile::Grade;
use crate::simulator::explain::Explanation;
use crate::simulator::memory::BytesPerParameter;
use crate::simulator::{MemoryEstimate, StepEstimate};
use crate::units::{Bytes, Currency, text};
use crate::workload::{Base, Job};

/// Everything the view reads.
#[derive(Debug, Clone, Copy)]
pub struct SimulateView<'a> {
    /// The job.
    pub job: &'a Job,
    /// Name of its software.
    pub stack: &'a str,
    /// The result.
    pub simulation: &'a Simulation,
    /// The number that was asked for, by name; `None` when no number will do.
    pub solution: Option<(&'static str, Option<f64>)>,
    /// Currency of the answer.
    pub currency: Currency,
    /// Say how each term is computed, with these figures and sources.
    pub explanation: Option<&'a Explanation<'a>>,
    /// Language of the text.
    pub language: Language,
}

/// The simulation as a document.
pub fn document(view: &SimulateView<'_>) -> Document {
    let lang = view.language;
    let simulation = view.simulation;
    let title = format!("{}: {}", section::SIMULATION.text(lang), simulation.cluster.label);
    let mut blocks = vec![Block::heading(1, title)];
    blocks.extend(view.solution.map(|(name, value)| Block::paragraph(solution(name, value, view))));
    blocks.extend(
        simulation.anchored.as_ref().map(|a| Block::paragraph(anchored::sentence(a, simulation, lang))),
    );
    match &simulation.outcome {
        Ok(estimate) => {
            let plan = &estimate.planned.plan;
            blocks.push(Block::Fields(fields(view, estimate)));
            blocks.push(terms(&estimate.planned.step, view).into());
            let held = &estimate.planned.memory;
            blocks.push(memory((held, held.usable), estimate.recipe, plan, view).into());
            if let Some(explanation) = view.explanation {
                blocks.push(Block::heading(3, explain::SOURCES.text(lang)));
                let nodes = simulation.cluster.nodes;
                blocks.push(Block::list(explained::sources(&explanation.sources, nodes, lang)));
            }
        }
        Err(blocked) => {
            let (reason, hint) = sentences::rejection(&blocked.reason, lang);
            let no_plan = say::NO_PLAN.fill(lang, &[&simulation.cluster.label]);
            let mut fields = inputs(view, None);
            fields.push((section::ANSWER.owned(lang), format!("{no_plan}: {reason}")));
            blocks.push(Block::Fields(fields));
            if let Some((nearest, estimate, recipe)) = &blocked.nearest {
                blocks.push(Block::paragraph(say::NEAREST_PLAN.fill(lang, &[&plan(nearest)])));
                let allowed = match blocked.reason {
                    RejectionReason::Memory { allowed, .. } => allowed,
                    _ => estimate.usable,
                };
                blocks.push(memory((estimate, allowed), *recipe, nearest, view).into());
            }
            let memory = matches!(blocked.reason, RejectionReason::Memory { .. });
            let cures = sentences::cures(&blocked.cures, memory, lang);
            // What was tried and works is worth more than what may help, but a patch or image is for the user to choose.
            let samples = matches!(
                blocked.reason,
                RejectionReason::Memory {
                    filled_by: Filling::FeatureMaps | Filling::Tables | Filling::SplitTables,
                    ..
                }
            );
            let hint = hint.filter(|_| samples || cures.is_none()).map(str::to_owned);
            let apart = folds::apart(view, &blocked.reason);
            blocks.extend(apart.into_iter().chain(cures).chain(hint).map(Block::paragraph));
        }
    }
    if !simulation.warnings.is_empty() {
        blocks.push(Block::heading(3, section::WARNINGS.text(lang)));
        blocks.push(Block::list(simulation.warnings.iter().map(|w| sentences::warning(w, lang))));
    }
    let assumed = sentences::assumptions(view.job.assumed.iter().chain(&simulation.assumed), view.language);
    if !assumed.is_empty() {
        blocks.push(Block::heading(3, section::ASSUMPTIONS.text(lang)));
        blocks.push(Block::list(assumed));
    }
    Document::new(blocks)
}

/// The answer to an inverse question.
fn solution(name: &str, value: Option<f64>, view: &SimulateView<'_>) -> String {
    let lang = view.language;
    let phrase = match name {
        "micro_batch" => say::LARGEST_MICRO_BATCH,
        "sequence_length" => say::LONGEST_SEQUENCE,
        "deadline_nodes" => say::DEADLINE_NODES,
        "deadline_nodes_p90" => say::DEADLINE_NODES_P90,
        "network_bandwidth_gigabit_per_s" => say::NEEDED_NETWORK,
        WINNING_PRICE => say::WINNING_PRICE,
        "length" => say::LONGEST_TRAINING,
        _ => say::FEWEST_GPUS,
    };
    match value {
        Some(_) if name == "length" => phrase.fill(lang, &[&sentences::length(view.job.length, lang)]),
        Some(value) if name == WINNING_PRICE => {
            phrase.fill(lang, &[&format!("{} {}", text::significant(value, 4), view.currency)])
        }
        Some(value) if value.fract() != 0.0 => phrase.fill(lang, &[&text::significant(value, 4)]),
        Some(value) => phrase.fill(lang, &[&text::grouped(&format!("{value:.0}"))]),
        None if matches!(phrase, say::LARGEST_MICRO_BATCH | say::LONGEST_SEQUENCE | say::FEWEST_GPUS) => {
            say::NO_SOLUTION.owned(lang)
        }
        None => say::NO_NUMBER.owned(lang),
    }
}

/// Job and cluster.
fn inputs(view: &SimulateView<'_>, estimate: Option<&Estimate>) -> Vec<(String, String)> {
    let lang = view.language;
    let precision = estimate.map(|e| e.planned.plan.precision);
    vec![
        (section::JOB.owned(lang), sentences::job(view.job, view.stack, precision, lang)),
        (column::CLUSTER.owned(lang), sentences::cluster(view.simulation, lang)),
    ]
}

fn fields(view: &SimulateView<'_>, estimate: &Estimate) -> Vec<(String, String)> {
    let lang = view.language;
    let grade = estimate.grade;
    let planned = &estimate.planned;
    let binding = planned.step.binding();
    let share = text::percent(planned.step.share(binding));
    let step = format!(
        "{} · {} ({share})",
        time(planned.step.total().get(), grade),
        names::bound(binding).text(lang)
    );
    let total = &estimate.time.total;
    let steps = text::grouped(&format!("{:.0}", estimate.time.steps));
    let interval = say::P10_TO_P90
        .fill(lang, &[&time(total.p50, grade), &time(total.p10, grade), &time(total.p90, grade)]);
    let of_steps = say::STEPS_OF.fill(lang, &[&steps, &time(estimate.time.step.get(), grade)]);
    let memory = &planned.memory;
    let fill = format!(
        "{} / {} ({}), {}",
        text::memory(memory.peak()),
        text::memory(memory.usable),
        text::percent(memory.share()),
        names::verdict(memory.verdict()).text(lang)
    );
    let rounded = |value: f64| format!("{}{}", about(grade), text::significant(value, digits(grade)));
    let mut fields = inputs(view, Some(estimate));
    let mut add = |label: super::Phrase, text: String| fields.push((label.owned(lang), text));
    add(column::PLAN, plan(&planned.plan));
    add(column::STEP_TIME, step);
    let within = beside_training::around_steps(estimate)
        .map(|s| format!(", {}", say::EPOCHS_WITHIN.fill(lang, &[&time(s, grade)])))
        .unwrap_or_default();
    add(column::TOTAL_TIME, format!("{interval} · {of_steps}{within}"));
    if view.job.folds > 1 {
        add(say::ALL_FOLDS, folds::all(view, estimate));
    }
    add(say::CALENDAR, beside_training::calendar(estimate, lang));
    add(say::BESIDE_TRAINING, beside_training::beside_training(estimate, lang));
    add(column::GPU_HOURS, rounded(estimate.gpu_hours));
    add(column::THROUGHPUT, throughput(view, estimate));
    if let Some(need) = &estimate.input_need {
        add(say::INPUT_NEEDED, sentences::input_need(need, lang));
    }
    add(say::FLOP_PER_STEP, flop_counts(estimate, view.job.workload.base, lang));
    add(say::UTILIZATION, utilization(estimate, view.job.workload.base, lang));
    add(column::MEMORY, fill);
    add(column::COST, cost(view, estimate));
    if let Some(price) = price(view) {
        add(column::PRICE, price);
    }
    add(column::GRADE, format!("{} · {}", grade.letter(), section::GRADES_EXPLAINED.text(lang)));
    fields
}

fn throughput(view: &SimulateView<'_>, estimate: &Estimate) -> String {
    let lang = view.language;
    let shown = |value: f64| text::significant(value, digits(estimate.grade).max(2));
    let samples = say::SAMPLES_PER_SECOND.fill(lang, &[&shown(estimate.samples_per_s)]);
    if view.job.workload.kind.is_image() {
        return samples;
    }
    let per_gpu = estimate.rows_per_s / f64::from(view.simulation.cluster.gpus());
    let tokens = say::TOKENS_PER_SECOND.fill(lang, &[&shown(estimate.rows_per_s), &shown(per_gpu)]);
    format!("{tokens}, {samples}")
}

fn flop_counts(estimate: &Estimate, base: Base, lang: Language) -> String {
    let phrase = if base == Base::Trained { say::FLOP_COUNTS } else { say::FLOP_COUNTS_FROZEN };
    let shown = |value: f64| format!("{value:.3e}");
    let u = &estimate.utilization;
    let exact = shown(u.exact.get());
    match u.six_nd {
        Some(six_nd) => phrase.fill(lang, &[&exact, &shown(six_nd.get())]),
        None => exact,
    }
}

fn utilization(estimate: &Estimate, base: Base, lang: Language) -> String {
    let phrase = if base == Base::Trained { say::UTILIZATIONS } else { say::UTILIZATIONS_FROZEN };
    let u = &estimate.utilization;
    match (u.model_flop_utilization, u.six_nd_utilization) {
        (Some(exact), Some(six_nd)) => phrase.fill(lang, &[&text::percent(exact), &text::percent(six_nd)]),
        (Some(exact), None) => text::percent(exact),
        _ => say::PEAK_UNKNOWN.owned(lang),
    }
}

fn cost(view: &SimulateView<'_>, estimate: &Estimate) -> String {
    let lang = view.language;
    let amounts = |c: &JobCost| {
        let [p50, p10, p90] = [c.p50, c.p10, c.p90].map(|m| money(m.as_f64(), m.currency, estimate.grade));
        let excluded = section::COST_LEAVES_OUT.fill(lang, &[section::DISK_EGRESS_TAX.text(lang)]);
        let drawn = estimate.paid != estimate.time.total;
        let of = if drawn { format!(" · {}", say::COST_OF_PREDICTION.text(lang)) } else { String::new() };
        format!("{}{of} · {excluded}", say::P10_TO_P90.fill(lang, &[&p50, &p10, &p90]))
    };
    match &estimate.cost {
        Some(CostOutcome::Priced(cost) | CostOutcome::Unconvertible { own: cost, .. }) => amounts(cost),
        Some(CostOutcome::NoPrice | CostOutcome::NotRepresentable) => verdict::NO_PRICE.owned(lang),
        None if view.simulation.cluster.instance.is_some() => say::NO_PRICE_THERE.owned(lang),
        None => say::GENERIC_NO_PRICE.owned(lang),
    }
}

/// The price that holds, with its date and source.
fn price(view: &SimulateView<'_>) -> Option<String> {
    let lang = view.language;
    let offer = view.simulation.offer.as_ref()?;
    let price = &offer.price.as_ref()?.price;
    let date = price.as_of.map_or_else(|| verdict::UNKNOWN.owned(lang), |d| d.to_string());
    let place = format!("{} · {} · {date} · {}", offer.place, price.purchase.name(), price.source);
    Some(say::RATE_IN_PLACE.fill(lang, &[&rate(price.per_hour), &place]))
}

fn terms(step: &StepEstimate, view: &SimulateView<'_>) -> Table {
    let lang = view.language;
    let total = step.total();
    let mut columns = vec![
        Column::left(column::TERM.text(lang), "term"),
        Column::right(column::TIME.text(lang), "time_s"),
        Column::right(column::SHARE.text(lang), "share"),
        Column::left(say::BOUND_BY.text(lang), "bound_by"),
        Column::left(column::GRADE.text(lang), "grade"),
    ];
    if view.explanation.is_some() {
        columns.push(Column::left(say::HOW.text(lang), "how"));
    }
    let cell = |seconds: f64, grade: Grade| Cell::number(time(seconds, grade), seconds);
    let mut rows: Vec<Row> = step
        .terms()
        .map(|term| {
            let bound = term.bound;
            let mut cells = vec![
                Cell::id(names::term(term.kind).text(lang), term.kind.name()),
                cell(term.time.get(), term.grade),
                Cell::number(text::percent(term.time / total), term.time / total),
                Cell::id(names::bound(bound).text(lang), bound.name()),
                Cell::text(term.grade.letter()),
            ];
            if let Some(explanation) = view.explanation {
                let how = names::how_term(term.kind).text(lang);
                let figures = explanation.figures(term.kind).map(|f| explained::sentence(f, lang));
                cells.push(Cell::text(figures.map_or_else(|| how.to_owned(), |f| format!("{how}: {f}"))));
            }
            Row::new(cells)
        })
        .collect();
    rows.push(Row::highlighted([
        Cell::id(say::TOTAL.text(lang), "total"),
        cell(total.get(), step.grade()),
        Cell::number(text::percent(1.0), 1.0),
        Cell::id(names::bound(step.binding()).text(lang), step.binding().name()),
        Cell::text(step.grade().letter()),
    ]));
    Table::new(columns, rows).titled(section::STEP_BREAKDOWN.text(lang))
}

/// The items of a memory estimate against the most that is allowed; the item that breaks it is marked.
fn memory(
    (memory, allowed): (&MemoryEstimate, Bytes),
    recipe: BytesPerParameter,
    plan: &Plan,
    view: &SimulateView<'_>,
) -> Table {
    let lang = view.language;
    let breaking = memory.breaking(allowed).map(|(item, _)| item);
    let shards = plan.shards(view.simulation.cluster.gpus_per_node);
    let mut columns = vec![
        Column::left(column::ITEM.text(lang), "item"),
        Column::right(column::MEMORY.text(lang), "bytes"),
        Column::right(say::OF_USABLE.text(lang), "share_of_usable"),
    ];
    columns.push(Column::left(say::HOW.text(lang), "how"));
    let share = |bytes: Bytes| {
        let share = bytes / memory.usable;
        Cell::number(text::percent(share), share)
    };
    let number = |bytes: Bytes| Cell::number(text::memory(bytes), bytes.get());
    let mut rows: Vec<Row> = memory
        .items()
        .map(|(item, bytes)| {
            let name = Cell::id(names::item(item).text(lang), item.name());
            let how = Cell::text(names::how_item(item, recipe, plan, (shards, view.job.workload.base), lang));
            let cells = [name, number(bytes), share(bytes), how];
            if breaking == Some(item) { Row::highlighted(cells) } else { Row::new(cells) }
        })
        .collect();
    let verdict = names::verdict(memory.verdict());
    rows.push(Row::new([
        Cell::id(say::TOTAL.text(lang), "peak"),
        number(memory.peak()),
        share(memory.peak()),
        Cell::id(verdict.text(lang), verdict.en),
    ]));
    // What is beyond the most that is allowed is too much, as in the answer; only what is within is free of all.
    let beyond = memory.peak() - allowed;
    rows.push(if beyond.get() > 0.0 {
        let of = say::EXCESS_OVER.fill(lang, &[&text::memory(allowed)]);
        Row::new([Cell::id(say::EXCESS.text(lang), "excess"), number(beyond), share(beyond), Cell::text(of)])
    } else {
        let free = (memory.usable - memory.peak()).max(Bytes::ZERO);
        Row::new([Cell::id(say::FREE.text(lang), "free"), number(free), share(free)])
    });
    let stages = plan.pipeline_parallel;
    let stage = say::STAGE_OF.fill(lang, &[&(memory.stage + 1).to_string(), &stages.to_string()]);
    let title = section::MEMORY_BREAKDOWN.text(lang);
    let title = if stages > 1 { format!("{title} ({stage})") } else { title.to_owned() };
    Table::new(columns, rows).titled(title)
}
