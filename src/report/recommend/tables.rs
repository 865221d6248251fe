//! Blocks A, B and C.

use super::RecommendView;
use super::answer::{considered, rejection};
use super::cells::{amount, bound, cluster, gpu, rate, short_place, time};
use crate::advisor::Candidate;
use crate::advisor::rank::interval_cost;
use crate::cost::{CostOutcome, StandingNote};
use crate::report::phrases::{column, recommend as say, section, verdict};
use crate::report::{Block, Cell, Column, Row, Table};
use crate::units::text;

/// Columns that both tables begin with.
fn shared_columns(view: &RecommendView<'_>) -> Vec<Column> {
    let lang = view.language;
    vec![
        Column::right("#", "rank"),
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::left(column::PLACE.text(lang), "place"),
        Column::left(column::GPU.text(lang), "gpu"),
        Column::right(column::GPUS.text(lang), "gpus"),
        Column::left(column::PRECISION.text(lang), "precision"),
        Column::right(column::TIME_P50.text(lang), "total_time_p50_s"),
        Column::right("P90", "total_time_p90_s"),
    ]
}

fn shared_cells(view: &RecommendView<'_>, rank: usize, candidate: &Candidate) -> Vec<Cell> {
    let total = &candidate.time.total;
    vec![
        Cell::count(rank as u64),
        Cell::id(cluster(view, candidate), candidate.cluster.label.clone()),
        Cell::text(short_place(candidate)),
        Cell::text(gpu(view, candidate)),
        Cell::count(u64::from(candidate.cluster.gpus())),
        Cell::text(candidate.planned.plan.precision.name()),
        Cell::number(time(total.p50, candidate.grade), total.p50),
        Cell::number(time(total.p90, candidate.grade), total.p90),
    ]
}

/// Block A.
pub(super) fn priced(view: &RecommendView<'_>) -> Option<Table> {
    let lang = view.language;
    let ranked = &view.recommendation.ranked;
    if ranked.is_empty() {
        return None;
    }
    let currency = view.request.prices.currency;
    let mut columns = shared_columns(view);
    columns.extend([
        Column::right(
            format!("{} {currency}", column::COST.text(lang)),
            format!("cost_p50_{currency}").to_lowercase(),
        ),
        Column::right("P90", format!("cost_p90_{currency}").to_lowercase()),
        Column::left(column::BINDS.text(lang), "binding"),
        Column::left(column::GRADE.text(lang), "grade"),
        Column::left("", "pareto_tie"),
    ]);
    let rows = ranked.iter().take(view.top).enumerate().map(|(i, candidate)| {
        let mut cells = shared_cells(view, i + 1, candidate);
        let binding = candidate.planned.step.binding();
        let cost = interval_cost(candidate);
        let cost_cell = |value: Option<f64>| {
            value.map_or_else(Cell::absent, |v| Cell::number(amount(v, candidate.grade), v))
        };
        cells.extend([
            cost_cell(cost.map(|c| c.p50)),
            cost_cell(cost.map(|c| c.p90)),
            Cell::id(bound(binding).text(lang), binding.name()),
            Cell::text(candidate.grade.letter()),
            marks(view, candidate),
        ]);
        if i == 0 { Row::highlighted(cells) } else { Row::new(cells) }
    });
    let mut notes = Vec::new();
    if ranked.len() > view.top {
        let more = (ranked.len() - view.top).to_string();
        notes.push(say::MORE_ROWS.fill(lang, &[&more, &ranked.len().to_string()]));
    }
    Some(Table::new(columns, rows).titled(section::BLOCK_A.text(lang)).noted(notes))
}

/// Pareto and tie marks.
fn marks(view: &RecommendView<'_>, candidate: &Candidate) -> Cell {
    let mut words = Vec::new();
    let mut ids = Vec::new();
    if candidate.tie {
        words.push(verdict::TIE.text(view.language));
        ids.push("tie");
    }
    if candidate.pareto {
        words.push("P");
        ids.push("pareto");
    }
    Cell::id(words.join(" "), ids.join(" "))
}

/// Block B.
pub(super) fn unpriced(view: &RecommendView<'_>, rows: usize) -> Option<Table> {
    let lang = view.language;
    let unpriced = &view.recommendation.unpriced;
    if unpriced.is_empty() {
        return None;
    }
    let mut columns = shared_columns(view);
    columns.extend([
        Column::right(column::GPU_HOURS.text(lang), "gpu_hours"),
        Column::right(column::BREAK_EVEN.text(lang), "break_even_price_per_node_hour"),
        Column::left(column::NOTE.text(lang), "note"),
    ]);
    let body = unpriced.iter().take(rows).enumerate().map(|(i, candidate)| {
        let mut cells = shared_cells(view, i + 1, candidate);
        cells.push(Cell::number(text::significant(candidate.gpu_hours, 3), candidate.gpu_hours));
        cells.push(candidate.break_even.map_or_else(Cell::absent, |m| {
            Cell::exact(say::WINS_BELOW.fill(lang, &[&rate(m)]), m.rounded(4).amount.to_string())
        }));
        cells.push(Cell::text(note(view, candidate)));
        Row::new(cells)
    });
    let mut notes = Vec::new();
    if unpriced.len() > rows {
        let more = (unpriced.len() - rows).to_string();
        notes.push(say::MORE_ROWS.fill(lang, &[&more, &unpriced.len().to_string()]));
    }
    Some(Table::new(columns, body).titled(section::BLOCK_B.text(lang)).noted(notes))
}

/// Why a candidate is in block B, and what its network is.
fn note(view: &RecommendView<'_>, candidate: &Candidate) -> String {
    let lang = view.language;
    let mut parts = Vec::new();
    match &candidate.cost {
        None | Some(CostOutcome::NoPrice) => parts.push(verdict::NO_PRICE.owned(lang)),
        Some(CostOutcome::Unconvertible { own, .. }) => {
            parts.push(say::NO_RATE.fill(lang, &[&text::money(own.p50)]));
        }
        Some(CostOutcome::Priced(_) | CostOutcome::NotRepresentable) => {}
    }
    if let Some(offer) = &candidate.offer {
        match offer.note {
            Some(StandingNote::SaleNotConfirmed) => parts.push(say::STATUS_UNVERIFIED.owned(lang)),
            Some(StandingNote::ExistingCustomersOnly) => parts.push(say::STATUS_EXISTING.owned(lang)),
            _ => {}
        }
        if !offer.sold_by_user {
            parts.push(say::STATUS_REFERENCE.owned(lang));
        }
    }
    parts.push(network(view, candidate));
    parts.join("; ")
}

/// Bandwidth and kind of the network in a few words.
fn network(view: &RecommendView<'_>, candidate: &Candidate) -> String {
    let lang = view.language;
    let network = &candidate.cluster.network;
    let maximum = text::network_bandwidth(network.maximum);
    if candidate.cluster.nodes == 1 && !network.known {
        return say::NETWORK_NONE.owned(lang);
    }
    if !network.known {
        return say::NETWORK_NOTE_UNKNOWN.fill(lang, &[&maximum, &network.class]);
    }
    let profile = view.profiles.network(&network.class);
    if profile.is_some_and(|p| !p.remote_memory) {
        return say::NETWORK_NOTE_SLOW.fill(lang, &[&maximum, &text::network_bandwidth(network.assured)]);
    }
    say::NETWORK_NOTE.fill(lang, &[&maximum, &network.class])
}

/// Block C: counts with the nearest miss.
pub(super) fn rejected(view: &RecommendView<'_>) -> Vec<Block> {
    let lang = view.language;
    let rejections = &view.recommendation.rejections;
    if rejections.is_empty() {
        return Vec::new();
    }
    let items = rejections.iter().map(|group| {
        let name = match group.reason {
            "precision" => say::NAME_PRECISION,
            "stack" => say::NAME_STACK,
            "memory" => say::NAME_MEMORY,
            "no_valid_plan" => say::NAME_PLAN,
            "deadline" => say::NAME_DEADLINE,
            "budget" => say::NAME_BUDGET,
            "gone" => say::NAME_GONE,
            "place" => say::NAME_PLACE,
            _ => say::STATUS_REFERENCE,
        };
        format!("{} {}: {}", group.count, name.text(lang), rejection(view, &group.nearest))
    });
    let title = format!("{} ({})", section::BLOCK_C.text(lang), considered(view));
    vec![Block::heading(3, title), Block::list(items)]
}
