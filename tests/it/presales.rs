//! What a pre-sales engineer meets who states prices and numbers of their own.

use serde_json::Value;

use crate::program::{advise, fails, json, program, stderr, succeeds, words};

const JOB: &str = "--params 7B --tokens 20B --as-of 2026-11-30";

#[test]
fn a_price_far_from_every_known_one_is_remarked_on_by_every_command() {
    let far = "--price aws/p4d.24xlarge=0.5USD/h";
    for command in ["recommend --gpu a100", "simulate --cluster aws/p4d.24xlarge:2"] {
        let said = |price: &str| stderr(&advise(&words(&format!("{command} {JOB} {price}"))));
        assert!(said(far).contains("--price aws/p4d.24xlarge=0.5 USD/h is far from"), "{}", said(far));
        assert!(said(&format!("{far} --lang zh")).contains("相差过大"), "{}", said(far));
        assert!(said("--price aws/p4d.24xlarge=25USD/h").is_empty());
        assert!(said(&format!("{far} --quiet")).is_empty());
    }
    let compare = format!("compare {JOB} --cluster aws/p4d.24xlarge:2 --cluster aws/p3dn.24xlarge:2");
    assert!(stderr(&advise(&words(&format!("{compare} {far}")))).contains("is far from"));
    // What is meant for an hour, said of a month.
    let month = stderr(&advise(&words(&format!("{compare} --price aws/p4d.24xlarge=25USD/month"))));
    assert!(month.contains("is far from"), "{month}");
}

#[test]
fn a_price_per_gpu_is_questioned_by_name_on_every_page_and_in_every_answer() {
    let per_gpu = "--price aws/p4d.24xlarge@us-east-1=2.74USD/h";
    let likely = "for the node write --price aws/p4d.24xlarge@us-east-1=21.92 USD/h";
    let node = "--cluster aws/p4d.24xlarge@us-east-1:2";
    for command in [
        format!("recommend {JOB} --gpu a100"),
        format!("recommend {JOB} --gpu a100-sxm-40gb --region aws:us-east-1 --ask"),
        format!("simulate {JOB} {node}"),
        format!("simulate {JOB} {node} --cluster aws/p3dn.24xlarge@us-east-1:1"),
        format!("compare {JOB} {node} --cluster aws/p3dn.24xlarge:2"),
        format!(
            "compare --model bert-base-uncased,gpt2 --steps 100k --as-of 2026-11-30 {node} --cluster aws/p3dn.24xlarge:2"
        ),
        format!("whatif {JOB} {node} --set sequence_length=4096"),
    ] {
        let page = succeeds(&words(&format!("{command} {per_gpu} --quiet")));
        let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(likely), "{command}: {page}");
        let (_, answer) = json(&format!("{command} {per_gpu}"));
        assert!(answer.to_string().contains("price_per_gpu"), "{command}: {answer}");
    }
    let simulate = format!("simulate {JOB} {node}");
    assert!(succeeds(&words(&format!("{simulate} {per_gpu} --lang zh"))).contains("疑似单张 GPU"));
    let (_, honest) = json(&format!("{simulate} {}", per_gpu.replace("2.74", "8")));
    assert!(!honest.to_string().contains("price_per_gpu"), "{honest}");
}

#[test]
fn a_monthly_price_of_ones_own_is_named_among_the_ways_to_buy() {
    let question = format!("recommend {JOB} --gpu a100 --price aws/p4d.24xlarge@us-east-1=9000USD/month");
    let screen = succeeds(&words(&question));
    assert!(screen.contains("bought on demand*, monthly"), "{screen}");
    let (_, answer) = json(&question);
    let purchases: Vec<&str> =
        answer["limits"]["purchases"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(purchases, ["on_demand", "monthly"]);
    let (_, plain) = json(&format!("recommend {JOB} --gpu a100"));
    assert_eq!(plain["limits"]["purchases"], serde_json::json!(["on_demand"]));
}

#[test]
fn every_number_of_nodes_up_to_eight_is_considered_where_the_batch_allows() {
    let considered = |batch: &str| {
        let line =
            format!("recommend {JOB} --gpu a100-sxm-40gb --region aws:us-east-1 --max-gpus 64 {batch}");
        json(&line).1["considered"].as_u64().expect("a number")
    };
    let (all, powers, triples) =
        (considered(""), considered("--global-batch 1024"), considered("--global-batch 1536"));
    // 1 to 8; 1, 2, 4, 8; 1, 2, 3, 4, 6, 8 nodes of each offer.
    assert!(triples > powers, "{triples} {powers}");
    assert_eq!(all - powers, 2 * (triples - powers));
}

#[test]
fn a_price_of_a_day_that_has_not_come_is_not_imported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = "instance,purchase,price,currency,unit,as_of,source\n\
                aws/p4d.24xlarge,on_demand,25,USD,h,2999-01-01,offer\n";
    std::fs::write(folder.path().join("list.csv"), list).expect("the file");
    let import = |line: &str| program(folder.path()).args(words(line)).output().expect("the program starts");
    let refused = import("catalog import list.csv");
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("dated 2999-01-01, which is after"), "{}", stderr(&refused));
    assert!(refused.stdout.is_empty());
    let accepted = import("catalog import list.csv --accept-odd");
    assert_eq!(accepted.status.code(), Some(0), "{}", stderr(&accepted));
    let day = fails(2, &words("catalog import list.csv --as-of 2999-01-01"));
    assert!(day.contains("2999-01-01 has not come"), "{day}");
}

#[test]
fn amounts_durations_and_names_are_read_as_they_are_typed() {
    for line in [
        "recommend --params 7B --tokens 1B --budget 5万元 --fx CNY=7.1@2026-11-20",
        "recommend --params 7B --tokens 1B --budget 50000RMB --fx CNY=7.1@2026-11-20 --currency rmb",
        "recommend --params 7B --tokens 1B --deadline 2weeks",
        "recommend --params 7B --tokens 1B --deadline 10天",
        "recommend --params 7B --tokens 1B --precision FP16 --optimizer AdamW",
    ] {
        let output = advise(&words(&format!("{line} --as-of 2026-11-30")));
        assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
    }
    let city =
        |flag: &str| fails(2, &words(&format!("recommend --params 7B --tokens 1B --{flag} Singapore")));
    assert!(city("country").contains("near: SG\n"), "{}", city("country"));
    assert!(city("region").contains("huawei-cloud:ap-southeast-3 (Singapore, SG)"), "{}", city("region"));
}

#[test]
fn totals_are_in_the_currency_of_the_budget_unless_another_is_asked_for() {
    let line = "recommend --params 7B --tokens 20B --gpu a100 --budget 50000CNY --fx CNY=7.1@2026-11-20 --as-of 2026-11-30";
    let currency = |more: &str| {
        let (_, answer) = json(&format!("{line} {more}"));
        answer["provenance"]["currency"].as_str().expect("a currency").to_owned()
    };
    assert_eq!((currency(""), currency("--currency USD")), ("CNY".to_owned(), "USD".to_owned()));
    let screen = succeeds(&words(line));
    assert!(screen.contains("cost CNY (P90)") && screen.contains("--currency CNY"), "{screen}");
}

#[test]
fn a_quote_that_cannot_be_says_why_in_the_same_breath() {
    let line = "quote --preset nnunet-3d-default --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --customer X \
                --price huawei-cloud/p2s.16xlarge.8@ap-southeast-3=176CNY/h --currency CNY --as-of 2026-11-30";
    let said = fails(2, &words(line));
    assert!(said.contains("a global batch of 2 does not divide over 8 GPUs"), "{said}");
}

#[test]
fn a_difference_of_quotes_names_a_line_once_and_fits_the_width() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let quoted = |price: u32, name: &str| {
        let line = format!(
            "quote --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --hours 9d --currency CNY --customer X --out {name} \
             --price huawei-cloud/p2s.16xlarge.8@ap-southeast-3={price}CNY/h --as-of 2026-11-30"
        );
        let output = program(folder.path()).args(words(&line)).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    };
    quoted(176, "a.json");
    quoted(150, "b.json");
    let differences = |more: &str| {
        let line = format!("quote diff a.json b.json {more}");
        let output = program(folder.path()).args(words(&line)).output().expect("the program starts");
        String::from_utf8(output.stdout).expect("text")
    };
    let table = differences("");
    assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");
    assert_eq!(table.matches("p2s.16xlarge.8").count(), 1, "{table}");
    let rows = differences("--format csv");
    assert!(rows.matches("p2s.16xlarge.8").count() > 3, "machines read every row alone: {rows}");
}

#[test]
fn a_cheaper_offer_of_unknown_network_is_below_the_ranked_with_its_reason() {
    let question = "recommend --params 7B --tokens 100B --gpu a100 --as-of 2026-11-30";
    let (_, answer) = json(question);
    let candidates = answer["candidates"].as_array().unwrap();
    let cost = |c: &Value| -> f64 { c["cost"]["p50"]["amount"].as_str().unwrap().parse().unwrap() };
    let unknown = candidates.iter().find(|c| {
        c["block"] == "A"
            && c["network"]["known"] == false
            && c["nodes"].as_u64() > Some(1)
            && cost(c) < cost(&candidates[0])
    });
    let name = unknown.expect("a cheaper one of unknown network")["cluster"].as_str().unwrap();
    for (language, mark) in [("en", "net?"), ("zh", "网络?")] {
        for details in ["", "--details"] {
            let page = succeeds(&words(&format!("{question} --lang {language} {details}")));
            let row =
                page.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {page}"));
            let at = page.find(row).unwrap();
            assert!(page[at..].lines().take(2).any(|line| line.contains(mark)), "{page}");
            assert!(
                page.find(candidates[0]["cluster"].as_str().unwrap().split('@').next().unwrap()) < Some(at)
            );
        }
    }
}

#[test]
fn a_price_that_wins_is_said_only_where_a_price_can_win() {
    let page = |more: &str| {
        succeeds(&words(&format!("recommend --params 7B --tokens 100B --as-of 2026-11-30 {more}")))
    };
    assert!(page("--gpu a100").contains("wins below"));
    // Time alone ranks: no price makes an offer faster.
    let fastest = page("--gpu a100 --objective time");
    assert!(!fastest.contains("wins below") && fastest.contains("not known to be on sale"), "{fastest}");
    let (_, answer) =
        json("recommend --params 7B --tokens 100B --gpu a100 --objective time --as-of 2026-11-30");
    let even: Vec<&Value> = answer["candidates"].as_array().unwrap().iter().collect();
    assert!(even.iter().all(|c| c["break_even_price_per_node_hour"].is_null()));
    // Nothing of this provider has a price: below that of the best elsewhere it costs less, and wins nothing.
    let alone = page("--provider huawei-cloud");
    assert!(
        alone.contains("even at") && alone.contains("break-even against") && !alone.contains("wins below"),
        "{alone}"
    );
}

#[test]
fn at_one_price_every_command_names_the_region_that_was_checked_last_and_then_the_first_by_its_id() {
    // us-east-2 and us-west-2 are listed at the same cent as us-east-1.
    let (_, answer) = json(&format!("recommend {JOB} --gpu a100-sxm-40gb --provider aws"));
    let first = &answer["candidates"][0];
    let nodes = first["nodes"].as_u64().unwrap();
    let (_, alone) = json(&format!("simulate {JOB} --cluster aws/p4d.24xlarge:{nodes}"));
    assert_eq!(first["place"], alone["cluster"]["place"], "{first}");
    let (_, compared) = json(&format!(
        "compare {JOB} --cluster aws/p4d.24xlarge:{nodes} --cluster aws/p3dn.24xlarge:{nodes}"
    ));
    assert_eq!(first["place"], compared["clusters"][0]["cluster"]["place"]);
}

#[test]
fn an_hourly_price_is_said_to_be_no_subscription() {
    let price = "--purchase monthly --price aws/p4d.24xlarge@us-east-1=20USD/h";
    let simulate = format!("simulate {JOB} --cluster aws/p4d.24xlarge@us-east-1:2 {price}");
    let page = succeeds(&words(&simulate)).split_whitespace().collect::<Vec<_>>().join(" ");
    // 730 hours at 20 USD.
    assert!(page.contains("--price aws/p4d.24xlarge@us-east-1=14600 USD/month"), "{page}");
    assert!(json(&simulate).1["warnings"].as_array().unwrap().contains(&Value::from("price_not_monthly")));
    let both = simulate.replace("--purchase monthly", "--purchase monthly,on-demand");
    assert!(!json(&both).1.to_string().contains("price_not_monthly"));
}
