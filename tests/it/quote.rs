//! `quote` and price books as a user runs them.

use std::io::Read as _;
use std::path::Path;

use crate::pdf_text;
use crate::program::{advise, advise_in, stderr, stdout, words};
use crate::schema;
use crate::source_text::root;

const CLUSTER: &str =
    "quote --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --currency CNY --as-of 2026-11-30";

fn book() -> String {
    root().join("reports/sample-book.toml").display().to_string()
}

/// The sample quote with more flags.
fn quote_in(folder: &Path, more: &[&str]) -> std::process::Output {
    let book = book();
    let mut arguments = words(CLUSTER);
    arguments.extend(["--hours", "9d", "--price-book", &book, "--customer", "上海示例科技有限公司"]);
    arguments.extend(more);
    advise_in(folder, &arguments)
}

#[test]
fn the_sample_quote_is_exact_in_every_format_and_language() {
    let folder = tempfile::tempdir().expect("a folder");
    for language in ["en", "zh"] {
        for format in ["xlsx", "html", "pdf", "md", "json"] {
            let name = format!("{language}.{format}");
            let output = quote_in(folder.path(), &["--lang", language, "--out", &name]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let bytes = std::fs::read(folder.path().join(&name)).expect("a file");
            let text = String::from_utf8_lossy(&bytes);
            match format {
                "md" | "html" | "pdf" => {
                    let text = if format == "pdf" { pdf_text::text(&bytes) } else { text.into_owned() };
                    for amount in ["38,016.00", "950.00", "38,966.00", "2,337.96", "41,303.96"] {
                        assert!(text.contains(amount), "{name}: {amount}");
                    }
                }
                "json" => {
                    schema::check("quote", &text);
                    for amount in ["38016.00", "950.00", "38966.00", "2337.96", "41303.96"] {
                        assert!(text.contains(&format!("\"{amount}\"")), "{name}: {amount}");
                    }
                }
                _ => {
                    for amount in ["43200", "38016", "950", "38966", "2337.96", "41303.96"] {
                        let stored = results_of(&bytes);
                        assert!(stored.iter().any(|s| s == amount), "{name}: {amount} in {stored:?}");
                    }
                }
            }
        }
    }
    let both = ["en.json", "zh.json"].map(|n| std::fs::read(folder.path().join(n)).expect("a record"));
    assert_eq!(both[0], both[1], "JSON does not change with the language");
}

/// The stored results of the formulas of the first sheet of a workbook.
fn results_of(bytes: &[u8]) -> Vec<String> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("a workbook");
    let mut sheet = String::new();
    let mut part = archive.by_name("xl/worksheets/sheet1.xml").expect("a sheet");
    part.read_to_string(&mut sheet).expect("text");
    let results = sheet.split("</f><v>").skip(1).filter_map(|rest| rest.split_once("</v>"));
    let plain =
        |text: &str| text.contains('.').then(|| text.trim_end_matches('0').trim_end_matches('.').to_owned());
    results.map(|(value, _)| plain(value).unwrap_or_else(|| value.to_owned())).collect()
}

#[test]
fn the_text_of_a_customers_pdf_holds_no_cost_and_the_internal_one_does() {
    let folder = tempfile::tempdir().expect("a folder");
    for language in ["en", "zh"] {
        let text = |more: &[&str], name: &str| {
            let output = quote_in(folder.path(), &[&["--lang", language, "--out", name], more].concat());
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            pdf_text::text(&std::fs::read(folder.path().join(name)).expect("a file"))
        };
        let (customer, internal) = (text(&[], "c.pdf"), text(&["--internal"], "i.pdf"));
        // Cost is 20 % below list: 160.00 an hour, 35,360.00 in all; the margin is 3,606.00.
        for secret in
            ["160.00", "35,360.00", "3,606.00", "9.25", "price list 7", "Margin", "margin", "毛利", "成本"]
        {
            assert!(!customer.contains(secret), "{secret} in {customer}");
        }
        for shown in ["160.00", "35,360.00", "3,606.00", "price list 7"] {
            assert!(internal.contains(shown), "{shown} in {internal}");
        }
        assert!(customer.contains("上海示例科技有限公司"), "{customer}");
    }
}

#[test]
fn the_internal_record_follows_the_schema_and_the_customers_copy_shows_no_margin() {
    let folder = tempfile::tempdir().expect("a folder");
    let internal = stdout(&quote_in(folder.path(), &["--internal", "--format", "json"]));
    schema::check("quote", &internal);
    assert!(internal.contains("\"margin\": \"3606.00\""), "{internal}");
    let customer = stdout(&quote_in(folder.path(), &["--format", "json"]));
    assert!(!customer.contains("margin") && !customer.contains("price list 7"));
}

#[test]
fn an_expired_quote_is_printed_again_only_when_it_is_renewed() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |line: &str| advise_in(folder.path(), &words(line));
    assert_eq!(quote_in(folder.path(), &["--out", "q.json"]).status.code(), Some(0));
    let valid = run("quote print q.json --as-of 2026-12-30");
    assert_eq!(valid.status.code(), Some(0), "{}", stderr(&valid));
    let late = run("quote print q.json --as-of 2026-12-31");
    assert_eq!(late.status.code(), Some(2));
    assert!(stderr(&late).contains("--renew"), "{}", stderr(&late));
    let renewed = run("quote print q.json --as-of 2026-12-31 --renew --out r.json");
    assert_eq!(renewed.status.code(), Some(0), "{}", stderr(&renewed));
    let diff = stdout(&run("quote diff q.json r.json"));
    assert!(diff.contains("Valid until") && diff.contains("2027-01-30"), "{diff}");
    let chinese = stdout(&run("quote diff q.json r.json --lang zh"));
    assert!(chinese.contains("有效期至") && !chinese.contains("Valid"), "{chinese}");
    let record = std::fs::read_to_string(folder.path().join("q.json")).expect("the record");
    std::fs::write(folder.path().join("e.json"), record.replace("41303.96", "1.00")).expect("written");
    let edited = run("quote print e.json --as-of 2026-12-01");
    assert_eq!(edited.status.code(), Some(3));
    assert!(stderr(&edited).contains("changed"));
}

/// Runs, expects wrong usage, and gives what was said.
fn refused(line: &str) -> String {
    let mut arguments = words(line);
    arguments.extend(["--customer", "C"]);
    let output = advise(&arguments);
    assert_eq!(output.status.code(), Some(2), "{line}\n{}{}", stdout(&output), stderr(&output));
    stderr(&output)
}

#[test]
fn a_missing_price_a_mixed_currency_an_unknown_flavor_and_weak_evidence_are_refused() {
    let missing =
        "quote --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --hours 9d --as-of 2026-11-30";
    assert!(refused(missing).contains("nobody states a price"));
    let mixed = format!("{missing} --price huawei-cloud/p2s.16xlarge.8@ap-southeast-3=200CNY/h");
    assert!(refused(&mixed).contains("no exchange rate"), "{}", refused(&mixed));
    let unknown = missing.replace("p2s.16xlarge.8", "p2s.17xlarge.8");
    assert!(refused(&unknown).contains("p2s.16xlarge.8"), "near names are listed");
    let neither = "quote --cluster aws/p4d.24xlarge@us-east-1:1 --as-of 2026-11-30";
    assert!(refused(neither).contains("neither a job nor a time"));
    // A GPU of which nothing is known but its data sheet.
    let weak = "quote --model bert-large-uncased --steps 1000 --cluster aws/g5.48xlarge@us-east-1:1 \
                --price aws/g5.48xlarge@us-east-1=10USD/h --as-of 2026-11-30";
    assert!(refused(weak).contains("data sheets") && refused(weak).contains("--budgetary"));
    let allowed = advise(&[&words(weak)[..], &["--customer", "C", "--budgetary"]].concat());
    assert!(stdout(&allowed).starts_with("Budgetary estimate"), "{}", stderr(&allowed));
}

#[test]
fn an_old_price_is_said_in_the_quote() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = book();
    let mut arguments = words(CLUSTER);
    arguments.truncate(arguments.len() - 1);
    arguments.extend(["2027-02-01", "--hours", "9d", "--price-book", &book, "--customer", "C"]);
    let text = stdout(&advise_in(folder.path(), &arguments));
    assert!(text.starts_with("Budgetary estimate") && text.contains("older than 30 days"), "{text}");
}

#[test]
fn one_price_book_makes_the_prices_of_every_command() {
    let book = book();
    let line = format!(
        "simulate --params 1B --tokens 1B --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --currency CNY --price-book {book} --as-of 2026-11-30 --format json"
    );
    let answer: serde_json::Value = serde_json::from_slice(&advise(&words(&line)).stdout).expect("JSON");
    // 200 less 12 %.
    assert!(answer["price"].to_string().contains("176"), "{}", answer["price"]);
}

/// Two nodes by day and eight by night, with a monthly price that half the hours would pay.
const ELASTIC: &str = "quote --model llama2-13b --tokens 100B --cluster aws/p4d.24xlarge@us-east-1:8 --budgetary \
     --start 2026-12-01T08:00 --price aws/p4d.24xlarge@us-east-1=20USD/h --price aws/p4d.24xlarge@us-east-1=7300USD/month \
     --as-of 2026-11-30 --tax 6% --customer C --format json --schedule";

#[test]
fn a_schedule_is_quoted_as_a_baseline_by_the_month_and_node_hours_that_add_up_to_what_simulate_says() {
    let schedule = "2 nodes 08:00-20:00, 8 nodes 20:00-08:00";
    let run = |line: &str, more: &[&str]| -> serde_json::Value {
        let output = advise(&[&words(line)[..], &[schedule], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let number =
        |value: &serde_json::Value| -> f64 { value.as_str().expect("a decimal").parse().expect("a number") };
    let simulate = ELASTIC
        .replace("quote ", "simulate ")
        .replace("--budgetary ", "")
        .replace("--tax 6% --customer C ", "");
    let simulated = run(&simulate, &["--baseline", "2"]);
    let quote = run(ELASTIC, &["--baseline", "2"]);
    schema::check("quote", &quote.to_string());
    let lines = quote["lines"].as_array().expect("lines");
    assert_eq!((lines[0]["role"].as_str(), lines[1]["role"].as_str()), (Some("baseline"), Some("burst")));
    let months = number(&lines[0]["each"]);
    assert_eq!(number(&lines[0]["net"]), 2.0 * months * 7300.0);
    let hours = number(&lines[1]["each"]);
    assert!((number(&lines[1]["net"]) - 20.0 * hours).abs() < 0.01);
    let net = number(&quote["totals"]["net"]);
    assert!((number(&lines[0]["net"]) + number(&lines[1]["net"]) - net).abs() < 1e-9);
    let said = &simulated["cost"]["p50"]["amount"];
    let said = said.as_str().map_or_else(|| said.as_f64().expect("a cost"), |t| t.parse().expect("a number"));
    assert!((said / net - 1.0).abs() < 1e-3, "{said} {net}");
    // Left to itself it takes the cheapest baseline; at P90 the contingency is in the lines.
    let (free, late) = (run(ELASTIC, &[]), run(ELASTIC, &["--at", "p90"]));
    assert!(number(&free["totals"]["net"]) <= net);
    assert!(number(&late["totals"]["net"]) > number(&free["totals"]["net"]));
    let paid: Vec<f64> =
        free["ways_to_buy"].as_array().expect("ways").iter().map(|w| number(&w["paid"])).collect();
    assert!(paid.len() == 3 && paid.is_sorted(), "{paid:?}");
    assert!((paid[0] - number(&free["totals"]["net"])).abs() < 0.02, "{paid:?}");
}

#[test]
fn a_schedule_without_a_job_or_with_hours_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = quote_in(folder.path(), &["--schedule", "2 nodes 08:00-20:00"]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("leave --hours out"), "{said}");
}

#[test]
fn a_chinese_quote_says_its_assumptions_in_chinese_and_its_record_does_not_change() {
    let line = "quote --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:2 --budgetary --customer C --as-of 2026-11-30";
    let run = |more: &str| stdout(&advise(&words(&format!("{line} {more}"))));
    let shown = run("--lang zh --format markdown");
    let (_, rest) = shown.split_once("## 假设").expect("the assumptions");
    let lines: Vec<&str> = rest.lines().skip(2).take_while(|l| l.starts_with("- ")).collect();
    assert!(lines.len() >= 5, "{lines:?}");
    for line in lines {
        let (_, reason) = line.split_once('（').unwrap_or_else(|| panic!("no reason in Chinese: {line}"));
        assert!(reason.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{line}");
    }
    assert_eq!(run("--lang zh --format json"), run("--format json"));
}

#[test]
fn energy_by_default_names_its_sources_and_asks_for_what_nobody_states() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "simulate --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:2 --as-of 2026-11-30 --report r.md --energy";
    let report = |energy: &str| {
        let output = advise_in(folder.path(), &words(&format!("{line} {energy}")));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        std::fs::read_to_string(folder.path().join("r.md")).expect("the report")
    };
    let text = report("default");
    // 8 x (400 + 412.5) W; the provider's and the country's figures.
    for expected in ["6.50 kW per node", "PUE 1.14", "369.5 g CO2", "DGX A100", "global average", "Ember"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let text = report("default,pue=2");
    assert!(text.contains("PUE 2,") && !text.contains("global average"), "{text}");
    let unknown = line.replace("p4d.24xlarge", "g4dn.12xlarge").replace("7B", "1B");
    let unknown = unknown.replace("--report", "--price aws/g4dn.12xlarge@us-east-1=5USD/h --report");
    let output = advise_in(folder.path(), &words(&format!("{unknown} default")));
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("state node="), "{}", stderr(&output));
}

#[test]
fn a_rate_of_the_price_book_serves_every_command_and_an_old_one_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let rate = "[[rate]]\ncurrency = \"CNY\"\nper_usd = \"8\"\nas_of = \"2026-10-01\"\n";
    let text = std::fs::read_to_string(book()).expect("the sample book");
    std::fs::write(folder.path().join("b.toml"), format!("{text}\n{rate}")).expect("written");
    let run = |line: &str| stdout(&advise_in(folder.path(), &words(line)));
    let cluster =
        "--cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --price-book b.toml --as-of 2026-11-30";
    let simulated = run(&format!("simulate --params 1B --tokens 1B {cluster} --format json"));
    let answer: serde_json::Value = serde_json::from_str(&simulated).expect("JSON");
    assert_eq!(answer["cost"]["p50"]["currency"], "USD", "{}", answer["cost"]);
    let quote = run(&format!("quote {cluster} --hours 9d --customer C"));
    // 176 / 8 x 216, and the store.
    assert!(quote.contains("4,752.00") && quote.contains("1 USD = 8 CNY on 2026-10-01"), "{quote}");
    assert!(quote.contains("The exchange rate of CNY is of 2026-10-01, older than 30 days"), "{quote}");
    let newer = run(&format!("quote {cluster} --hours 9d --customer C --fx CNY=4@2026-11-29"));
    assert!(newer.contains("9,504.00") && !newer.contains("older than 30 days"), "{newer}");
}

#[test]
fn books_in_other_encodings_or_too_large_are_refused_cleanly() {
    let folder = tempfile::tempdir().expect("a folder");
    let chinese_bytes = [&b"instance,region\n"[..], &[0xb4, 0xe6, 0xb4, 0xa2], b",x\n"].concat();
    std::fs::write(folder.path().join("gbk.csv"), chinese_bytes).expect("written");
    let large = std::fs::File::create(folder.path().join("large.toml")).expect("created");
    large.set_len(50 << 20).expect("50 MiB");
    let large = std::fs::File::create(folder.path().join("large.xlsx")).expect("created");
    large.set_len(50 << 20).expect("50 MiB");
    std::fs::write(folder.path().join("none.xlsx"), b"not a workbook").expect("written");
    for (file, expected) in [
        ("gbk.csv", "UTF-8"),
        ("large.toml", "larger than"),
        ("large.xlsx", "larger than"),
        ("none.xlsx", "no workbook"),
    ] {
        let output = advise_in(folder.path(), &["catalog", "import", file]);
        assert_eq!(output.status.code(), Some(3), "{file}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(expected) && output.stdout.is_empty(),
            "{file}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_request_and_its_answer_make_a_price_book() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |line: &str| advise_in(folder.path(), &words(line));
    let bodies =
        stdout(&run("catalog request --instance huawei-cloud/p2s.16xlarge.8 --region ap-southeast-3"));
    let bodies: serde_json::Value = serde_json::from_str(&bodies).expect("JSON");
    let id = bodies["ListOnDemandResourceRatings"]["product_infos"][0]["id"].as_str().expect("an id");
    let answer = format!(
        "{{\"currency\":\"USD\",\"product_rating_results\":[{{\"id\":\"{id}\",\"official_website_amount\":24.5}}]}}"
    );
    std::fs::write(folder.path().join("a.json"), answer).expect("written");
    let imported = run("catalog import a.json --kind rating-api --as-of 2026-11-28 --out b.toml");
    assert_eq!(imported.status.code(), Some(0), "{}", stderr(&imported));
    let text = std::fs::read_to_string(folder.path().join("b.toml")).expect("a book");
    assert!(text.contains("price_per_hour = \"24.5 USD/h\""), "{text}");
}

/// The second quote of the first page, with a price that makes the alternative cheap or dear.
fn job_quote(more: &str) -> std::process::Output {
    let line = "quote --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:4 --at p90 --budgetary \
                --customer Example --as-of 2026-11-30";
    advise(&words(&format!("{line} {more}")))
}

#[test]
fn alternatives_are_compared_at_the_quantile_that_is_priced() {
    let other = "--alternative aws/p3dn.24xlarge@us-east-1:4";
    let output = stdout(&job_quote(&format!("{other} --format json")));
    schema::check("quote", &output);
    let quote: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    let alternative = &quote["alternatives"][0];
    assert_eq!(alternative["at"], "p90");
    let simulated = advise(&words(
        "simulate --params 7B --tokens 10B --cluster aws/p3dn.24xlarge@us-east-1:4 --format json --as-of 2026-11-30",
    ));
    let simulated: serde_json::Value = serde_json::from_str(&stdout(&simulated)).expect("JSON");
    let near = |a: &serde_json::Value, b: &serde_json::Value| {
        (a.as_f64().expect("a") / b.as_f64().expect("b") - 1.0).abs() < 1e-4
    };
    assert!(near(&alternative["time_s"], &simulated["total_time_s"]["p90"]), "{alternative}");
    assert!(stdout(&job_quote(other)).contains("predicted P90, as the hours of this quote"));
}

#[test]
fn a_cheaper_and_faster_alternative_is_a_warning_and_no_reason_against_itself() {
    let cheap = "--alternative aws/p4d.24xlarge@us-west-2:4 --price aws/p4d.24xlarge@us-west-2=1USD/h";
    let output = job_quote(cheap);
    assert!(
        stderr(&output).contains("warning: aws/p4d.24xlarge@us-west-2:4 costs no more"),
        "{}",
        stderr(&output)
    );
    assert!(stdout(&output).contains("chosen by the"), "{}", stdout(&output));
    let own = job_quote("--alternative aws/p4d.24xlarge@us-east-1:4");
    assert_eq!(own.status.code(), Some(2));
    assert!(stderr(&own).contains("is the quoted cluster itself"), "{}", stderr(&own));
}

#[test]
fn a_print_that_lacks_glyphs_says_so_even_when_it_is_to_be_quiet() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut arguments = words(CLUSTER);
    let book = book();
    arguments.extend([
        "--hours",
        "9d",
        "--price-book",
        &book,
        "--quiet",
        "--customer",
        "\u{20bb7}野家",
        "--out",
        "q.pdf",
    ]);
    let output = advise_in(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("\u{20bb7}"), "{}", stderr(&output));
    let text = pdf_text::text(&std::fs::read(folder.path().join("q.pdf")).expect("a file"));
    assert!(text.contains("U+20BB7"), "{text}");
}
