//! `catalog import` as a reseller runs it: every kind of file from disk to a price book that other commands use.

use std::path::Path;

use crate::program::{advise_in, stderr, stdout, words};

fn written(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("written");
}

/// Runs a line, expects an exit code, and gives what was printed and what was said.
fn run(folder: &Path, line: &str, code: i32) -> (String, String) {
    let output = advise_in(folder, &words(line));
    assert_eq!(output.status.code(), Some(code), "{line}\n{}{}", stdout(&output), stderr(&output));
    (stdout(&output), stderr(&output))
}

const HEADER: &str = "规格,区域,计费模式,单价,币种,计价单位,日期,来源,卡数,显存";

#[test]
fn a_chinese_price_list_becomes_a_book_that_simulate_prices_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "huawei-cloud/p2s.2xlarge.8,ap-southeast-3,on_demand,20.5,CNY,h,2026-11-28,目录价,1,32 GB\n\
                huawei-cloud/p2s.16xlarge.8,ap-southeast-3,on_demand,164,CNY,h,2026-11-28,目录价,8,32 GB\n\
                huawei-cloud/p2s.16xlarge.8,ap-southeast-3,monthly,78720,CNY,month,2026-11-28,目录价,8,32 GB\n";
    written(folder.path(), "list.csv", &format!("{HEADER}\n{rows}"));
    let (_, said) = run(folder.path(), "catalog import list.csv --out book.toml", 0);
    assert!(said.contains("3 prices written"), "{said}");
    let line = "simulate --params 1B --tokens 1B --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --currency CNY \
                --as-of 2026-11-30 --price-book book.toml --format json";
    let (answer, _) = run(folder.path(), line, 0);
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["price"]["per_node_hour"]["amount"], "164", "{}", answer["price"]);
}

#[test]
fn odd_rows_are_listed_with_their_lines_and_nothing_is_written_unless_they_are_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    // A price per GPU in line 3, memory that was converted in line 4.
    let rows = "huawei-cloud/p2s.2xlarge.8,ap-southeast-3,on_demand,20.5,CNY,h,2026-11-28,x,1,32 GB\n\
                huawei-cloud/p2s.16xlarge.8,ap-southeast-3,on_demand,20.5,CNY,h,2026-11-28,x,1,32 GB\n\
                huawei-cloud/p2v.16xlarge.8,cn-north-4,on_demand,131.5,CNY,h,2026-11-28,x,8,14.9 GiB\n";
    written(folder.path(), "list.csv", &format!("{HEADER}\n{rows}"));
    let (printed, said) = run(folder.path(), "catalog import list.csv --out book.toml", 3);
    assert!(printed.is_empty() && !folder.path().join("book.toml").exists());
    for expected in ["list.csv:3", "is it a price per GPU?", "list.csv:4", "GB and GiB are mixed up"] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
    let (_, said) = run(folder.path(), "catalog import list.csv --out book.toml --accept-odd", 0);
    assert!(said.contains("odd: ") && folder.path().join("book.toml").exists(), "{said}");
    // A list that is used without an import is judged alike.
    let line = "simulate --params 1B --tokens 1B --cluster huawei-cloud/p2v.16xlarge.8@cn-north-4:1 --currency CNY \
                --as-of 2026-11-30 --price-book list.csv";
    let (_, said) = run(folder.path(), line, 0);
    assert!(said.contains("GB and GiB are mixed up"), "{said}");
}

#[test]
fn a_multi_cloud_table_is_imported_and_compared_with_the_catalog() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo,AvailabilityZone";
    let row = |memory: &str, gpu: u32| {
        format!(
            "{header}\np4d.24xlarge,A100,8.0,96,{memory},21.96,7.5,us-east-1,\"{{'TotalGpuMemoryInMiB': {gpu}}}\",us-east-1a\n\
             m5.large,,,2,8,0.1,,us-east-1,,us-east-1a\n"
        )
    };
    written(folder.path(), "aws.csv", &row("1152.0", 327_680));
    let line = "catalog import aws.csv --kind catalog-csv --provider aws --as-of 2026-11-28";
    let (book, said) = run(folder.path(), line, 0);
    assert!(book.contains("21.96 USD/h") && book.contains("7.5 USD/h"), "{book}");
    assert!(said.contains("2 prices; rows left out: 1 of instance types"), "{said}");
    written(folder.path(), "aws.csv", &row("1237.0", 305_176));
    let (_, said) = run(folder.path(), line, 3);
    assert_eq!(said.matches("GB and GiB are mixed up").count(), 2, "{said}");
    assert!(said.contains("aws.csv:2"), "{said}");
}

#[test]
fn a_flavor_list_says_what_is_sold_where_and_its_mistakes_have_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = |ram: u32| {
        format!(
            "{{\"flavors\": [\n{{\"name\": \"p2s.16xlarge.8\", \"vcpus\": \"64\", \"ram\": {ram}, \"os_extra_specs\": {{\"quota:gpu\": \"8\",\
             \n\"cond:operation:az\": \"ap-southeast-3a(normal), ap-southeast-3b(sellout)\", \"cond:operation:charge\": \"demand,period\"}}}},\
             \n{{\"name\": \"s6.large.2\", \"os_extra_specs\": {{\"ecs:performancetype\": \"normal\"}}}}]}}"
        )
    };
    written(folder.path(), "f.json", &list(524_288));
    let line = "catalog import f.json --kind flavors --provider huawei-cloud";
    let (table, _) = run(folder.path(), line, 0);
    assert!(table.contains("p2s.16xlarge.8,yes,ap-southeast-3b,sellout,demand period"), "{table}");
    written(folder.path(), "f.json", &list(488_281));
    let (_, said) = run(folder.path(), line, 3);
    assert!(said.contains("f.json:2") && said.contains("GB and GiB"), "{said}");
    written(folder.path(), "f.json", &list(524_288).replace("\"64\"", "\"32\""));
    let (_, said) = run(folder.path(), line, 3);
    assert!(said.contains("f.json:2") && said.contains("64 in the catalog"), "{said}");
}

#[test]
fn the_answer_to_a_monthly_request_breaks_even_with_the_hourly_one_at_480_hours() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bodies, _) =
        run(folder.path(), "catalog request --instance huawei-cloud/p2v.16xlarge.8 --region cn-north-4", 0);
    let bodies: serde_json::Value = serde_json::from_str(&bodies).expect("JSON");
    let id = |body: &str| bodies[body]["product_infos"][0]["id"].as_str().expect("an id").to_owned();
    let rated =
        |id: &str, amount: &str| format!("{{\"id\": \"{id}\", \"official_website_amount\": {amount}}}");
    let hourly = rated(&id("ListOnDemandResourceRatings"), "131.50");
    let monthly = rated(&id("ListRateOnPeriodDetail"), "63118");
    written(
        folder.path(),
        "both.json",
        &format!(
            "{{\"currency\": \"CNY\",\n\"product_rating_results\": [{hourly}],\n\"official_website_rating_result\": \
             {{\"product_rating_results\": [{monthly}]}}}}"
        ),
    );
    run(folder.path(), "catalog import both.json --kind rating-api --as-of 2026-11-28 --out book.toml", 0);
    let quote = |hours: &str| {
        let line = format!(
            "quote --cluster huawei-cloud/p2v.16xlarge.8@cn-north-4:1 --hours {hours} --price-book book.toml --currency CNY \
             --as-of 2026-11-30 --customer C --format json"
        );
        let answer: serde_json::Value = serde_json::from_str(&run(folder.path(), &line, 0).0).expect("JSON");
        answer["ways_to_buy"].as_array().expect("ways").clone()
    };
    // 63,118 / 131.50 = 479.98...
    let at = |ways: &[serde_json::Value]| ways[0]["purchase"].as_str().expect("a way").to_owned();
    assert_eq!(at(&quote("479h")), "on_demand");
    assert_eq!(at(&quote("480h")), "monthly");
    let even =
        quote("216h").iter().find_map(|w| w["break_even_hours"].as_str().map(str::to_owned)).expect("hours");
    assert!((even.parse::<f64>().expect("a number") - 480.0).abs() < 0.05, "{even}");
}

#[test]
fn a_flavor_of_which_nothing_is_known_is_a_finding_and_no_silent_omission() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = "{\"flavors\": [\n{\"name\": \"p2s.16xlarge.8\", \"vcpus\": \"64\"},\n{\"name\": \"px9.4xlarge.8\"}]}";
    written(folder.path(), "f.json", list);
    let (_, said) = run(folder.path(), "catalog import f.json --kind flavors --provider huawei-cloud", 3);
    assert!(said.contains("f.json:3") && said.contains("px9.4xlarge.8"), "{said}");
}

#[test]
fn a_request_is_written_for_the_service_that_its_api_prices_and_for_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, said) = run(folder.path(), "catalog request --instance aws/p4d.24xlarge --region us-east-1", 2);
    assert!(said.contains("known for no service"), "{said}");
}

#[test]
fn amounts_in_an_unknown_measure_are_a_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    let answer = |measure: &str| {
        format!(
            "{{\"currency\": \"CNY\", \"measure_id\": 1, \"product_rating_results\": [\n{{\"id\": \
             \"huawei-cloud/p2v.16xlarge.8|cn-north-4|on_demand\", \"official_website_amount\": 131.5, \
             \"measure_id\": {measure}}}]}}"
        )
    };
    let line = "catalog import a.json --kind rating-api --as-of 2026-11-28";
    written(folder.path(), "a.json", &answer("1"));
    assert!(run(folder.path(), line, 0).0.contains("131.5 CNY/h"));
    written(folder.path(), "a.json", &answer("3"));
    let (_, said) = run(folder.path(), line, 3);
    assert!(said.contains("a.json:2") && said.contains("measure_id is 3"), "{said}");
}

#[test]
fn an_import_overwrites_no_book_and_brings_the_prices_of_one_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let answer = "{\"currency\": \"CNY\", \"product_rating_results\": [{\"id\": \
                  \"huawei-cloud/p2v.16xlarge.8|cn-north-4|on_demand\", \"official_website_amount\": 140}]}";
    written(folder.path(), "a.json", answer);
    let price = |name: &str, amount: &str| {
        format!(
            "[[price]]\ninstance = \"huawei-cloud/{name}\"\nregion = \"cn-north-4\"\npurchase = \"on_demand\"\n\
             price_per_hour = \"{amount} CNY/h\"\nas_of = \"2026-11-01\"\nsource = \"list\"\n"
        )
    };
    let book = format!(
        "# my book\n[quote]\nseller = \"S\" # us\n\n{}\n{}\n[[rule]] # friends\napplies_to = \"customer\"\n\
         discount = \"5 %\"\n",
        price("p2v.16xlarge.8", "131.5"),
        price("p2s.16xlarge.8", "150")
    );
    written(folder.path(), "book.toml", &book);
    let import = "catalog import a.json --kind rating-api --as-of 2026-11-28";
    let (_, said) = run(folder.path(), &format!("{import} --out book.toml"), 2);
    assert!(said.contains("--into") && said.contains("--force"), "{said}");
    let read = || std::fs::read_to_string(folder.path().join("book.toml")).expect("a book");
    assert_eq!(read(), book);
    let (_, said) = run(folder.path(), &format!("{import} --into book.toml"), 0);
    assert!(said.contains("1 prices replaced, 0 added, 1 kept"), "{said}");
    let text = read();
    for kept in ["# my book", "seller = \"S\" # us", "[[rule]] # friends", "150 CNY/h", "140 CNY/h"] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
    assert!(!text.contains("131.5"), "{text}");
    // What is agreed for a later day stays beside the newer price; prices in one list are not touched.
    let later = price("p2v.16xlarge.8", "99.5") + "valid_from = \"2027-01-01\"\n";
    written(folder.path(), "book.toml", &(later + &price("p2v.16xlarge.8", "131.5")));
    let (_, said) = run(folder.path(), &format!("{import} --into book.toml"), 0);
    assert!(said.contains("1 prices replaced, 0 added, 1 kept") && read().contains("99.5"), "{said}");
    written(
        folder.path(),
        "book.toml",
        "price = [{ instance = \"huawei-cloud/p2s.16xlarge.8\", region = \"cn-north-4\", purchase = \"on_demand\", price_per_hour = \"150 CNY/h\", as_of = \"2026-11-01\", source = \"list\" }]\n",
    );
    let (_, said) = run(folder.path(), &format!("{import} --into book.toml"), 3);
    assert!(said.contains("[[price]]") && read().contains("150"), "{said}");
    run(folder.path(), &format!("{import} --out book.toml --force"), 0);
    assert!(!read().contains("friends"));
}
