//! Quotas: what they allow, and how they are read.

use crate::catalog::Catalog;
use crate::cost::{Allowance, Quota, QuotaUnit, Sheet};

fn quota(text: &str) -> Result<Quota, String> {
    let catalog = Catalog::embedded().unwrap();
    Quota::parse("quota.toml", text, &catalog)
        .map_err(|f| f.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn asked(quota: &Quota, instance: &str, region: Option<&str>, nodes: u32, increased: bool) -> Allowance {
    let catalog = Catalog::embedded().unwrap();
    let (provider, name) = instance.split_once('/').unwrap();
    let id = catalog.find_instance(provider, name).unwrap();
    quota.allows(catalog.instance(id), &catalog.place(provider, region), nodes, increased)
}

const NODE: &str = "aws/p4d.24xlarge";
const TWO_THEN_EIGHT: &str = "[[quota]]\nprovider = \"aws\"\nregion = \"us-east-1\"\nfamily = \"p4d\"\nnodes = 2\n\
    expected = 8\nexpected_on = 2026-12-10\n";

#[test]
fn two_nodes_are_within_a_quota_of_two_and_four_after_the_increase_alone() {
    let quota = quota(TWO_THEN_EIGHT).unwrap();
    let here = Some("us-east-1");
    assert_eq!(asked(&quota, NODE, here, 2, false), Allowance::Within);
    let over = Allowance::Over { needed: 4, held: 2, unit: QuotaUnit::Nodes };
    assert_eq!(asked(&quota, NODE, here, 4, false), over);
    assert_eq!(asked(&quota, NODE, here, 4, true), Allowance::Within);
    assert_eq!(quota.expected_on(), Some(jiff::civil::date(2026, 12, 10)));
}

#[test]
fn what_no_line_speaks_of_is_not_checked() {
    let quota = quota(TWO_THEN_EIGHT).unwrap();
    assert_eq!(asked(&quota, NODE, Some("us-west-2"), 1, false), Allowance::Unknown);
    assert_eq!(asked(&quota, "aws/p3.16xlarge", Some("us-east-1"), 1, false), Allowance::Unknown);
    assert_eq!(asked(&quota, NODE, None, 1, false), Allowance::Unknown);
}

#[test]
fn a_line_of_gpus_counts_gpus_and_a_region_wins_over_every_region() {
    let text = format!("{TWO_THEN_EIGHT}[[quota]]\nprovider = \"aws\"\ngpu = \"a100\"\ngpus = 64\n");
    let quota = quota(&text).unwrap();
    // 9 nodes of 8 GPUs are 72.
    let over = Allowance::Over { needed: 72, held: 64, unit: QuotaUnit::Gpus };
    assert_eq!(asked(&quota, NODE, Some("us-west-2"), 9, false), over);
    assert_eq!(asked(&quota, NODE, Some("us-west-2"), 8, false), Allowance::Within);
    let here = Allowance::Over { needed: 8, held: 2, unit: QuotaUnit::Nodes };
    assert_eq!(asked(&quota, NODE, Some("us-east-1"), 8, false), here);
}

#[test]
fn all_that_is_wrong_is_said_with_its_line() {
    let text = "[[quota]]\nprovider = \"aws\"\nfamily = \"p4dd\"\nnodes = -1\n[[quota]]\nprovider = \"awz\"\ngpu = \"a100\"\n";
    let findings = quota(text).unwrap_err();
    for part in
        ["quota.toml:3", "near: p4d", "quota.toml:4", "no whole number", "quota.toml:6", "nodes or gpus"]
    {
        assert!(findings.contains(part), "{part}\n{findings}");
    }
    assert!(quota("").unwrap_err().contains("no [[quota]]"));
}

#[test]
fn a_table_says_the_same_as_a_file() {
    let csv = "provider,region,family,nodes,expected,expected_on\naws,us-east-1,p4d,2,8,2026-12-10\n";
    let catalog = Catalog::embedded().unwrap();
    let sheet = Sheet::from_csv("quota.csv", csv).unwrap();
    assert_eq!(Quota::from_sheet(&sheet, &catalog).unwrap(), quota(TWO_THEN_EIGHT).unwrap());
    let wrong = Sheet::from_csv("quota.csv", "provider,family,node\naws,p4d,2\n").unwrap();
    let findings = Quota::from_sheet(&wrong, &catalog).unwrap_err();
    assert!(findings.iter().any(|f| f.message.contains("unknown column \"node\"")), "{findings:?}");
}
