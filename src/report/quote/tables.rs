//! The tables of a quote: prices with their sums, and cost with margin for the internal copy.

use super::super::phrases::quote as say;
use super::super::{Cell, Column, Language, Phrase, Row, Table};
use super::{amount, percent};
use crate::catalog::Purchase;
use crate::cost::ProductKind;
use crate::cost::quote::{Internal, Quote, QuoteLine};
use crate::units::RoundingMode;
use rust_decimal::Decimal;

/// Name of a kind of product.
pub(super) const fn kind(kind: ProductKind) -> Phrase {
    match kind {
        ProductKind::Compute => say::KIND_COMPUTE,
        ProductKind::ObjectStorage => say::KIND_OBJECT,
        ProductKind::FileStorage => say::KIND_FILE,
        ProductKind::BlockStorage => say::KIND_BLOCK,
        ProductKind::Egress => say::KIND_EGRESS,
        ProductKind::PublicIp => say::KIND_PUBLIC_IP,
        ProductKind::Support => say::KIND_SUPPORT,
        ProductKind::OneOff => say::KIND_ONE_OFF,
    }
}

/// Name of a purchase option.
pub(super) const fn purchase(option: Purchase) -> Phrase {
    use super::super::phrases::verdict;
    match option {
        Purchase::OnDemand => verdict::ON_DEMAND,
        Purchase::Spot => verdict::SPOT,
        Purchase::Reserved1y => verdict::RESERVED_1Y,
        Purchase::Reserved3y => verdict::RESERVED_3Y,
        Purchase::Monthly => verdict::MONTHLY,
    }
}

/// How amounts are rounded.
const fn rounding(mode: RoundingMode) -> Phrase {
    match mode {
        RoundingMode::HalfUp => say::HALF_UP,
        RoundingMode::HalfEven => say::HALF_EVEN,
        RoundingMode::Up => say::ROUND_UP,
        RoundingMode::Down => say::ROUND_DOWN,
    }
}

/// What a line is, in words.
pub(super) fn description(line: &QuoteLine, language: Language) -> String {
    let mut parts = vec![if line.name == line.code {
        kind(line.kind).owned(language)
    } else {
        format!("{} ({})", line.name, kind(line.kind).text(language))
    }];
    parts.extend(line.purchase.map(|p| purchase(p).owned(language)));
    parts.extend(line.place.clone());
    parts.join(" · ")
}

fn exact(value: Decimal) -> Cell {
    Cell::exact(amount(value), value.to_string())
}

fn optional(value: Option<Decimal>) -> Cell {
    value.map_or_else(Cell::absent, exact)
}

/// What is taken off a line: the saving of each unit, then the percentage.
pub(super) fn discount(line: &QuoteLine) -> String {
    let parts = [line.saving.map(amount), line.discount.map(percent)];
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
            Cell::text(&line.code),
            Cell::text(description(line, language)),
            line.nodes.map_or_else(Cell::absent, |n| Cell::count(n.into())),
            exact(line.each),
            Cell::text(line.unit.name()),
            optional(line.list_unit_price),
            Cell::text(discount(line)),
            exact(line.unit_price),
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
    let tax = quote.tax.as_ref().map(|tax| format!(" · {} {}", tax.name, percent(tax.rate)));
    let title = format!("{} · {}{}", t(say::LINES), quote.currency, tax.unwrap_or_default());
    let decimals = quote.currency.decimals().to_string();
    let note = say::ROUNDED_BY_LINE.fill(language, &[rounding(quote.rounding).text(language), &decimals]);
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
        Column::right(t(say::MARKUP), "markup"),
        Column::left(t(say::RULES), "rules"),
        Column::left(t(say::SOURCE), "source"),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for line in &quote.lines {
        let Some(cost) = &line.internal else { continue };
        let rules = cost.rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        rows.push(Row::new([
            Cell::count(line.position.into()),
            Cell::text(&line.code),
            exact(cost.unit_cost),
            exact(cost.cost),
            exact(line.net),
            exact(cost.margin),
            cost.markup.map_or_else(Cell::absent, |m| Cell::text(percent(m))),
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
    Table::new(columns, rows).titled(t(say::COST_AND_MARGIN))
}
