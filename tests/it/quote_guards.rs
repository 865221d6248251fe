//! What keeps a quote an estimate, ends it early, or refuses it.

use std::path::Path;

use crate::program::{advise, advise_in, stderr, stdout, words};
use crate::schema;

const CLUSTER: &str = "quote --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --currency CNY --as-of 2026-11-30 --customer H";

fn book(folder: &Path, text: &str) {
    std::fs::write(folder.join("book.toml"), text).expect("a file");
}

/// A firm price with more keys, and what follows it.
fn priced(more: &str) -> String {
    format!(
        "[[price]]\ninstance = \"huawei-cloud/p2s.16xlarge.8\"\nregion = \"ap-southeast-3\"\npurchase = \"on_demand\"\n\
         price_per_hour = \"200 CNY/h\"\nsource = \"offer\"\nfirm = true\n{more}\n"
    )
}

/// The quote of ten hours from the book, as JSON, with what was said.
fn quoted(folder: &Path, more: &str) -> (serde_json::Value, String) {
    let line = format!("{CLUSTER} --hours 10h --price-book book.toml --format json {more}");
    let output = advise_in(folder, &words(&line));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    schema::check("quote", &stdout(&output));
    (serde_json::from_str(&stdout(&output)).expect("JSON"), stderr(&output))
}

fn reasons(quote: &serde_json::Value) -> Vec<String> {
    let reasons = quote["budgetary_reasons"].as_array().expect("reasons");
    reasons.iter().map(|r| r["reason"].as_str().expect("a reason").to_owned()).collect()
}

#[test]
fn a_quote_ends_with_the_first_of_its_prices_and_is_not_printed_after_it() {
    let folder = tempfile::tempdir().expect("a folder");
    book(folder.path(), &priced("as_of = \"2026-11-28\"\nvalid_until = \"2026-12-05\""));
    let (quote, _) = quoted(folder.path(), "");
    assert_eq!((&quote["valid_until"], reasons(&quote).len()), (&"2026-12-05".into(), 0), "{quote}");
    std::fs::write(folder.path().join("q.json"), quote.to_string()).expect("a file");
    let print = |more: &str| advise_in(folder.path(), &words(&format!("quote print q.json --as-of {more}")));
    let valid = print("2026-12-05");
    assert_eq!(valid.status.code(), Some(0), "{}", stderr(&valid));
    assert!(stdout(&valid).contains("no longer than the price of p2s.16xlarge.8"), "{}", stdout(&valid));
    assert_eq!(print("2026-12-06").status.code(), Some(2));
    let renewed = print("2026-12-06 --renew");
    assert_eq!(renewed.status.code(), Some(2));
    assert!(stderr(&renewed).contains("held until 2026-12-05"), "{}", stderr(&renewed));
    // A rule that ends first ends the quote, too.
    let rule = "[[rule]]\napplies_to = \"customer\"\ndiscount = \"5 %\"\nvalid_until = \"2026-12-02\"\n";
    book(folder.path(), &(priced("as_of = \"2026-11-28\"") + rule));
    assert_eq!(quoted(folder.path(), "").0["valid_until"], "2026-12-02");
}

#[test]
fn a_price_of_tomorrow_is_not_firm_and_stock_is_not_checked_tomorrow() {
    let folder = tempfile::tempdir().expect("a folder");
    book(folder.path(), &priced("as_of = \"2026-12-24\""));
    let (quote, _) = quoted(folder.path(), "");
    assert_eq!((reasons(&quote), &quote["budgetary"]), (vec!["future_price".to_owned()], &true.into()));
    let late = advise_in(
        folder.path(),
        &words(&format!("{CLUSTER} --hours 1h --price-book book.toml --stock-checked 2026-12-01")),
    );
    assert_eq!(late.status.code(), Some(2));
    assert!(stderr(&late).contains("--stock-checked"), "{}", stderr(&late));
}

#[test]
fn a_rule_for_a_provider_leaves_items_alone_that_name_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let item = |code: &str, more: &str| {
        format!(
            "[[item]]\ncode = \"{code}\"\nkind = \"one_off\"\nprice = \"100 CNY/each\"\nquantity = \"1\"\n\
             as_of = \"2026-11-28\"\nsource = \"own\"\nfirm = true\n{more}\n"
        )
    };
    let rule = "[[rule]]\napplies_to = \"customer\"\nprovider = \"huawei-cloud\"\ndiscount = \"10 %\"\n";
    let items = item("own", "") + &item("theirs", "provider = \"huawei-cloud\"");
    book(folder.path(), &(priced("as_of = \"2026-11-28\"") + &items + rule));
    let (quote, _) = quoted(folder.path(), "");
    let nets: Vec<&str> = [0, 1, 2].map(|i| quote["lines"][i]["net"].as_str().expect("an amount")).to_vec();
    assert_eq!(nets, ["1800.00", "100.00", "90.00"]);
}

#[test]
fn a_loss_a_gift_and_a_slip_of_the_pen_are_estimates_and_the_customer_is_told_no_margin() {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = |side: &str, effect: &str| format!("[[rule]]\napplies_to = \"{side}\"\n{effect}\n");
    let price = priced("as_of = \"2026-11-28\"");
    book(folder.path(), &(price.clone() + &rule("customer", "discount = \"30 %\"")));
    let (loss, said) = quoted(folder.path(), "");
    assert_eq!(reasons(&loss), ["unconfirmed"]);
    assert!(said.contains("600.00 CNY below cost"), "{said}");
    let customer = loss.to_string();
    assert!(!customer.contains("cost") && !customer.contains("margin"), "{customer}");
    let internal = format!("{CLUSTER} --hours 10h --price-book book.toml --internal");
    assert!(stdout(&advise_in(folder.path(), &words(&internal))).contains("The total is below cost."));
    book(
        folder.path(),
        &(price + &rule("customer", "discount = \"100 %\"") + &rule("cost", "discount = \"100 %\"")),
    );
    assert!(reasons(&quoted(folder.path(), "").0).contains(&"zero_total".to_owned()));
    // 1,000,000 CNY an hour for eight GPUs.
    let slip = format!("{CLUSTER} --hours 10h --fx CNY=7.1@2026-11-28 --format json");
    let price = "--price huawei-cloud/p2s.16xlarge.8@ap-southeast-3";
    for (amount, doubtful) in [("1000000", true), ("0.5", true), ("22", true), ("200", false)] {
        let output = advise(&words(&format!("{slip} {price}={amount}CNY/h")));
        let quote: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(reasons(&quote).contains(&"implausible_price".to_owned()), doubtful, "{amount} {quote}");
    }
}

#[test]
fn hours_that_do_not_suffice_for_the_job_beside_them_are_no_firm_quote() {
    let price = "--price huawei-cloud/p2s.16xlarge.8@ap-southeast-3=200CNY/h --budgetary --format json";
    let run = |job: &str| advise(&words(&format!("{CLUSTER} --hours 9d {price} {job}")));
    let short = run("--params 7B --tokens 100B");
    assert_eq!(short.status.code(), Some(0), "{}", stderr(&short));
    assert!(stdout(&short).contains("hours_too_few"), "{}", stdout(&short));
    assert!(stderr(&short).contains("the stated hours are"), "{}", stderr(&short));
    let enough = run("--params 1B --tokens 100M");
    assert!(!stdout(&enough).contains("hours_too_few"), "{}", stdout(&enough));
}

#[test]
fn a_price_that_nothing_can_be_compared_with_is_said_to_be_unchecked() {
    let said = |more: &str| {
        let price = "--price huawei-cloud/p2s.16xlarge.8@ap-southeast-3=37SGD/h --currency SGD";
        let output =
            advise(&words(&format!("{} --hours 10h {price} {more}", CLUSTER.replace("--currency CNY", ""))));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(said("").contains("is unchecked"), "{}", said(""));
    assert!(!said("--fx SGD=1.29@2026-11-28").contains("unchecked"));
}

#[test]
fn what_was_dropped_without_a_word_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let item = "[[item]]\ncode = \"x\"\nkind = \"one_off\"\nprice = \"100 CNY/each\"\nas_of = \"2026-11-28\"\nsource = \"own\"\n";
    book(folder.path(), &(priced("as_of = \"2026-11-28\"") + item));
    let refused = |more: &str, word: &str| {
        let line = format!("{CLUSTER} --hours 10h --price-book book.toml {more}");
        let output = advise_in(folder.path(), &words(&line));
        assert_eq!(output.status.code(), Some(2), "{more}");
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    };
    refused("--item x=1 --item x=2", "given twice");
    refused("--alternative aws/p4d.24xlarge@us-east-1:1", "--alternative");
}

#[test]
fn a_quota_looked_up_long_ago_and_an_increase_that_is_overdue_are_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let quota = "as_of = \"2026-09-01\"\n[[quota]]\nprovider = \"aws\"\ngpu = \"a100\"\ngpus = 8\nexpected = 64\n\
                 expected_on = \"2026-11-01\"\n";
    std::fs::write(folder.path().join("quota.toml"), quota).expect("a file");
    let line =
        "recommend --params 1B --tokens 1B --gpu a100 --provider aws --quota quota.toml --as-of 2026-11-30";
    let said = stderr(&advise_in(folder.path(), &words(line)));
    assert!(said.contains("looked up on 2026-09-01") && said.contains("expected on 2026-11-01"), "{said}");
}
