//! What a pre-sales engineer found on a walk through quotes: every job priced, the cheapest way to buy, whole months.

use crate::program::{advise, advise_in, stderr, stdout, words};
use crate::schema;

/// Five folds of 1000 epochs of 250 steps on one GPU at 20 CNY an hour.
const FOLDS: &str = "--model nnunet-3d --epochs 1000 --steps-per-epoch 250 --global-batch 2 --folds 5 --currency CNY \
                     --price huawei-cloud/p2s.2xlarge.8@ap-southeast-3=20CNY/h --as-of 2026-11-30";

#[test]
fn every_fold_of_a_cross_validation_is_priced_wherever_a_cost_is_shown() {
    let json = |line: &str| -> serde_json::Value {
        let output = advise(&words(line));
        assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
        serde_json::from_str(&stdout(&output)).expect("JSON")
    };
    let amount = |value: &serde_json::Value| -> f64 {
        value.as_str().and_then(|text| text.parse().ok()).expect("an amount")
    };
    let cluster = "--cluster huawei-cloud/p2s.2xlarge.8@ap-southeast-3:1";
    let quote = json(&format!("quote {FOLDS} {cluster} --customer H --budgetary --format json"));
    schema::check("quote", &quote.to_string());
    let line = &quote["lines"][0];
    let hours = quote["prediction"]["total_time_s"]["p50"].as_f64().expect("a time") / 3600.0;
    assert!((amount(&line["each"]) / (5.0 * hours) - 1.0).abs() < 1e-4, "{line} {hours}");
    assert_eq!((&line["jobs"], &quote["prediction"]["jobs"]), (&5.into(), &5.into()));
    let net = amount(&line["net"]);
    assert!((net / (5.0 * hours * 20.0) - 1.0).abs() < 1e-4, "{net}");
    assert_eq!(line["net"], quote["prediction"]["compute"]["p50"]);
    let text = stdout(&advise(&words(&format!("quote {FOLDS} {cluster} --customer H --budgetary"))));
    assert!(text.contains("5 alike"), "{text}");
    let simulated = json(&format!("simulate {FOLDS} {cluster} --format json"));
    assert!((amount(&simulated["cost"]["p50"]["amount"]) / net - 1.0).abs() < 1e-3, "{}", simulated["cost"]);
    let limits = "--provider huawei-cloud --max-gpus 1 --format json";
    let found = json(&format!("recommend {FOLDS} {limits}"));
    let best = &found["candidates"][0];
    assert!((amount(&best["cost"]["p50"]["amount"]) / net - 1.0).abs() < 1e-3, "{best}");
    // A budget that one fold keeps and five do not.
    let tight = advise(&words(&format!("recommend {FOLDS} {limits} --budget {:.0}CNY", net * 0.6)));
    assert_eq!(tight.status.code(), Some(4), "{}", stdout(&tight));
    let one = FOLDS.replace("--folds 5", "--folds 1");
    let single = advise(&words(&format!("recommend {one} {limits} --budget {:.0}CNY", net * 0.6)));
    assert_eq!(single.status.code(), Some(0), "{}", stderr(&single));
    // A schedule holds all of them, too.
    let scheduled = |flags: &str| {
        let line = format!("quote {flags} {cluster} --customer H --budgetary --format json");
        let output = advise(&[&words(&line)[..], &["--schedule", "1 node 00:00-24:00"]].concat());
        let quote: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        amount(&quote["lines"][0]["net"])
    };
    let (five, one) = (scheduled(FOLDS), scheduled(&one));
    assert!((five / one - 5.0).abs() < 0.01, "{five} {one}");
}

#[test]
fn a_preset_is_a_job_for_a_quote_on_the_command_line_and_in_a_job_file() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("job.toml"), "preset = \"nnunet-3d-default\"\n").expect("a file");
    let net = |job: &str| {
        let line = format!(
            "quote {job} --cluster huawei-cloud/p2s.2xlarge.8@ap-southeast-3:1 --customer H --budgetary --format json \
             --price huawei-cloud/p2s.2xlarge.8@ap-southeast-3=20CNY/h --currency CNY --as-of 2026-11-30"
        );
        let output = advise_in(folder.path(), &words(&line));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let quote: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        quote["lines"][0].clone()
    };
    let (flag, file) = (net("--preset nnunet-3d-default"), net("--job job.toml"));
    assert_eq!((&flag["net"], &flag["jobs"]), (&file["net"], &5.into()));
}

#[test]
fn of_several_ways_to_buy_the_cheapest_for_the_predicted_hours_is_taken() {
    // Seven hours at 100 CNY an hour are 700 CNY or less than a month of 36,000 CNY, which is 49 CNY an hour of a month.
    let prices = "--price huawei-cloud/p2s.2xlarge.8@ap-southeast-3=100CNY/h --currency CNY --as-of 2026-11-30 \
                  --price huawei-cloud/p2s.2xlarge.8@ap-southeast-3=36000CNY/month --purchase on-demand,monthly";
    let cluster = "--cluster huawei-cloud/p2s.2xlarge.8@ap-southeast-3:1";
    let job = "--model nnunet-3d --epochs 500 --steps-per-epoch 250 --global-batch 2";
    let quote = stdout(&advise(&words(&format!(
        "quote {job} {cluster} {prices} --customer H --budgetary --format json"
    ))));
    let quote: serde_json::Value = serde_json::from_str(&quote).expect("JSON");
    assert_eq!(quote["lines"][0]["purchase"], "on_demand", "{}", quote["lines"]);
    let simulated = stdout(&advise(&words(&format!("simulate {job} {cluster} {prices} --format json"))));
    let simulated: serde_json::Value = serde_json::from_str(&simulated).expect("JSON");
    assert_eq!(simulated["price"]["purchase"], "on_demand", "{}", simulated["price"]);
    let stated = |hours: &str| {
        let line = format!("quote {cluster} {prices} --hours {hours} --customer H --format json");
        let quote: serde_json::Value = serde_json::from_str(&stdout(&advise(&words(&line)))).expect("JSON");
        quote["lines"][0]["purchase"].as_str().expect("a purchase option").to_owned()
    };
    // 36,000 / 100 = 360 h.
    assert_eq!((stated("360h"), stated("361h")), ("on_demand".to_owned(), "monthly".to_owned()));
}

#[test]
fn thirty_one_days_are_one_calendar_month_and_the_commitment_says_how_many_are_paid() {
    let text = |hours: &str| {
        let line = format!(
            "quote --cluster huawei-cloud/p2s.2xlarge.8@ap-southeast-3:1 --hours {hours} --customer H --as-of 2026-11-30 \
             --price huawei-cloud/p2s.2xlarge.8@ap-southeast-3=100CNY/h --currency CNY --purchase on-demand,monthly \
             --price huawei-cloud/p2s.2xlarge.8@ap-southeast-3=36000CNY/month"
        );
        let shown = stdout(&advise(&words(&line)));
        let json = stdout(&advise(&words(&format!("{line} --format json"))));
        (shown, serde_json::from_str::<serde_json::Value>(&json).expect("JSON"))
    };
    let (shown, quote) = text("31d");
    assert_eq!(quote["lines"][0]["net"], "36000.00", "{}", quote["lines"]);
    assert!(!shown.contains("2 months"), "{shown}");
    let (shown, quote) = text("45d");
    assert_eq!(quote["lines"][0]["net"], "72000.00", "{}", quote["lines"]);
    assert!(shown.contains("2 months"), "{shown}");
}

#[test]
fn a_price_without_a_region_holds_in_every_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = "[[price]]\ninstance = \"huawei-cloud/p2s.16xlarge.8\"\npurchase = \"on_demand\"\n\
                price_per_hour = \"176 CNY/h\"\nas_of = \"2026-11-28\"\nsource = \"offer\"\n";
    std::fs::write(folder.path().join("book.toml"), book).expect("a file");
    let cluster = "--cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --currency CNY --as-of 2026-11-30";
    for price in ["--price huawei-cloud/p2s.16xlarge.8=176CNY/h", "--price-book book.toml"] {
        let quote = advise_in(
            folder.path(),
            &words(&format!("quote {cluster} {price} --hours 10h --customer H --format json")),
        );
        assert_eq!(quote.status.code(), Some(0), "{}", stderr(&quote));
        assert!(stdout(&quote).contains("\"1760.00\""), "{}", stdout(&quote));
        let job = "--params 1B --tokens 1B";
        let simulated =
            stdout(&advise_in(folder.path(), &words(&format!("simulate {job} {cluster} {price}"))));
        assert!(!simulated.contains("not for sale") && simulated.contains("176.00 CNY"), "{simulated}");
        let line = format!(
            "recommend {job} {price} --currency CNY --region huawei-cloud:ap-southeast-3 --format json"
        );
        let found = stdout(&advise_in(folder.path(), &words(&line)));
        assert!(found.contains("huawei-cloud/p2s.16xlarge.8"), "{found}");
    }
    let unpriced = stdout(&advise(&words(&format!("simulate --params 1B --tokens 1B {cluster}"))));
    assert!(!unpriced.contains("generic cluster"), "{unpriced}");
}
