//! The tables of a quote: prices with their sums, and cost with margin for the internal copy.

use super::super::phrases::quote as say;
use super::super::{Cell, Column, Language, Phrase, Row, Table};
use super::{amount, percent, words};
use crate::cost::quote::{Internal, Quote, QuoteLine, Verdict, WayToBuy};
use rust_decimal::Decimal;

/// What a line is, in words.
pub(super) fn description(line: &QuoteLine, language: Language) -> String {
    let mut parts = vec![if line.product.name == line.product.code {
        words::kind(line.product.kind).owned(language)
    } else {
        format!("{} ({})", line.product.name, words::kind(line.product.kind).text(language))
    }];
    parts.extend(line.product.jobs.map(|n| say::OF_JOBS.fill(language, &[&n.to_string()])));
    parts.extend(line.product.role.map(|role| words::role(role).owned(language)));
    parts.extend(line.product.purchase.map(|p| words::purchase(p).owned(language)));
    parts.extend(line.product.place.clone());
    parts.join(" · ")
}

fn exact(value: Decimal) -> Cell {
    Cell::exact(amount(value), value.to_string())
}

fn optional(value: Option<Decimal>) -> Cell {
    value.map_or_else(Cell::absent, exact)
}

/// A price of one unit, with at least the decimals that amounts have.
fn unit_price(value: Decimal, quote: &Quote) -> Cell {
    let mut shown = value;
    shown.rescale(value.scale().max(quote.currency.decimals()));
    Cell::exact(amount(shown), value.to_string())
}

/// What is taken off a line: the saving of each unit, then the percentage.
pub(super) fn discount(line: &QuoteLine) -> String {
    let saving = line.saving.map(|mut saving| {
        saving.rescale(saving.scale().max(2));
        amount(saving)
    });
    let parts = [saving, line.discount.map(percent)];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" + ");
    if text.is_empty() { "-".to_owned() } else { text }
}

/// The lines with their sums.
pub(in crate::report) fn lines(quote: &Quote, language: Language) -> Table {
    let t = |phrase: Phrase| phrase.text(language);
    let columns = vec![
        Column::right(t(say::POSITION), "position"),
        Column::left(t(say::CODE), "code"),
        Column::left(t(say::DESCRIPTION), "description"),
        Column::right(t(say::NODES), "nodes"),
        Column::right(t(say::EACH), "each"),
        Column::left(t(say::UNIT), "unit"),
        Column::right(t(say::LIST_UNIT_PRICE), "list_unit_price"),
        Column::right(t(say::DISCOUNT), "discount"),
        Column::right(t(say::UNIT_PRICE), "unit_price"),
        Column::right(t(say::LIST_AMOUNT), "list"),
        Column::right(t(say::NET), "net"),
        Column::right(t(say::TAX), "tax"),
        Column::right(t(say::TOTAL), "total"),
    ];
    let row = |line: &QuoteLine| {
        Row::new([
            Cell::count(line.position.into()),
            Cell::text(&line.product.code),
            Cell::text(description(line, language)),
            line.product.nodes.map_or_else(Cell::absent, |n| Cell::count(n.into())),
            exact(line.product.each),
            Cell::id(words::unit(line.unit).text(language), line.unit.name()),
            line.list_unit_price.map_or_else(Cell::absent, |price| unit_price(price, quote)),
            Cell::text(discount(line)),
            unit_price(line.unit_price, quote),
            optional(line.list),
            exact(line.net),
            exact(line.tax),
            exact(line.total),
        ])
    };
    let mut rows: Vec<Row> = quote.lines.iter().map(row).collect();
    let mut sums: Vec<Cell> = (0..10).map(|_| Cell::absent_as("")).collect();
    sums[2] = Cell::id(t(say::TOTAL_OF_LINES), "total");
    sums.extend([exact(quote.totals.net), exact(quote.totals.tax), exact(quote.totals.total)]);
    rows.push(Row::highlighted(sums));
    let tax = quote.tax.as_ref().map(|tax| format!(" · {}", words::tax(tax, language)));
    let title = format!("{} · {}{}", t(say::LINES), quote.currency, tax.unwrap_or_default());
    let decimals = quote.currency.decimals().to_string();
    let note =
        say::ROUNDED_BY_LINE.fill(language, &[words::rounding(quote.rounding).text(language), &decimals]);
    Table::new(columns, rows).titled(title).noted([note])
}

/// Cost and margin by line; for the internal copy only.
pub(super) fn internal(quote: &Quote, sums: &Internal, language: Language) -> Table {
    let t = |phrase: Phrase| phrase.text(language);
    let columns = vec![
        Column::right(t(say::POSITION), "position"),
        Column::left(t(say::CODE), "code"),
        Column::right(t(say::UNIT_COST), "unit_cost"),
        Column::right(t(say::COST), "cost"),
        Column::right(t(say::NET), "net"),
        Column::right(t(say::MARGIN), "margin"),
        Column::right(t(say::MARGIN_SHARE), "margin_share"),
        Column::left(t(say::RULES), "rules"),
        Column::left(t(say::SOURCE), "source"),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for line in &quote.lines {
        let Some(cost) = &line.internal else { continue };
        let rules = cost.rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        rows.push(Row::new([
            Cell::count(line.position.into()),
            Cell::text(&line.product.code),
            unit_price(cost.unit_cost, quote),
            exact(cost.cost),
            exact(line.net),
            exact(cost.margin),
            line.margin_share().map_or_else(Cell::absent, |m| Cell::text(percent(m))),
            Cell::text(rules),
            Cell::text(&cost.source),
        ]));
    }
    rows.push(Row::highlighted([
        Cell::absent_as(""),
        Cell::id(t(say::TOTAL_OF_LINES), "total"),
        Cell::absent_as(""),
        exact(sums.cost),
        exact(quote.totals.net),
        exact(sums.margin),
        sums.margin_share.map_or_else(Cell::absent, |m| Cell::text(percent(m))),
    ]));
    let table = Table::new(columns, rows).titled(t(say::COST_AND_MARGIN));
    let loss = sums.margin.is_sign_negative() && !sums.margin.is_zero();
    if loss { table.noted([t(say::BELOW_COST).to_owned()]) } else { table }
}

/// The ways to buy, cheapest first; `None` where there is only the one that is quoted.
pub(in crate::report) fn ways_to_buy(quote: &Quote, language: Language) -> Option<Table> {
    if quote.ways_to_buy.len() < 2 {
        return None;
    }
    let t = |phrase: Phrase| phrase.text(language);
    let columns = vec![
        Column::left(t(say::PURCHASE), "purchase"),
        Column::right(format!("{} ({})", t(say::TO_PAY), quote.currency), "paid"),
        Column::right(format!("{} ({})", t(say::PAID_UNUSED), quote.currency), "unused"),
        Column::right(t(say::COMMITTED), "committed_months"),
        Column::right(t(say::BREAK_EVEN), "break_even_hours"),
        Column::right(t(say::UTILIZATION), "break_even_utilization"),
        Column::left(t(say::REMARK), "verdict"),
    ];
    let rows = quote.ways_to_buy.iter().enumerate().map(|(i, way)| way_row(i == 0, way, language));
    let table = Table::new(columns, rows).titled(t(say::WAYS_TO_BUY));
    Some(table.noted([t(say::WAYS_NOTE).to_owned()]))
}

fn way_row(cheapest: bool, way: &WayToBuy, language: Language) -> Row {
    let committed = match way.committed_months {
        0 => Cell::absent(),
        1 => Cell::exact(say::ONE_MONTH.text(language), "1"),
        n => Cell::exact(say::MONTHS.fill(language, &[&n.to_string()]), n.to_string()),
    };
    let even = way.break_even_hours.map_or_else(Cell::absent, |h| {
        let shown = h.round_dp(1).normalize().to_string();
        Cell::exact(say::HOURS_A_MONTH.fill(language, &[&shown]), h.to_string())
    });
    let share = way
        .break_even_utilization
        .map_or_else(Cell::absent, |u| Cell::exact(percent(u.round_dp(2)), u.to_string()));
    let against = match way.verdict {
        None => say::QUOTED_WAY,
        Some(Verdict::Better) => say::CHEAPER_WAY,
        Some(verdict) => words::verdict(verdict),
    };
    let mut remarks = vec![against.text(language)];
    if cheapest && way.verdict.is_none_or(|v| v == Verdict::Better) {
        remarks.insert(0, say::CHEAPEST.text(language));
    }
    Row::new([
        Cell::id(words::way(way, language), &way.purchase),
        exact(way.paid),
        exact(way.unused),
        committed,
        even,
        share,
        Cell::text(remarks.join(" · ")),
    ])
}
