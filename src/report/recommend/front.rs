//! The ends and the knee of the Pareto front: what each axis can have, and what it takes of the others.

use super::RecommendView;
use super::cells::{amount, cluster, gpu, purchase, short_place, time};
use crate::advisor::rank::interval_cost;
use crate::advisor::{Candidate, Front, Role};
use crate::catalog::Purchase;
use crate::report::phrases::{column, front as say};
use crate::report::{Cell, Column, Phrase, Row, Table};
use crate::units::text;

const fn name(role: Role) -> Phrase {
    match role {
        Role::Cheapest => say::CHEAPEST,
        Role::Fastest => say::FASTEST,
        Role::FewestGpus => say::FEWEST_GPUS,
        Role::Surest => say::SUREST,
        Role::Knee => say::KNEE,
    }
}

/// Members that are the best at something, each once, with the names of all they are the best at.
fn marked(front: &Front) -> Vec<(&Candidate, Vec<Role>)> {
    let mut rows: Vec<(usize, Vec<Role>)> = Vec::new();
    for &(role, at) in &front.roles {
        match rows.iter_mut().find(|(member, _)| *member == at) {
            Some((_, roles)) => roles.push(role),
            None => rows.push((at, vec![role])),
        }
    }
    rows.into_iter().filter_map(|(at, roles)| Some((front.members.get(at)?, roles))).collect()
}

fn names(view: &RecommendView<'_>, roles: &[Role]) -> String {
    roles.iter().map(|&role| name(role).text(view.language)).collect::<Vec<_>>().join(", ")
}

fn cost(view: &RecommendView<'_>, candidate: &Candidate) -> String {
    let currency = view.request.prices.currency;
    interval_cost(candidate)
        .map_or_else(String::new, |c| format!("{} {currency}", amount(c.p50, candidate.grade)))
}

/// What else could be had, in a few words each: the members that are the best at something and do not win.
pub(super) fn sentence(view: &RecommendView<'_>) -> Vec<String> {
    let lang = view.language;
    let winner = view.recommendation.ranked.first().map(|c| &c.cluster.label);
    let mut members = marked(&view.recommendation.front);
    // The balance says most to whom the ends are too far.
    members.sort_by_key(|(_, roles)| !roles.contains(&Role::Knee));
    members
        .into_iter()
        .filter(|(c, _)| winner.is_some_and(|w| *w != c.cluster.label))
        .map(|(c, roles)| {
            let gpus = c.cluster.gpus().to_string();
            let time = time(c.paid.p50, c.grade);
            let way = c.offer.as_ref().map(|o| o.purchase).filter(|&p| p != Purchase::OnDemand);
            let bought = way.map_or_else(String::new, |p| format!(" {}", purchase(p).text(lang)));
            let who = format!("{}{bought}", cluster(view, c));
            say::ALTERNATIVE
                .fill(lang, &[&names(view, &roles), &who, &gpus, gpu(view, c), &time, &cost(view, c)])
        })
        .collect()
}

/// The same as a table.
pub(super) fn table(view: &RecommendView<'_>) -> Option<Table> {
    let lang = view.language;
    let front = &view.recommendation.front;
    if front.members.len() < 2 {
        return None;
    }
    let currency = view.request.prices.currency.to_string();
    let columns = vec![
        Column::left(say::BEST_AT.text(lang), "roles"),
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::left(column::PLACE.text(lang), "place"),
        Column::right(column::GPUS.text(lang), "gpus"),
        Column::left("", "gpu"),
        Column::right(column::TIME.text(lang), "total_time_p50_s"),
        Column::right(say::COST.fill(lang, &[&currency]), "cost_p50"),
        Column::right(say::RISK.text(lang), "risk_share"),
    ];
    let rows = marked(front).into_iter().map(|(c, roles)| {
        let p50 = c.paid.p50;
        Row::new([
            Cell::text(names(view, &roles)),
            Cell::id(cluster(view, c), c.cluster.label.clone()),
            Cell::text(short_place(c)),
            Cell::count(u64::from(c.cluster.gpus())),
            Cell::text(gpu(view, c)),
            Cell::number(time(p50, c.grade), p50),
            interval_cost(c)
                .map_or_else(Cell::absent, |cost| Cell::number(amount(cost.p50, c.grade), cost.p50)),
            Cell::number(format!("+{}", text::percent(c.exposure)), c.exposure),
        ])
    });
    let title = say::TITLE.fill(lang, &[&front.members.len().to_string()]);
    Some(Table::new(columns, rows.collect::<Vec<_>>()).titled(title).noted(vec![say::RISK_NOTE.owned(lang)]))
}
