//! A quote as a workbook: amounts are formulas over the numbers that a person may change.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use rust_xlsxwriter::{Format, FormatAlign, Formula, Worksheet, XlsxError};

use super::super::phrases::quote as say;
use super::super::workbook::{self, Looks, ROW, blank, page, text};
use super::super::{Language, Phrase};
use super::{every_page, head, statements, tables, title, words};
use crate::cost::quote::{Quote, QuoteLine};
use crate::units::RoundingMode;

/// Columns of the price table, A to N.
const HEADERS: [Phrase; 14] = [
    say::POSITION,
    say::CODE,
    say::DESCRIPTION,
    say::NODES,
    say::EACH,
    say::UNIT,
    say::LIST_UNIT_PRICE,
    say::DISCOUNT, // of each unit, as an amount
    say::DISCOUNT,
    say::UNIT_PRICE,
    say::LIST_AMOUNT,
    say::NET,
    say::TAX,
    say::TOTAL,
];
const WIDTHS: [f64; 14] = [6.0, 20.0, 34.0, 8.0, 11.0, 12.0, 12.0, 11.0, 9.0, 12.0, 14.0, 14.0, 12.0, 14.0];
/// First column of amounts of lines; unit costs stand in the one before.
const FIRST_AMOUNT: u16 = 9;
/// Columns of words; what stands right of a number is set off from it.
const WORDS: [u16; 3] = [1, 2, 5];

/// The quote as an XLSX file. Each formula carries the exact amount as its stored result.
///
/// # Errors
/// When the writer fails; writing is to memory.
pub fn workbook(quote: &Quote, language: Language) -> Result<Vec<u8>, XlsxError> {
    let day = quote.issued;
    let mut book = blank(day.year(), day.month(), day.day())?;
    let looks = Looks::new();
    let sheet = book.add_worksheet();
    sheet.set_name(say::LINES.text(language))?;
    page(sheet, true);
    banner(sheet, quote, language);
    // The sums are the longest amounts; an amount without room is shown as ###.
    let room = 1.25 * super::amount(quote.totals.total).len() as f64 + 1.0;
    for (column, width) in (0..).zip(WIDTHS) {
        let width = if column >= FIRST_AMOUNT { width.max(room) } else { width };
        sheet.set_column_width(column, width)?;
    }
    sheet.write_string_with_format(0, 0, title(quote, language), &looks.title)?;
    let row = fields(sheet, quote, language, &looks)?;
    let first = header(sheet, quote, row, language, &looks)?;
    let after = lines(sheet, quote, first, row, language)?;
    text(sheet, after + 1, 1, &note(quote, language), &looks.small.clone().unset_text_wrap())?;
    if quote.is_internal() {
        internal(sheet, quote, after + 3, first, language, &looks)?;
    }
    let sheet = book.add_worksheet();
    sheet.set_name(say::CONDITIONS.text(language))?;
    page(sheet, false);
    banner(sheet, quote, language);
    workbook::write_blocks(sheet, &statements::blocks(quote, language), 0)?;
    book.save_to_buffer()
}

/// What every printed page of the internal copy says.
fn banner(sheet: &mut Worksheet, quote: &Quote, language: Language) {
    if let Some(line) = every_page(quote, language) {
        sheet.set_header(format!("&C&B{line}"));
    }
}

fn note(quote: &Quote, language: Language) -> String {
    tables::lines(quote, language).notes.join(" ")
}

fn fields(sheet: &mut Worksheet, quote: &Quote, language: Language, looks: &Looks) -> Result<u32, XlsxError> {
    let mut row = 2;
    for block in head(quote, language) {
        match block {
            super::Block::Fields(pairs) => {
                for (label, value) in pairs {
                    text(sheet, row, 1, &label, &looks.strong)?;
                    text(sheet, row, 2, &value, &looks.text)?;
                    sheet.set_row_height(row, workbook::lines_of(&value, 30) * ROW)?;
                    row += 1;
                }
            }
            super::Block::Paragraph(line) => {
                text(sheet, row, 1, &line, &looks.strong.clone().unset_text_wrap())?;
                row += 1;
            }
            _ => {}
        }
    }
    if let Some(tax) = &quote.tax {
        text(sheet, row, 1, &words::tax(tax, language), &looks.strong)?;
        let format = looks.text.clone().set_num_format("0.00##%").set_align(FormatAlign::Left);
        sheet.write_number_with_format(row, 2, float(tax.rate), &format)?;
        row += 1;
    }
    Ok(row)
}

/// The header of the price table; gives the row of the first line.
fn header(
    sheet: &mut Worksheet,
    quote: &Quote,
    row: u32,
    language: Language,
    looks: &Looks,
) -> Result<u32, XlsxError> {
    for (column, phrase) in (0..).zip(HEADERS) {
        let name = if column == 7 {
            format!("{} / {}", say::DISCOUNT.text(language), say::UNIT.text(language))
        } else if column >= 10 {
            format!("{} ({})", phrase.text(language), quote.currency)
        } else {
            phrase.owned(language)
        };
        let format = looks.header.clone();
        let format = match column {
            0 => format.set_align(FormatAlign::Center),
            5 => format.set_indent(1),
            _ if WORDS.contains(&column) => format,
            _ => format.set_align(FormatAlign::Right),
        };
        text(sheet, row + 1, column, &name, &format)?;
    }
    sheet.set_row_height(row + 1, 2.0 * ROW)?;
    Ok(row + 2)
}

fn float(value: Decimal) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// A formula that rounds as the quote does.
fn rounded(mode: RoundingMode, expression: &str, decimals: u32) -> String {
    let scale = 10_u64.pow(decimals);
    match mode {
        RoundingMode::HalfUp => format!("ROUND({expression},{decimals})"),
        RoundingMode::Up => format!("ROUNDUP(ROUND({expression},9),{decimals})"),
        RoundingMode::Down => format!("ROUNDDOWN(ROUND({expression},9),{decimals})"),
        // A half goes to the even neighbour: twice the rounded half of it.
        RoundingMode::HalfEven => format!(
            "IF(ABS(ROUND(({expression})*{scale},6)-INT(ROUND(({expression})*{scale},6))-0.5)<0.0000001,\
             2*ROUND(INT(ROUND(({expression})*{scale},6))/2+0.25,0)/{scale},ROUND({expression},{decimals}))"
        ),
    }
}

/// Formats of numbers.
struct Numbers {
    amount: Format,
    unit: Format,
    count: Format,
    position: Format,
    share: Format,
    sum: Format,
}

fn numbers(quote: &Quote) -> Numbers {
    let decimals = quote.currency.decimals() as usize;
    let zeros = if decimals == 0 { "#,##0".to_owned() } else { format!("#,##0.{}", "0".repeat(decimals)) };
    let base = || Format::new().set_align(FormatAlign::Right).set_align(FormatAlign::Top);
    Numbers {
        amount: base().set_num_format(&zeros),
        unit: base().set_num_format("#,##0.00####"),
        count: base().set_num_format("0"),
        position: Format::new()
            .set_align(FormatAlign::Center)
            .set_align(FormatAlign::Top)
            .set_num_format("0"),
        share: base().set_num_format("0.00##%"),
        sum: base().set_num_format(&zeros).set_bold().set_background_color(0x00F4_F7FA),
    }
}

fn formula(expression: &str, result: Decimal) -> Formula {
    Formula::new(format!("={expression}")).set_result(result.to_string())
}

/// Writes the lines and their sums; gives the row after them.
fn lines(
    sheet: &mut Worksheet,
    quote: &Quote,
    first: u32,
    tax_row: u32,
    language: Language,
) -> Result<u32, XlsxError> {
    let looks = Looks::new();
    let numbers = numbers(quote);
    // The tax rate stands in the last row of the fields, column C.
    let tax = quote.tax.as_ref().map(|_| format!("$C${tax_row}"));
    for (row, line) in (first..).zip(&quote.lines) {
        line_cells(sheet, row, line, quote, tax.as_deref(), (&looks, &numbers), language)?;
    }
    let after = first + quote.lines.len() as u32;
    text(sheet, after, 2, say::TOTAL_OF_LINES.text(language), &looks.strong)?;
    let sums = [(11, 'L', quote.totals.net), (12, 'M', quote.totals.tax), (13, 'N', quote.totals.total)];
    for (column, letter, sum) in sums {
        let expression = format!("SUM({letter}{}:{letter}{after})", first + 1);
        sheet.write_formula_with_format(after, column, formula(&expression, sum), &numbers.sum)?;
    }
    Ok(after + 1)
}

fn line_cells(
    sheet: &mut Worksheet,
    row: u32,
    line: &QuoteLine,
    quote: &Quote,
    tax: Option<&str>,
    (looks, numbers): (&Looks, &Numbers),
    language: Language,
) -> Result<(), XlsxError> {
    let n = row + 1;
    let (mode, decimals) = (quote.rounding, quote.currency.decimals());
    sheet.write_number_with_format(row, 0, f64::from(line.position), &numbers.position)?;
    text(sheet, row, 1, &line.product.code, &looks.text)?;
    text(sheet, row, 2, &tables::description(line, language), &looks.text)?;
    sheet.write_number_with_format(row, 3, f64::from(line.product.nodes.unwrap_or(1)), &numbers.count)?;
    sheet.write_number_with_format(row, 4, float(line.product.each), &numbers.unit)?;
    text(sheet, row, 5, words::unit(line.unit).text(language), &looks.text.clone().set_indent(1))?;
    sheet.set_row_height(row, workbook::lines_of(&tables::description(line, language), 30) * ROW)?;
    let mut put = |column: u16, value: Option<Decimal>, format: &Format| -> Result<(), XlsxError> {
        if let Some(value) = value {
            sheet.write_number_with_format(row, column, float(value), format)?;
        }
        Ok(())
    };
    put(6, line.list_unit_price, &numbers.unit)?;
    put(7, line.saving, &numbers.unit)?;
    put(8, line.discount, &numbers.share)?;
    if line.saving.is_some() || line.discount.is_some() {
        let unit = format!("ROUND(MAX(G{n}-H{n},0)*(1-I{n}),6)");
        sheet.write_formula_with_format(row, 9, formula(&unit, line.unit_price), &numbers.unit)?;
    } else {
        put(9, Some(line.unit_price), &numbers.unit)?;
    }
    if let Some(list) = line.list {
        let expression = rounded(mode, &format!("D{n}*E{n}*G{n}"), decimals);
        sheet.write_formula_with_format(row, 10, formula(&expression, list), &numbers.amount)?;
    }
    let net = rounded(mode, &format!("D{n}*E{n}*J{n}"), decimals);
    sheet.write_formula_with_format(row, 11, formula(&net, line.net), &numbers.amount)?;
    match tax {
        Some(rate) => {
            let expression = rounded(mode, &format!("L{n}*{rate}"), decimals);
            sheet.write_formula_with_format(row, 12, formula(&expression, line.tax), &numbers.amount)?;
        }
        None => {
            sheet.write_number_with_format(row, 12, float(line.tax), &numbers.amount)?;
        }
    }
    let total = format!("L{n}+M{n}");
    sheet.write_formula_with_format(row, 13, formula(&total, line.total), &numbers.amount)?;
    Ok(())
}

/// Cost and margin below the prices.
fn internal(
    sheet: &mut Worksheet,
    quote: &Quote,
    from: u32,
    first: u32,
    language: Language,
    looks: &Looks,
) -> Result<(), XlsxError> {
    let numbers = numbers(quote);
    let t = |phrase: Phrase| phrase.text(language);
    text(sheet, from, 1, t(say::COST_AND_MARGIN), &looks.strong)?;
    let heads = [
        (1, say::CODE),
        (9, say::UNIT_COST),
        (10, say::COST),
        (11, say::NET),
        (12, say::MARGIN),
        (13, say::MARGIN_SHARE),
    ];
    for (column, phrase) in heads {
        let format =
            looks.header.clone().set_align(if column == 1 { FormatAlign::Left } else { FormatAlign::Right });
        text(sheet, from + 1, column, t(phrase), &format)?;
    }
    // As high as the header of the prices, with its words at the top: nothing below touches it.
    sheet.set_row_height(from + 1, 2.0 * ROW)?;
    let begin = from + 2;
    for (i, line) in (0..).zip(&quote.lines) {
        let Some(cost) = &line.internal else { continue };
        let (row, sold) = (begin + i, first + i + 1);
        let n = row + 1;
        text(sheet, row, 1, &line.product.code, &looks.text)?;
        sheet.set_row_height(row, ROW)?;
        sheet.write_number_with_format(row, 9, float(cost.unit_cost), &numbers.unit)?;
        let amount = rounded(quote.rounding, &format!("D{sold}*E{sold}*J{n}"), quote.currency.decimals());
        sheet.write_formula_with_format(row, 10, formula(&amount, cost.cost), &numbers.amount)?;
        sheet.write_formula_with_format(row, 11, formula(&format!("L{sold}"), line.net), &numbers.amount)?;
        let margin = formula(&format!("L{n}-K{n}"), cost.margin);
        sheet.write_formula_with_format(row, 12, margin, &numbers.amount)?;
        if let Some(share) = line.margin_share() {
            let share = formula(&format!("M{n}/L{n}"), share);
            sheet.write_formula_with_format(row, 13, share, &numbers.share)?;
        }
    }
    if let Some(sums) = &quote.internal {
        let after = begin + quote.lines.len() as u32;
        for (column, letter, sum) in
            [(10, 'K', sums.cost), (11, 'L', quote.totals.net), (12, 'M', sums.margin)]
        {
            let expression = format!("SUM({letter}{}:{letter}{after})", begin + 1);
            sheet.write_formula_with_format(after, column, formula(&expression, sum), &numbers.sum)?;
        }
        if let Some(share) = sums.margin_share {
            let expression = format!("M{}/L{}", after + 1, after + 1);
            sheet.write_formula_with_format(after, 13, formula(&expression, share), &numbers.share)?;
        }
    }
    Ok(())
}
