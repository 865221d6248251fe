//! Blocks A, B and C.

use super::RecommendView;
use super::answer::{capability_notes, considered, plans, rejection};
use super::cells::{amount, cluster, gpu, money, purchase, rate, reason, short_bound, short_place, time};
use super::quota;
use crate::advisor::kind::first_of_kinds;
use crate::advisor::rank::{better_beyond, better_unknown, interval_cost, is_little_known, way_to_buy};
use crate::advisor::{Candidate, Rejections};
use crate::catalog::Purchase;
use crate::cost::{CostOutcome, StandingNote};
use crate::report::phrases::{column, quota as words, recommend as say, section, verdict};
use crate::report::{Cell, Column, Row, Table, sentences};
use crate::units::text;

/// Columns that both tables begin with.
fn shared_columns(view: &RecommendView<'_>) -> Vec<Column> {
    let lang = view.language;
    vec![
        Column::right("#", "rank"),
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::left(column::PLACE.text(lang), "place"),
        Column::right(column::GPUS.text(lang), "gpus"),
        Column::left("", "gpu"),
        Column::left("", "precision"),
        Column::right(column::TIME_RANGE.text(lang), "total_time_p50_s"),
        Column::machine("total_time_p90_s"),
    ]
}

fn shared_cells(view: &RecommendView<'_>, rank: usize, candidate: &Candidate) -> Vec<Cell> {
    let total = &candidate.paid;
    vec![
        Cell::count(rank as u64),
        Cell::id(cluster(view, candidate), candidate.cluster.label.clone()),
        Cell::text(short_place(candidate)),
        Cell::count(u64::from(candidate.cluster.gpus())),
        Cell::text(gpu(view, candidate)),
        Cell::text(candidate.planned.plan.precision.name()),
        Cell::number(range(total.p50, total.p90, |v| time(v, candidate.grade)), total.p50),
        Cell::number("", total.p90),
    ]
}

/// A median and its P90: `27.6 (35.7) d`, `16,300 (21,000)`.
fn range(p50: f64, p90: f64, show: impl Fn(f64) -> String) -> String {
    let (median, high) = (show(p50), show(p90));
    match (median.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((m, unit)), Some((h, other))) if unit == other => {
            format!("{m} ({}) {unit}", h.trim_start_matches('~'))
        }
        _ => format!("{median} ({high})"),
    }
}

/// A row with its rank.
type Ranked<'a> = (usize, &'a Candidate);

/// The best of each family of a provider, the first `top` of those: what has no price is asked about by its name.
fn of_families<'a>(view: &RecommendView<'_>, list: &'a [Candidate], top: usize) -> Vec<Ranked<'a>> {
    let family = |c: &Candidate| {
        let offer = c.offer.as_ref()?;
        let instance = view.catalog.instance(offer.instance);
        Some((instance.provider.as_str(), instance.family.as_str(), instance.gpu, way_to_buy(c)))
    };
    let mut rows: Vec<Ranked<'a>> = Vec::new();
    for (i, candidate) in list.iter().enumerate() {
        let own = family(candidate);
        let shown = own.is_some() && rows.iter().any(|(_, r)| family(r) == own);
        if rows.len() < top && !shown {
            rows.push((i, candidate));
        }
    }
    rows
}

/// Rows to show, the best of each GPU group asked for that is further down, and what would win if it might take longer.
fn visible<'a>(
    view: &RecommendView<'_>,
    list: &'a [Candidate],
    mut rows: Vec<Ranked<'a>>,
) -> Vec<Ranked<'a>> {
    for group in &view.recommendation.groups {
        let Some(best) = &group.best else { continue };
        let same = |c: &Candidate| c.cluster.label == best.cluster.label && c.cost == best.cost;
        let further = list.iter().enumerate().find(|(_, c)| same(c));
        rows.extend(further.filter(|(i, _)| !rows.iter().any(|(shown, _)| shown == i)));
    }
    // What only an assumed limit puts last and that would win without it is not left to --top.
    with(rows, better_beyond(list, view.request.objective))
}

/// The rows with one more, in their order.
fn with<'a>(mut rows: Vec<Ranked<'a>>, one: Option<Ranked<'a>>) -> Vec<Ranked<'a>> {
    rows.extend(one.filter(|(i, _)| !rows.iter().any(|(shown, _)| shown == i)));
    rows.sort_by_key(|(i, _)| *i);
    rows
}

/// What the GPUs of the rows cannot do, once for each group.
fn capability_lines(view: &RecommendView<'_>, rows: &[(usize, &Candidate)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (_, candidate) in rows {
        let notes = capability_notes(view, candidate);
        if notes.is_empty() {
            continue;
        }
        let spec = view.catalog.gpu(candidate.cluster.gpu);
        let line = format!("{}: {}", spec.group.as_deref().unwrap_or(&spec.id), notes.join("; "));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

fn more(view: &RecommendView<'_>, rows: usize, all: usize) -> Option<String> {
    (all > rows).then(|| say::MORE_ROWS.fill(view.language, &[&(all - rows).to_string()]))
}

/// A title with how many rows it leaves out.
fn title(view: &RecommendView<'_>, title: &str, rows: usize, all: usize) -> String {
    more(view, rows, all).map_or_else(|| title.to_owned(), |m| format!("{title} ({m})"))
}

/// Block A with so many rows, and those of groups asked for.
pub(super) fn priced(view: &RecommendView<'_>, top: usize) -> Option<Table> {
    let lang = view.language;
    let ranked = &view.recommendation.ranked;
    if ranked.is_empty() {
        return None;
    }
    let currency = view.request.prices.currency;
    let mut columns = shared_columns(view);
    columns.extend([
        Column::right(
            column::COST_RANGE.fill(lang, &[&currency.to_string()]),
            format!("cost_p50_{currency}").to_lowercase(),
        ),
        Column::machine(format!("cost_p90_{currency}").to_lowercase()),
        Column::left(column::BINDS.text(lang), "binding"),
        Column::left(column::GRADE.text(lang), "grade_pareto_tie"),
    ]);
    let shown = visible(view, ranked, first_of_kinds(ranked, view.request, top));
    let shown = with(shown, better_unknown(ranked, view.request.objective));
    let rows = shown.iter().map(|&(i, candidate)| {
        let mut cells = shared_cells(view, i + 1, candidate);
        let binding = candidate.planned.step.binding();
        let cost = interval_cost(candidate);
        let p50 = cost.map_or_else(Cell::absent, |c| {
            Cell::number(range(c.p50, c.p90, |v| amount(v, candidate.grade)), c.p50)
        });
        let p90 = cost.map_or_else(Cell::absent, |c| Cell::number("", c.p90));
        cells.extend([
            p50,
            p90,
            Cell::id(short_bound(binding).text(lang), binding.name()),
            marks(view, candidate),
        ]);
        if i == 0 { Row::highlighted(cells) } else { Row::new(cells) }
    });
    let table = Table::new(columns, rows).noted(capability_lines(view, &shown));
    Some(table.titled(title(view, section::BLOCK_A.text(lang), shown.len(), ranked.len())))
}

/// Grade, Pareto, tie and purchase marks.
fn marks(view: &RecommendView<'_>, candidate: &Candidate) -> Cell {
    let mut words = format!("{} ", candidate.grade.letter());
    let mut ids = vec![candidate.grade.letter()];
    if candidate.tie {
        words.push('=');
        ids.push("tie");
    }
    if candidate.pareto {
        words.push('P');
        ids.push("pareto");
    }
    if candidate.beyond_horizon {
        words = format!("{words} {}", beyond(view));
        ids.push("beyond_assumed_deadline");
    }
    if is_little_known(candidate) {
        let host = candidate.host_unknown;
        let what = if host { say::HOST_MARK } else { say::NETWORK_MARK };
        words = format!("{words} {}", what.text(view.language));
        ids.push(if host { "host_unknown" } else { "network_unknown" });
    }
    if let Some(offer) = candidate.offer.as_ref().filter(|o| o.purchase != Purchase::OnDemand) {
        words = format!("{words} {}", purchase(offer.purchase).text(view.language));
        ids.push(offer.purchase.name());
    }
    Cell::id(words.trim().to_owned(), ids.join(" "))
}

/// Mark of what takes longer than the deadline that was assumed.
fn beyond(view: &RecommendView<'_>) -> String {
    let limit = view.recommendation.deadline.map_or_else(String::new, |(limit, _)| text::duration(limit, 2));
    format!("> {limit}*")
}

/// Rows of block B beyond `--top`: what has no price is what a reseller most often asks about.
const UNPRICED_EXTRA: usize = 2;

/// Rows of block B where nothing limits the lines.
pub(super) fn usual_unpriced(view: &RecommendView<'_>) -> usize {
    // Without a block A its rows go to this one.
    UNPRICED_EXTRA + if view.recommendation.ranked.is_empty() { 2 * view.top } else { view.top }
}

/// Block B with so many rows, and those of groups asked for; a dense one says in a word why a row is in it.
pub(super) fn unpriced(view: &RecommendView<'_>, top: usize, dense: bool) -> Option<Table> {
    let lang = view.language;
    let unpriced = &view.recommendation.unpriced;
    if unpriced.is_empty() {
        return None;
    }
    let mut columns = shared_columns(view);
    // Where time alone ranks, or nothing has a price, no price wins.
    let (heading, below) = if unpriced.iter().all(|c| c.break_even.is_none()) {
        (section::BLOCK_B_ALONE, None)
    } else if view.recommendation.reference.is_some() {
        (section::BLOCK_B_REFERENCE, Some(column::CHEAPER_BELOW))
    } else {
        (section::BLOCK_B, Some(column::WINS_BELOW))
    };
    columns.push(Column::right(column::GPU_HOURS.text(lang), "gpu_hours"));
    columns.extend(below.map(|name| Column::right(name.text(lang), "break_even_price_per_node_hour")));
    columns.push(Column::left(column::NOTE.text(lang), "note"));
    let shown = visible(view, unpriced, of_families(view, unpriced, top));
    let body = shown.iter().map(|&(i, candidate)| {
        let mut cells = shared_cells(view, i + 1, candidate);
        cells.push(Cell::number(text::significant(candidate.gpu_hours, 3), candidate.gpu_hours));
        cells.extend(below.map(|_| {
            candidate.break_even.map_or_else(Cell::absent, |m| {
                Cell::exact(format!("{}/h", rate(m)), m.rounded(4).amount.to_string())
            })
        }));
        let notes = notes(view, candidate);
        let short = notes.first().cloned().unwrap_or_else(|| network(view, candidate));
        cells.push(Cell::text(if dense { short } else { long_note(view, candidate, notes) }));
        Row::new(cells)
    });
    let mut notes = Vec::new();
    if !dense {
        notes.extend(capability_lines(view, &shown));
        let slow = shown.iter().any(|(_, c)| is_plain_tcp(view, c));
        notes.extend(slow.then(|| say::TCP_WARNING.owned(lang)));
    }
    // Against what the prices were reckoned is said wherever they are.
    notes.extend(view.recommendation.reference.as_ref().filter(|_| below.is_some()).and_then(|r| {
        let currency = view.request.prices.currency;
        let cost = interval_cost(r)?;
        let sold =
            |id| view.request.prices.seller.as_ref().is_none_or(|s| s.sells(view.catalog.instance(id)));
        let own = r.cluster.instance.is_none_or(sold);
        let phrase = if own { say::REFERENCE } else { say::REFERENCE_MARKET };
        Some(phrase.fill(lang, &[&r.cluster.label, &money(cost.p50, currency, r.grade)]))
    }));
    let table = Table::new(columns, body).noted(notes);
    Some(table.titled(title(view, heading.text(lang), shown.len(), unpriced.len())))
}

/// Why a candidate is in block B, and what its network is.
fn long_note(view: &RecommendView<'_>, candidate: &Candidate, mut notes: Vec<String>) -> String {
    notes.push(network(view, candidate));
    notes.join("; ")
}

/// Why a candidate is in block B.
fn notes(view: &RecommendView<'_>, candidate: &Candidate) -> Vec<String> {
    let lang = view.language;
    let mut parts = Vec::new();
    if candidate.host_unknown {
        parts.push(say::HOST_NOTE_UNKNOWN.owned(lang));
    }
    if candidate.beyond_horizon {
        parts.push(beyond(view));
    }
    if quota::not_checked(view, candidate) {
        parts.push(words::NAME_UNKNOWN.owned(lang));
    }
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
    // Rows of one instance type differ in how it is bought.
    if let Some(way) = way_to_buy(candidate).filter(|&way| way != Purchase::OnDemand)
        && let Some(first) = parts.first_mut()
    {
        *first = format!("{}, {first}", purchase(way).text(lang));
    }
    parts
}

/// The network is stated and moves no GPU memory without the host.
fn is_plain_tcp(view: &RecommendView<'_>, candidate: &Candidate) -> bool {
    let network = &candidate.cluster.network;
    network.known && view.profiles.network(&network.class).is_some_and(|p| !p.remote_memory)
}

/// Bandwidth and kind of the network in a few words.
fn network(view: &RecommendView<'_>, candidate: &Candidate) -> String {
    let lang = view.language;
    let network = &candidate.cluster.network;
    if !network.known {
        return say::NETWORK_NOTE_UNKNOWN.owned(lang);
    }
    let maximum = text::network_bandwidth(network.maximum);
    if is_plain_tcp(view, candidate) {
        return say::NETWORK_NOTE_SLOW.fill(lang, &[&maximum]);
    }
    say::NETWORK_NOTE.fill(lang, &[&maximum, &network.class])
}

/// Block C: counts with the nearest miss, then how many were considered.
pub(super) fn rejected(view: &RecommendView<'_>) -> Vec<String> {
    let rejections = &view.recommendation.rejections;
    let counted = |group: &Rejections| format!("{} ({})", count(view, group), nearest(view, group));
    rejections.iter().map(counted).chain([considered(view), plans(view)]).collect()
}

/// The nearest miss of a reason, and what would let it in.
fn nearest(view: &RecommendView<'_>, group: &Rejections) -> String {
    let miss = rejection(view, &group.nearest);
    let cures = sentences::cures(&group.cures, group.reason == "memory", view.language);
    cures.map_or(miss.clone(), |cures| format!("{miss}, {cures}"))
}

/// Block C in its shortest form: all counts in one part, then the nearest miss of each reason that has a measure.
pub(super) fn rejected_in_short(view: &RecommendView<'_>) -> Vec<String> {
    let rejections = &view.recommendation.rejections;
    let counts: Vec<String> = rejections.iter().map(|group| count(view, group)).collect();
    let counts = counts.into_iter().chain([considered(view)]).collect::<Vec<_>>().join(", ");
    let measured = rejections.iter().filter(|group| group.nearest.reason.miss().is_finite());
    [counts].into_iter().chain(measured.map(|group| nearest(view, group))).collect()
}

/// How many are out for one reason.
fn count(view: &RecommendView<'_>, group: &Rejections) -> String {
    format!("{} {}", group.count, reason(group.reason).text(view.language))
}
