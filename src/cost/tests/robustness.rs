//! Price books that are cut, bent, bombed or of another kind: findings, never a panic, never half a book.

use std::io::{Cursor, Write as _};

use rust_xlsxwriter::Workbook;

use super::*;
use crate::cost::import::{catalog_csv, flavors, rating};
use crate::cost::{LintKind, PriceBook, Sheet};
use crate::units::FxTable;

const TOML: &str = r#"
[quote]
tax = "6 %"
[[price]]
instance = "aws/alpha.8x"
purchase = "on_demand"
price_per_hour = "12.3 USD/h"
as_of = "2026-11-28"
source = "offer 1"
[[item]]
code = "disk"
kind = "block_storage"
price = "0.35 USD/GB-month"
as_of = "2026-11-28"
source = "list"
[[rule]]
applies_to = "customer"
discount = "12 %"
"#;

const CSV: &str = "provider,instance,region,purchase,price,currency,unit,as_of,source\n\
aws,alpha.8x,us-east-1,on_demand,12.3,USD,h,2026-11-28,offer\n\
huawei-cloud,beta.16xlarge.8,cn-north-4,monthly,63118,CNY,month,2026-11-28,offer\n";

/// A small generator, so that the mutations are the same every time.
struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below.max(1)
    }
}

fn mutated(bytes: &[u8], noise: &mut Noise) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=noise.next(4) {
        let at = noise.next(out.len());
        match noise.next(6) {
            0 => out.truncate(at),
            1 => out[at..].iter_mut().take(1).for_each(|b| *b = b"\"=+-@[],\n\0\xff\xb0"[noise.next(12)]),
            2 => out.splice(at..at, *b"[[price]]\n").for_each(drop),
            3 => out.splice(at..at, "=HYPERLINK(1)1e999".bytes()).for_each(drop),
            4 => out.splice(at..at, "存储".bytes()).for_each(drop),
            _ => drop(out.drain(at..(at + 20).min(out.len()))),
        }
    }
    out
}

fn workbook(rows: &[&[&str]]) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (r, row) in (0..).zip(rows) {
        for (c, cell) in (0..).zip(*row) {
            match cell.parse::<f64>() {
                Ok(number) => sheet.write_number(r, c, number).unwrap(),
                Err(_) => sheet.write_string(r, c, *cell).unwrap(),
            };
        }
    }
    book.save_to_buffer().unwrap()
}

const HEADER: &[&str] = &["实例规格", "计费模式", "单价", "币种", "计价单位", "日期", "来源"];

#[test]
fn a_workbook_with_chinese_headers_is_a_price_list() {
    let row: &[&str] = &["aws/alpha.8x", "on_demand", "12.3", "USD", "h", "2026-11-28", "offer"];
    let sheet = Sheet::from_xlsx("a.xlsx", &workbook(&[HEADER, row])).unwrap();
    let book = PriceBook::from_sheet(&sheet, &catalog(Vec::new())).unwrap();
    assert_eq!(book.prices[0].rate.to_string(), "12.3 USD/h");
    assert_eq!(book.prices[0].line, 2);
}

#[test]
fn a_table_with_mistakes_yields_each_with_its_line_and_no_price() {
    let text = "instance,purchase,price,currency,unit,as_of,source\n\
aws/alpha.8x,on_demand,12.3,,h,2026-11-28,offer\n\
aws/alpha.8x,on_demand,=1+1,USD,h,2026-11-28,offer\n\
aws/alpha.8x,on_demand,12.3,USD,gpu-h,2026-11-28,offer\n\
aws/alpha.9x,on_demand,12.3,USD,h,28.11.2026,offer\n\
aws/alpha.8x,on_demand,12.3,USD,h,2026-11-28,offer\n\
aws/alpha.8x,on_demand,12.4,USD,h,2026-11-28,offer\n";
    let sheet = Sheet::from_csv("p.csv", text).unwrap();
    let findings = PriceBook::from_sheet(&sheet, &catalog(Vec::new())).unwrap_err();
    let seen: Vec<_> = findings.iter().map(|f| (f.line.unwrap(), f.key.as_str())).collect();
    assert_eq!(
        seen,
        [(2, "currency"), (3, "price"), (4, "unit"), (5, "instance"), (5, "as_of"), (7, "instance")]
    );
}

#[test]
fn two_hundred_mutated_price_books_end_in_a_book_or_in_findings() {
    let catalog = catalog(Vec::new());
    let row: &[&str] = &["aws/alpha.8x", "on_demand", "12.3", "USD", "h", "2026-11-28", "offer"];
    let xlsx = workbook(&[HEADER, row]);
    let mut noise = Noise(7);
    let (mut refused, mut read) = (0, 0);
    for i in 0..240 {
        let outcome = match i % 3 {
            0 => {
                let text = mutated(TOML.as_bytes(), &mut noise);
                PriceBook::parse("m.toml", &String::from_utf8_lossy(&text), &catalog)
            }
            1 => {
                let text = mutated(CSV.as_bytes(), &mut noise);
                Sheet::from_csv("m.csv", &String::from_utf8_lossy(&text))
                    .and_then(|s| PriceBook::from_sheet(&s, &catalog))
            }
            _ => Sheet::from_xlsx("m.xlsx", &mutated(&xlsx, &mut noise))
                .and_then(|s| PriceBook::from_sheet(&s, &catalog)),
        };
        match outcome {
            Ok(_) => read += 1,
            Err(findings) => {
                assert!(!findings.is_empty());
                refused += 1;
            }
        }
    }
    assert!(refused > 120 && read + refused == 240, "{refused} refused, {read} read");
}

#[test]
fn a_zip_bomb_a_far_cell_and_a_file_that_is_none_are_refused() {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("xl/workbook.xml", zip::write::SimpleFileOptions::default()).unwrap();
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..80 {
        archive.write_all(&zeros).unwrap();
    }
    let bomb = archive.finish().unwrap().into_inner();
    assert!(bomb.len() < 1 << 20);
    let message = |bytes: &[u8]| Sheet::from_xlsx("b.xlsx", bytes).unwrap_err()[0].message.clone();
    assert!(message(&bomb).contains("unpacks to more than"), "{}", message(&bomb));

    let mut book = Workbook::new();
    book.add_worksheet().write_number(1_000_000, 16_000, 1.0).unwrap();
    assert!(message(&book.save_to_buffer().unwrap()).contains("outside of"));
    assert!(message(b"PK\x03\x04 and nothing more").contains("no workbook"));
    assert!(message(&vec![0; 9 << 20]).contains("larger than"));
}

#[test]
fn a_large_book_of_nonsense_is_refused_soon() {
    let catalog = catalog(Vec::new());
    let findings = PriceBook::parse("n.toml", &"[[price]]\nx = 1\n".repeat(30_000), &catalog).unwrap_err();
    assert!((200..400).contains(&findings.len()), "{}", findings.len());
    let rows = "a,b\n".repeat(30_000);
    assert!(Sheet::from_csv("n.csv", &rows).unwrap_err()[0].message.contains("more than"));
}

#[test]
fn odd_prices_are_found_with_their_lines() {
    let mut catalog = catalog(Vec::new());
    catalog.instances[GAMMA.0 as usize].gpu_count = 1;
    let price = |instance: &str, purchase: &str, amount: &str| {
        format!(
            "[[price]]\ninstance = \"aws/{instance}\"\npurchase = \"{purchase}\"\nprice_per_hour = \"{amount} USD/h\"\nas_of = \"2026-11-28\"\nsource = \"x\"\n"
        )
    };
    let alpha = catalog.instance(ALPHA).name.clone();
    let gamma = catalog.instance(GAMMA).name.clone();
    let text = [
        price(&alpha, "on_demand", "3.1"),
        price(&gamma, "on_demand", "3"),
        price(&alpha, "spot", "3.2"),
        price(&gamma, "spot", "500"),
    ]
    .concat();
    let book = PriceBook::parse("o.toml", &text, &catalog).unwrap();
    let seen: Vec<_> =
        book.lint(&catalog, &FxTable::default(), TODAY).iter().map(|l| (l.line, l.kind)).collect();
    for expected in [
        (1, LintKind::PerGpu),
        (13, LintKind::SpotAboveOnDemand),
        (13, LintKind::NotScaling),
        (19, LintKind::SpotAboveOnDemand),
        (19, LintKind::Implausible),
    ] {
        assert!(seen.contains(&expected), "{expected:?} in {seen:?}");
    }
}

#[test]
fn columns_about_the_machine_are_checked_and_not_imported() {
    let mut catalog = catalog(Vec::new());
    catalog.gpus = Catalog::embedded().unwrap().gpus;
    let gpu = catalog.gpus.iter().position(|g| g.peaks.fp16_tensor.is_some()).unwrap();
    catalog.instances[ALPHA.0 as usize].gpu = GpuId(gpu as u16);
    let sold = catalog.gpus[gpu].memory_nominal.gib();
    let dense = catalog.gpus[gpu].peaks.fp16_tensor.unwrap().tera();
    let read = |gpus: u32, memory: &str, peak: f64| {
        let text = format!(
            "instance,purchase,price,currency,unit,as_of,source,GPU数,显存,算力\n\
             aws/alpha.8x,on_demand,12.3,USD,h,2026-11-28,offer,{gpus},{memory},{peak} TFLOP/s\n"
        );
        let sheet = Sheet::from_csv("p.csv", &text).unwrap();
        let book = PriceBook::from_sheet(&sheet, &catalog).unwrap();
        book.lint(&catalog, &FxTable::default(), TODAY).iter().map(|l| (l.line, l.kind)).collect::<Vec<_>>()
    };
    assert_eq!(read(8, &format!("{sold} GB"), dense), []);
    assert_eq!(
        read(1, &format!("{:.2} GiB", sold / 1.0737), 2.0 * dense),
        [(2, LintKind::GpuCount), (2, LintKind::MemoryUnit), (2, LintKind::SparsePeak)]
    );
}

#[test]
fn findings_of_a_saved_answer_have_their_lines() {
    let catalog = catalog(Vec::new());
    let id = "aws/alpha.8x|us-east-1|on_demand";
    let text = format!(
        "{{\n\"currency\": \"USD\",\n\"product_rating_results\": [\n{{\"id\": \"{id}\", \"official_website_amount\": 12.3}},\n\
         {{\"id\": \"{id}\", \"official_website_amount\": 12.4}},\n\n{{\"id\": \"nobody\"}},\n{{\"id\": 7}}]}}"
    );
    let findings = rating::read("r.json", &text, TODAY, &catalog).unwrap_err();
    assert_eq!(findings.iter().map(|f| f.line).collect::<Vec<_>>(), [Some(5), Some(7), Some(8)]);
    // A price far too high: the lint has the line of its record too.
    let far = text.split(",\n\n").next().unwrap().replace("12.4", "9999").replacen(
        id,
        "aws/alpha.8x|us-east-1|monthly",
        1,
    );
    let book = rating::read("r.json", &format!("{far}]}}"), TODAY, &catalog).unwrap();
    let odd = book.lint(&catalog, &FxTable::default(), TODAY);
    assert!(odd.iter().any(|l| (l.line, l.kind) == (5, LintKind::Implausible)), "{odd:?}");
    let list = "{\"flavors\": [\n{\"name\": \"beta.16xlarge.8\", \"ram\": 524288},\n{\"name\": \"beta.16xlarge.8\"}]}";
    let twice = flavors::read("f.json", list, "huawei-cloud", &catalog).unwrap_err();
    assert_eq!(twice[0].line, Some(3));
}

#[test]
fn a_flavor_with_decimal_memory_is_odd_with_its_line() {
    let mut catalog = catalog(Vec::new());
    catalog.instances[BETA.0 as usize].memory = Some(crate::units::Bytes::from_gib(512.0));
    let name = catalog.instance(BETA).name.clone();
    let read = |ram: u32| {
        let list = format!("{{\"flavors\": [\n{{\"name\": \"{name}\", \"ram\": {ram}}}]}}");
        flavors::read("f.json", &list, "huawei-cloud", &catalog).unwrap().odd
    };
    assert_eq!(read(524_288), []);
    let odd = read(488_281);
    assert_eq!((odd[0].line, odd[0].kind), (2, LintKind::MemoryUnit));
    assert!(odd[0].message.contains("GB and GiB are mixed up"), "{}", odd[0].message);
}

#[test]
fn exchange_rates_of_a_book_are_dated_and_one_a_currency() {
    let catalog = catalog(Vec::new());
    let rate = |currency: &str, per: &str| {
        format!("[[rate]]\ncurrency = \"{currency}\"\nper_usd = \"{per}\"\nas_of = \"2026-11-28\"\n")
    };
    let read = |rates: &str| PriceBook::parse("r.toml", &format!("{TOML}{rates}"), &catalog);
    let book = read(&rate("CNY", "7.10")).unwrap();
    assert_eq!(book.rates[0].per_usd.to_string(), "7.10");
    for wrong in [
        rate("USD", "1"),
        rate("CNY", "-7"),
        [rate("CNY", "7"), rate("CNY", "7.1")].concat(),
        "[[rate]]\ncurrency = \"CNY\"\nper_usd = \"7\"\n".to_owned(),
    ] {
        assert!(read(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn an_answer_of_the_rating_api_becomes_prices_or_findings() {
    let catalog = catalog(Vec::new());
    let requests = rating::requests(&[BETA], "cn-north-4", &catalog);
    let body = serde_json::to_value(&requests[0]).unwrap();
    let id = body["product_infos"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(body["product_infos"][0]["usage_measure_id"], 4);
    let spec = body["product_infos"][0]["resource_spec"].as_str().unwrap();
    assert_eq!(spec, format!("{}.linux", catalog.instance(BETA).name));
    let answer = |currency: &str, amount: &str| {
        format!(
            "{{{currency}\"product_rating_results\":[{{\"id\":\"{id}\",\"official_website_amount\":{amount}}}]}}"
        )
    };
    let book = rating::read("r.json", &answer("\"currency\":\"CNY\",", "131.50"), TODAY, &catalog).unwrap();
    assert_eq!(book.prices[0].rate.to_string(), "131.5 CNY/h");
    assert_eq!(PriceBook::parse("b.toml", &book.to_toml(&catalog), &catalog).unwrap().prices.len(), 1);
    for (currency, amount) in
        [("", "131.5"), ("\"currency\":\"CNY\",", "0"), ("\"currency\":\"CNY\",", "null")]
    {
        assert!(rating::read("r.json", &answer(currency, amount), TODAY, &catalog).is_err());
    }
    assert!(rating::read("r.json", "{}", TODAY, &catalog).is_err());
    assert!(rating::read("r.json", "<html>", TODAY, &catalog).is_err());
}

#[test]
fn a_multi_cloud_table_and_a_flavor_list_are_read_whole_or_not_at_all() {
    let catalog = catalog(Vec::new());
    let text = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\n\
alpha.8x,V100,8.0,96,768,31.2,9.3,us-east-1,a\n\
m5.large,,,2,8,0.1,,us-east-1,a\n";
    let read = |text: &str| catalog_csv::read("aws.csv", text, "aws", TODAY, &catalog);
    let imported = read(text).unwrap();
    assert_eq!((imported.book.prices.len(), imported.unknown_instances), (2, 1));
    assert!(read(&text.replace("8.0", "4.0")).is_err(), "another number of GPUs");
    assert!(read(&text.replace("31.2", "cheap")).is_err());
    assert!(read(&text.replace("SpotPrice", "Spot")).is_err());

    let name = catalog.instance(BETA).name.clone();
    let list = format!(
        r#"{{"flavors":[{{"name":"{name}","vcpus":"64","os_extra_specs":{{"quota:gpu":"8","cond:operation:az":"z1(normal),z2(sellout)","cond:operation:charge":"demand,spot"}}}},{{"name":"c1","os_extra_specs":{{"ecs:performancetype":"normal"}}}}]}}"#
    );
    let sales = flavors::read("f.json", &list, "huawei-cloud", &catalog).unwrap().sales;
    assert_eq!((sales.len(), sales[0].instance), (1, Some(BETA)));
    assert_eq!(sales[0].zones["z2"], "sellout");
    assert!(flavors::read("f.json", "{\"flavors\":[]}", "huawei-cloud", &catalog).is_err());
}

#[test]
fn monthly_against_hourly_flips_at_the_break_even_and_not_a_second_before() {
    use crate::cost::break_even::break_even_hours;
    use crate::cost::purchase_advice::{Way, purchase_advice};
    use crate::cost::{BillingRule, PriceOrigin, PriceRate};
    use crate::units::Seconds;
    let rule = BillingRule { granularity: Seconds::new(1.0), ..BillingRule::unknown() };
    let price = |text: &str, purchase| {
        let rate = PriceRate::parse(text).unwrap();
        Price::of_user(rate, purchase, None, PriceOrigin::User, TODAY, "x".to_owned())
    };
    for (hourly, monthly, even) in
        [("30 CNY/h", "10800 CNY/month", 360.0), ("131.5 CNY/h", "63118 CNY/month", 480.0)]
    {
        let prices = [price(hourly, Purchase::OnDemand), price(monthly, Purchase::Monthly)];
        let options = |hours: f64| purchase_advice(&prices, 1, Seconds::from_hours(hours), &rule);
        let best = |hours: f64| options(hours)[0].way;
        // 63118 is two yuan short of 480 × 131.5 = 63120: it flips a minute before.
        let close = if even == 360.0 { 1.0 / 3600.0 } else { 0.02 };
        assert_eq!(best(even - close), Way::Whole(Purchase::OnDemand));
        assert_eq!(best(even + close), Way::Whole(Purchase::Monthly));
        let of_month = options(even)[usize::from(best(even) != Way::Whole(Purchase::Monthly))].clone();
        assert_eq!(of_month.break_even_hours.unwrap().round().to_string(), format!("{even:.0}"));
    }
    let exactly = [price("30 CNY/h", Purchase::OnDemand), price("10800 CNY/month", Purchase::Monthly)];
    let at = purchase_advice(&exactly, 1, Seconds::from_hours(360.0), &rule);
    assert_eq!(
        (at[0].way, at[0].paid, at[1].paid),
        (Way::Whole(Purchase::OnDemand), money("10800 CNY"), money("10800 CNY"))
    );
    assert_eq!(break_even_hours(money("63118 CNY"), money("131.5 CNY")).unwrap().round().to_string(), "480");
}
