//! Price lists as tables: rows of CSV or XLSX files become the prices of a book, or nothing does.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use super::super::cluster_key::{find_instance, known_region};
use super::super::price::PriceRate;
use super::item::Validity;
use super::shape::memory_as_sold;
use super::{BookPrice, PriceBook, Stated, TWICE, odd_shape, read};
use crate::catalog::{Catalog, Finding, InstanceId, Purchase};
use crate::units::parse::parse_quantity;
use crate::units::{Currency, Money};

/// Most rows of a price list.
const MAX_ROWS: usize = 20_000;
/// After so many findings nothing more is read.
const MAX_FINDINGS: usize = 200;

/// One row of a table with the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetRow {
    /// One-based line or row number.
    pub line: usize,
    /// Its cells as text.
    pub cells: Vec<String>,
}

/// A table as it was read, header first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sheet {
    /// Name for messages.
    pub file: String,
    /// Rows that are not empty.
    pub rows: Vec<SheetRow>,
    /// What separates its cells, where that is no comma.
    pub separator: Option<char>,
}

/// Names of the columns and what else they are called; a header is compared in lower case with `_` for blanks.
const COLUMNS: [(&str, &[&str]); 15] = [
    ("provider", &["cloud", "云厂商"]),
    ("instance", &["instance_type", "flavor", "规格", "实例规格"]),
    ("region", &["区域", "地域"]),
    ("purchase", &["purchase_option", "计费模式"]),
    ("price", &["unit_price", "list_price", "单价", "目录价"]),
    ("currency", &["币种"]),
    ("unit", &["price_unit", "计价单位"]),
    ("as_of", &["date", "日期", "价格日期"]),
    ("source", &["来源"]),
    ("valid_from", &["生效日期"]),
    ("valid_until", &["失效日期"]),
    ("gpus", &["gpu_count", "gpu数", "gpu数量", "卡数"]),
    ("gpu_memory", &["显存", "单卡显存"]),
    ("memory", &["内存"]),
    ("peak", &["算力", "单卡算力"]),
];
const REQUIRED: [&str; 7] = ["instance", "purchase", "price", "currency", "unit", "as_of", "source"];

impl Sheet {
    /// Reads comma-separated text.
    ///
    /// # Errors
    /// When a row cannot be read, or there are too many rows.
    pub fn from_csv(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let find = |line: Option<usize>, message: String| {
            vec![Finding { file: file.to_owned(), line, key: "CSV".to_owned(), message }]
        };
        let separator = separator_of(text);
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator as u8)
            .from_reader(text.as_bytes());
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| {
                let line = e.position().map(|p| p.line() as usize);
                find(line, format!("is no row of comma-separated values: {e}"))
            })?;
            let line = record.position().map_or(0, |p| p.line() as usize);
            let cells: Vec<String> = record.iter().map(|c| c.trim().to_owned()).collect();
            if cells.iter().any(|c| !c.is_empty()) {
                rows.push(SheetRow { line, cells });
            }
            if rows.len() > MAX_ROWS {
                return Err(find(Some(line), format!("more than {MAX_ROWS} rows; split the list")));
            }
        }
        Ok(Self { file: file.to_owned(), rows, separator: (separator != ',').then_some(separator) })
    }
}

/// What separates the cells of the first line: a comma unless semicolons or tabulators are more.
fn separator_of(text: &str) -> char {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |c: char| first.matches(c).count();
    [';', '\t'].into_iter().find(|&c| count(c) > count(',')).unwrap_or(',')
}

/// A table while it is read.
struct TableReader<'a> {
    file: &'a str,
    columns: BTreeMap<&'static str, usize>,
    findings: Vec<Finding>,
    separator: char,
}

impl TableReader<'_> {
    fn find(&mut self, line: usize, key: &str, message: String) {
        self.findings.push(Finding {
            file: self.file.to_owned(),
            line: Some(line),
            key: key.to_owned(),
            message,
        });
    }

    fn cell<'r>(&self, row: &'r SheetRow, column: &str) -> Option<&'r str> {
        let at = *self.columns.get(column)?;
        row.cells.get(at).map(String::as_str).filter(|text| !text.is_empty())
    }

    fn optional<T>(
        &mut self,
        row: &SheetRow,
        column: &'static str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let result = read(self.cell(row, column)?);
        result.map_err(|message| self.find(row.line, column, message)).ok()
    }

    fn required<T>(
        &mut self,
        row: &SheetRow,
        column: &'static str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        if self.cell(row, column).is_none() {
            self.find(row.line, column, "is empty; every price states it".to_owned());
        }
        self.optional(row, column, read)
    }
}

/// A purchase option by its name, or as Chinese price lists call it.
fn purchase_as_sold(text: &str) -> Result<Purchase, String> {
    match text.trim() {
        "按需" | "按需计费" | "按量" | "按量计费" => Ok(Purchase::OnDemand),
        "包月" | "包月计费" => Ok(Purchase::Monthly),
        "包年" | "包1年" | "包一年" => Ok(Purchase::Reserved1y),
        "包3年" | "包三年" => Ok(Purchase::Reserved3y),
        "竞价" | "竞价计费" | "竞价实例" => Ok(Purchase::Spot),
        "包年/包月" | "包年包月" => Err(format!("{text:?} is two options; write 包月 or 包年")),
        other => read::purchase(other),
    }
}

/// An amount without a yen or yuan sign, which stands for two currencies: the currency of the row says which.
fn without_sign(text: &str, currency: Option<&str>) -> Result<String, String> {
    let bare = text.trim().trim_start_matches(['¥', '￥']).trim_start();
    let clear = currency.is_some_and(|c| ["CNY", "JPY"].contains(&c.trim()));
    if bare.len() == text.trim().len() || clear {
        return Ok(bare.to_owned());
    }
    Err(format!("{text:?} has a sign of two currencies; write CNY or JPY in the column currency"))
}

/// What a cell of a number holds; text that a spreadsheet would run as a formula is no number.
fn amount(text: &str, separator: char) -> Result<Decimal, String> {
    let mut groups = text.split('.').next().unwrap_or(text).split(',');
    let first = groups.next().unwrap_or_default();
    let after_point = text.split_once('.').is_some_and(|(_, decimals)| decimals.contains(','));
    let sound = text.matches(',').count() == 0
        || (!after_point && separator == ',' && first.len() <= 3 && groups.all(|group| group.len() == 3));
    if !sound {
        return Err(format!("{text:?} has a comma that may stand for the decimal point; write \"131.5\""));
    }
    let plain = text.replace([',', '_'], "");
    let number = plain.parse().or_else(|_| Decimal::from_scientific(&plain)).ok();
    number
        .filter(|n: &Decimal| *n > Decimal::ZERO)
        .ok_or_else(|| format!("{text:?} is no amount above zero, such as \"131.5\""))
}

impl PriceBook {
    /// Reads a price list; one row is the price of one whole node.
    ///
    /// Columns: instance (`provider/name`, or the name with a column provider), purchase, price, currency, unit (`h`,
    /// `month`), as_of, source; optional: region, valid_from, valid_until; checked against the catalog and not imported:
    /// gpus, gpu_memory, memory, peak. Chinese headers are understood.
    ///
    /// # Errors
    /// All findings with their lines: unknown columns, missing or unreadable cells, prices per GPU, duplicates.
    pub fn from_sheet(sheet: &Sheet, catalog: &Catalog) -> Result<Self, Vec<Finding>> {
        let separator = sheet.separator.unwrap_or(',');
        let mut reader =
            TableReader { file: &sheet.file, columns: BTreeMap::new(), findings: Vec::new(), separator };
        let Some((header, rows)) = sheet.rows.split_first() else {
            reader.find(
                1,
                "header",
                format!("no rows; the first names the columns: {}", REQUIRED.join(", ")),
            );
            return Err(reader.findings);
        };
        read_header(&mut reader, header);
        let mut book = Self::default();
        let mut seen = BTreeSet::new();
        for row in rows {
            if reader.findings.len() >= MAX_FINDINGS {
                break;
            }
            let Some(price) = read_row(&mut reader, row, catalog) else { continue };
            if !seen.insert(price.key()) {
                reader.find(row.line, "instance", TWICE.to_owned());
            }
            let stated = read_shape(&mut reader, row, price.instance, catalog);
            book.odd.extend(odd_shape(&stated, price.instance, row.line, catalog));
            book.prices.push(price);
        }
        if reader.findings.is_empty() && book.prices.is_empty() {
            reader.find(header.line, "header", "no prices below the header".to_owned());
        }
        if reader.findings.is_empty() { Ok(book) } else { Err(reader.findings) }
    }
}

fn read_header(reader: &mut TableReader<'_>, header: &SheetRow) {
    for (at, cell) in header.cells.iter().enumerate() {
        let name = cell.trim().to_lowercase().replace([' ', '-'], "_");
        if name.is_empty() {
            continue;
        }
        let known =
            COLUMNS.iter().find(|(column, others)| *column == name || others.contains(&name.as_str()));
        match known {
            Some((column, _)) if reader.columns.insert(column, at).is_some() => {
                reader.find(header.line, column, "is the name of two columns".to_owned());
            }
            Some(_) => {}
            None => {
                let accepted = COLUMNS.map(|(column, _)| column).join(", ");
                let cut: String = cell.chars().take(40).collect();
                reader.find(header.line, "header", format!("unknown column {cut:?}; accepted: {accepted}"));
            }
        }
    }
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|c| !reader.columns.contains_key(c)).collect();
    for column in missing {
        reader.find(header.line, column, "no column of this name".to_owned());
    }
}

/// What a row says about its machine.
fn read_shape(reader: &mut TableReader<'_>, row: &SheetRow, id: InstanceId, catalog: &Catalog) -> Stated {
    let it = catalog.instance(id);
    let gpu = catalog.gpus.get(usize::from(it.gpu.0)).map(|g| g.memory_nominal);
    let count = |text: &str| text.parse().map_err(|_| format!("{text:?} is no number of GPUs"));
    Stated {
        gpus: reader.optional(row, "gpus", count),
        gpu_memory: reader.optional(row, "gpu_memory", |text| memory_as_sold(text, gpu)),
        memory: reader.optional(row, "memory", |text| memory_as_sold(text, it.memory)),
        peak: reader.optional(row, "peak", |text| {
            parse_quantity(text).map_err(|e| format!("{e}; such as \"312 TFLOP/s\""))
        }),
    }
}

fn read_row(reader: &mut TableReader<'_>, row: &SheetRow, catalog: &Catalog) -> Option<BookPrice> {
    let provider = reader.cell(row, "provider").map(str::to_owned);
    let instance: Option<InstanceId> = reader.required(row, "instance", |text| {
        let key = match &provider {
            Some(provider) if !text.contains('/') => format!("{provider}/{text}"),
            _ => text.to_owned(),
        };
        find_instance(&key, catalog).map_err(|e| e.to_string())
    });
    let region = reader.optional(row, "region", |text| match instance {
        Some(id) => known_region(catalog, id, text).map_err(|e| e.to_string()),
        None => Ok(text.to_owned()),
    });
    let purchase = reader.required(row, "purchase", purchase_as_sold);
    let separator = reader.separator;
    let stated = reader.cell(row, "currency").map(str::to_owned);
    let price =
        reader.required(row, "price", |text| amount(&without_sign(text, stated.as_deref())?, separator));
    let currency = reader.required(row, "currency", |text| Currency::parse(text).map_err(|e| e.to_string()));
    let month = reader.required(row, "unit", |text| match text {
        "h" | "hour" | "小时" | "元/小时" => Ok(false),
        "month" | "月" | "元/月" => Ok(true),
        "gpu-h" | "gpu_hour" => {
            Err("is per GPU; a price is that of a whole node: multiply by its GPUs and write \"h\""
                .to_owned())
        }
        _ => Err(format!("{text:?} is neither \"h\" nor \"month\"")),
    });
    let as_of = reader.required(row, "as_of", read::day);
    let source = reader.required(row, "source", read::some_text);
    let from = reader.optional(row, "valid_from", read::day);
    let until = reader.optional(row, "valid_until", read::day);
    let money = Money::new(price?, currency?);
    let (purchase, month) = (purchase?, month?);
    if month != (purchase == Purchase::Monthly)
        && !matches!(purchase, Purchase::Reserved1y | Purchase::Reserved3y)
    {
        reader.find(row.line, "unit", format!("{} is not sold by this unit", purchase.name()));
    }
    Some(BookPrice {
        instance: instance?,
        region,
        purchase,
        rate: if month { PriceRate::PerMonth(money) } else { PriceRate::PerHour(money) },
        as_of: as_of?,
        source: source?,
        validity: Validity { from, until },
        firm: false,
        line: row.line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHINESE: &str = "规格;区域;计费模式;单价;币种;计价单位;日期;来源\n\
        huawei-cloud/P2S.16xlarge.8;ap-southeast-3;按需;¥160.00;CNY;小时;2026-11-28;list\n\
        huawei-cloud/p2s.16xlarge.8;ap-southeast-3;包月;￥63118;CNY;月;2026-11-28;list\n";

    fn read(text: &str) -> Result<PriceBook, Vec<Finding>> {
        let catalog = Catalog::embedded().unwrap();
        Sheet::from_csv("list.csv", text).and_then(|sheet| PriceBook::from_sheet(&sheet, &catalog))
    }

    #[test]
    fn a_chinese_list_with_semicolons_is_read_by_its_own_words() {
        let book = read(CHINESE).unwrap();
        let bought: Vec<Purchase> = book.prices.iter().map(|p| p.purchase).collect();
        assert_eq!(bought, [Purchase::OnDemand, Purchase::Monthly]);
        assert_eq!(book.prices[0].rate.money(), Money::parse("160.00 CNY").unwrap());
        assert_eq!(Sheet::from_csv("list.csv", CHINESE).unwrap().separator, Some(';'));
    }

    #[test]
    fn a_sign_of_two_currencies_and_a_comma_for_a_point_are_findings() {
        let dollars = read(&CHINESE.replace(";CNY;", ";USD;")).unwrap_err();
        assert!(dollars[0].message.contains("two currencies"), "{dollars:?}");
        let comma = read(&CHINESE.replace("¥160.00", "160,00")).unwrap_err();
        assert!(comma[0].message.contains("decimal point"), "{comma:?}");
        assert_eq!(amount("1,234,567.5", ',').unwrap(), "1234567.5".parse().unwrap());
        assert!(
            amount("1.234,56", ',').is_err()
                && amount("131,5", ',').is_err()
                && amount("1,234", ';').is_err()
        );
    }
}
