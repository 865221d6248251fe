//! The embedded catalog: complete, joined, plausible; and what bad files are told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gpu_advisor::catalog::load::parse_sources;
use gpu_advisor::catalog::{
    CapabilityKind, Catalog, CatalogError, Confidence, DatePrecision, Finding, GpuSpec, ModelSpec, NameKind,
    Precision, Purchase, Status, WarningKind,
};
use gpu_advisor::units::{Bytes, BytesPerSecond, FlopRate};

fn catalog() -> Catalog {
    Catalog::embedded().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_embedded_catalog_holds_every_collected_record() {
    let catalog = catalog();
    assert_eq!(catalog.gpus.len(), 57);
    assert_eq!(catalog.regions.len(), 63);
    // 279 collected names; two stated a region in the name and three repeated a host by its price-list name.
    assert_eq!(catalog.instances.len(), 279 - 2 - 3);
    assert_eq!(catalog.prices.len(), 505);
    assert_eq!((catalog.unresolved.instances, catalog.unresolved.prices), (64, 30));
    assert_eq!(catalog.datasets.len(), 58);
    // Shapes of transformers, networks described as layers.
    assert_eq!(catalog.models.len(), 256 + 265);
    assert_eq!(catalog.presets.len(), 6);
    assert_eq!(catalog.optimizers.len(), 9);
}

#[test]
fn quantities_arrive_in_their_units_and_links_per_direction() {
    let catalog = catalog();
    let a100 = catalog.gpu(catalog.find_gpu("a100-sxm-80gb").unwrap());
    assert_eq!(a100.peak(Precision::Bf16), Some(FlopRate::from_tera(312.0)));
    assert_eq!(a100.memory_nominal, Bytes::from_gib(80.0));
    assert!((a100.memory_bandwidth.unwrap().gb() - 2039.0).abs() < 1e-6);
    assert_eq!(a100.link_per_direction, Some(BytesPerSecond::from_gb(300.0)));
    let v100 = catalog.gpu(catalog.find_gpu("v100-pcie-32gb").unwrap());
    assert_eq!(v100.memory_usable, Bytes::from_gib(31.74));
    assert_eq!((v100.peak(Precision::Bf16), v100.link_per_direction), (None, None));
    let p4d = catalog.instance(catalog.find_instance("aws", "p4d.24xlarge").unwrap());
    assert_eq!(p4d.network.maximum, Some(BytesPerSecond::from_gb(50.0)));
}

#[test]
fn an_alias_stands_for_all_variants_and_no_export_part() {
    let catalog = catalog();
    let ids = |name| -> Vec<String> {
        catalog.expand_gpu(name).into_iter().map(|id| catalog.gpu(id).id.clone()).collect()
    };
    assert_eq!(ids("a100"), ["a100-sxm-40gb", "a100-sxm-80gb", "a100-pcie-40gb", "a100-pcie-80gb"]);
    assert_eq!(ids("v100").len(), 6);
    assert!(ids("v100").contains(&"v100s-pcie-32gb".to_owned()));
    assert_eq!(ids("a800").len(), 2);
}

/// FP32 lanes of one multiprocessor by compute capability, from NVIDIA's architecture papers.
fn fp32_lanes(compute_capability: (u8, u8)) -> f64 {
    match compute_capability {
        (6 | 8, 0) | (7, _) => 64.0,
        _ => 128.0,
    }
}

#[test]
fn fp32_peaks_follow_from_multiprocessors_lanes_and_clock() {
    // A100: 108 multiprocessors x 64 lanes x 2 x 1.41 GHz = 19.5 TFLOP/s. These rows state the clock of their tensor
    // peak (1830 MHz) beside an FP32 peak at the maximum (1980 MHz), or the FP32 peak of a slower bin.
    let other_clock = ["h100-sxm", "h200-sxm", "h800-sxm", "v100-sxm3-32gb"];
    let mut checked = 0;
    // Conflicting figures are marked by low confidence.
    for gpu in catalog().gpus.iter().filter(|g| g.vendor == "NVIDIA" && g.confidence != Confidence::Low) {
        let (Some(sm), Some(mhz), Some(cc), Some(peak)) =
            (gpu.multiprocessors, gpu.boost_mhz, gpu.compute_capability, gpu.peaks.fp32)
        else {
            continue;
        };
        let derived = f64::from(sm) * fp32_lanes(cc) * 2.0 * f64::from(mhz) * 1e6;
        let tolerance = if other_clock.contains(&gpu.id.as_str()) { 0.09 } else { 0.03 };
        let error = (peak.get() / derived - 1.0).abs();
        assert!(error < tolerance, "{}: {peak:?} against {derived:.3e}, {error:.3}", gpu.id);
        checked += 1;
    }
    assert!(checked >= 40, "only {checked} parts have the fields");
}

#[test]
fn matrix_units_are_held_back_where_peaks_and_clocks_say_so() {
    let per_clock = |g: &GpuSpec| {
        let (sm, mhz) = (f64::from(g.multiprocessors?), f64::from(g.boost_mhz?));
        Some(g.peaks.fp16_tensor?.get() / (sm * mhz * 1e6))
    };
    let catalog = catalog();
    let mut held_back = Vec::new();
    for gpu in &catalog.gpus {
        let Some((own, cc)) = per_clock(gpu).zip(gpu.compute_capability) else {
            assert_eq!(gpu.matrix_unit_share, 1.0, "{}: nothing to check it by", gpu.id);
            continue;
        };
        let siblings = catalog.gpus.iter().filter(|g| g.compute_capability == Some(cc));
        let most = siblings.filter_map(per_clock).fold(0.0, f64::max);
        // Clocks of data sheets differ by an eighth from those that peaks were stated at.
        let error = (own / most / gpu.matrix_unit_share - 1.0).abs();
        assert!(
            error < 0.14,
            "{}: {:.2} of its siblings' rate, stated {}",
            gpu.id,
            own / most,
            gpu.matrix_unit_share
        );
        if gpu.matrix_unit_share < 1.0 {
            held_back.push(gpu.id.as_str());
        }
    }
    assert_eq!(held_back.len(), 7, "{held_back:?}");
}

#[test]
fn usable_memory_is_below_nominal_by_a_tenth_at_most() {
    for gpu in &catalog().gpus {
        let share = gpu.memory_usable / gpu.memory_nominal;
        assert!((0.90..1.0).contains(&share), "{}: {share}", gpu.id);
    }
}

#[test]
fn what_a_gpu_has_agrees_with_what_its_compute_capability_allows() {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    let mut held = 0;
    for gpu in catalog.gpus.iter().filter(|g| g.vendor == "NVIDIA") {
        let Some(number) = gpu.compute_capability else { panic!("{} has none", gpu.id) };
        for capability in &catalog.capabilities {
            let has = gpu.has(capability.kind);
            assert!(!has || capability.covers(number), "{} has {}", gpu.id, capability.kind.name());
            // Slices are a choice of the product, not of the architecture.
            if capability.kind != CapabilityKind::Mig {
                assert_eq!(has, capability.covers(number), "{}: {}", gpu.id, capability.kind.name());
                held += 1;
            }
        }
    }
    assert!(held > 200, "{held}");
    let slices = |id: &str| catalog.gpu(catalog.find_gpu(id).expect("known")).mig_instances;
    assert_eq!(
        ["a100-sxm-80gb", "a30", "v100-sxm2-32gb", "l40s"].map(slices),
        [Some(7), Some(4), None, None]
    );
    // What the program falls back to is what the table says.
    for precision in Precision::ALL {
        let Some(kind) = CapabilityKind::of(precision) else { continue };
        let row = catalog.capabilities.iter().find(|c| c.kind == kind).expect("in the table");
        assert_eq!(row.instead.as_deref(), precision.instead().map(Precision::name));
    }
}

#[test]
fn parts_without_a_source_for_peaks_have_none_rather_than_zero() {
    let catalog = catalog();
    let part = catalog.gpu(catalog.find_gpu("ascend-910b").unwrap());
    assert!(part.precisions().is_empty());
    assert_eq!(part.memory_bandwidth, None);
    let incomplete: Vec<String> = catalog
        .check()
        .warnings
        .into_iter()
        .filter(|w| w.kind == WarningKind::IncompleteGpu)
        .map(|w| w.subject)
        .collect();
    assert_eq!(incomplete, ["ascend-910b"]);
}

#[test]
fn prices_of_the_same_gpu_at_one_provider_scale_with_the_count() {
    let catalog = catalog();
    let mut per_gpu: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for price in catalog.prices.iter().filter(|p| !p.superseded && p.purchase == Purchase::OnDemand) {
        let instance = catalog.instance(price.instance);
        let key = (instance.provider.clone(), instance.gpu, price.region.clone());
        let hour = price.per_hour.unwrap_or_else(|| panic!("{}: on-demand without an hour", instance.key()));
        per_gpu.entry(key).or_default().push(hour.as_f64() / f64::from(instance.gpu_count));
    }
    for ((provider, gpu, region), prices) in per_gpu {
        let least = prices.iter().copied().fold(f64::INFINITY, f64::min);
        let most = prices.iter().copied().fold(0.0, f64::max);
        // Hosts of one GPU differ in processors and memory: T4 hosts of one provider span 4 to 64 vCPUs.
        assert!(most / least < 9.0, "{provider} {} {region:?}: {least} to {most}", catalog.gpu(gpu).id);
    }
}

#[test]
fn a_region_in_a_name_became_a_regional_status() {
    let catalog = catalog();
    let p2s = catalog.instance(catalog.find_instance("huawei-cloud", "p2s.8xlarge.8").unwrap());
    assert_eq!(p2s.status, Status::Unverified);
    // The preset of somebody's tool is no word of the provider.
    assert_eq!(p2s.status_in(Some("ap-southeast-3")), Status::Unverified);
    assert!(p2s.regional.iter().any(|s| s.region == "ap-southeast-3"));
    let place = catalog.place("huawei-cloud", Some("ap-southeast-3"));
    assert_eq!(place.to_string(), "huawei-cloud:ap-southeast-3 (Singapore, SG)");
    assert_eq!(catalog.place("aws", Some("ap-southeast-3")).country(), Some("ID"));
    assert!(catalog.instances.iter().all(|i| !i.name.contains("(ap-")));
}

#[test]
fn a_price_keeps_the_precision_of_its_date() {
    let catalog = catalog();
    let p2v = catalog.find_instance("huawei-cloud", "p2v.16xlarge.8").unwrap();
    let prices: Vec<_> = catalog.prices_of(p2v).collect();
    assert_eq!(prices.len(), 2);
    assert!(prices.iter().all(|p| p.date_precision == DatePrecision::Year));
    assert_eq!(prices[0].per_hour.unwrap().to_string(), "131.5 CNY");
    assert_eq!(prices[1].per_month.unwrap().to_string(), "63118 CNY");
}

#[test]
fn the_check_report_counts_what_the_facts_mark() {
    let report = catalog().check();
    let counts = report.warning_counts();
    assert_eq!(counts[&WarningKind::SupersededPrice], 36);
    assert_eq!(counts[&WarningKind::SuspectPrice], 14);
    assert_eq!(counts[&WarningKind::UndatedPrice], 30);
    // One provider prices by a region "eu" that no table explains.
    assert_eq!(counts[&WarningKind::UnknownRegion], 4);
    assert_eq!(counts.get(&WarningKind::UnknownSource), None);
    assert_eq!(report.counts[0], ("gpus", 57));
    assert_eq!(report.content_hash.len(), 16);
}

#[test]
fn every_transformer_states_the_count_it_must_reproduce() {
    for model in &catalog().models {
        if let ModelSpec::Transformer { id, published_parameters, published_tolerance, .. } = model {
            assert!(published_parameters.is_some(), "{id}");
            assert!(*published_tolerance <= 0.125, "{id}");
        }
    }
}

const GPU: &str = r#"
[[gpu]]
id = "g1"
vendor = "V"
name = "G1"
architecture = "A"
fp16_tensor_dense = "100 TFLOP/s"
memory = "16 GiB"
memory_usable = "15 GiB"
memory_usable_basis = "derived"
memory_bandwidth = "900 GB/s"
default_node_link = "pcie3"
flash_attention = 0
confidence = "high"
source = "test"
as_of = "2026-01-01"
"#;

const INSTANCE: &str = r#"
provider = "p"
[[instance]]
name = "i1"
service = "s"
gpu = "g1"
gpu_count = 2
status = "on_sale"
confidence = "high"
source = "test"
as_of = "2026-01-01"
"#;

const PRICE: &str = r#"
provider = "p"
[[price]]
instance = "i1"
purchase = "on_demand"
price_per_hour = "4 USD/h"
quality = "catalog"
source = "test"
as_of = "2026-01-01"
"#;

fn parse(files: &[(&str, &str)]) -> Result<Catalog, Vec<Finding>> {
    let files: Vec<_> = files.iter().map(|&(p, t)| (p.to_owned(), t.to_owned())).collect();
    parse_sources(&files)
}

fn findings(files: &[(&str, &str)]) -> Vec<String> {
    parse(files).expect_err("invalid").iter().map(ToString::to_string).collect()
}

#[test]
fn a_bad_file_is_told_all_its_problems_with_lines_at_once() {
    let bad = GPU
        .replace("\"900 GB/s\"", "900")
        .replace("\"16 GiB\"", "\"16\"")
        .replace("flash_attention = 0", "flash_attention = 7")
        .replace("\"high\"", "\"sure\"")
        .replace("vendor", "vendr")
        .replace("2026-01-01", "last year");
    let found = findings(&[("gpus.toml", &bad)]);
    let starts = [
        "gpus.toml:2: gpu[0].vendor: is missing",
        "gpus.toml:4: gpu[0].vendr: is not a known key; did you mean \"vendor\"?",
        "gpus.toml:8: gpu[0].memory: \"16\" is not an amount of memory with its unit, such as \"80 GiB\"",
        "gpus.toml:11: gpu[0].memory_bandwidth: is an integer; expected",
        "gpus.toml:13: gpu[0].flash_attention: is not a generation; expected 0 (none), 2 or 3",
        "gpus.toml:14: gpu[0].confidence: unknown variant `sure`, expected one of `high`, `medium`, `low`",
        "gpus.toml:16: gpu[0].as_of: \"last year\" is not a date",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (text, start) in found.iter().zip(starts) {
        assert!(text.starts_with(start), "{text} should start with {start}");
    }
}

#[test]
fn findings_of_several_files_come_together() {
    let instance = INSTANCE.replace("gpu_count = 2", "gpu_count = 0");
    let price = PRICE.replace("4 USD/h", "4");
    let found = findings(&[("gpus.toml", "= 3"), ("instances/p.toml", &instance), ("prices/p.toml", &price)]);
    assert!(found[0].starts_with("gpus.toml:1: not valid TOML"), "{found:#?}");
    assert!(
        found.iter().any(|f| f.starts_with("instances/p.toml:7: instance[0].gpu_count: is 0")),
        "{found:#?}"
    );
    assert!(found.iter().any(|f| f.starts_with("prices/p.toml:6: price[0].price_per_hour")), "{found:#?}");
}

#[test]
fn a_name_that_joins_to_nothing_is_told_its_neighbour() {
    let instance = INSTANCE.replace("\"g1\"", "\"g11\"");
    assert_eq!(
        findings(&[("gpus.toml", GPU), ("instances/p.toml", &instance)]),
        ["instances/p.toml:6: instance[0].gpu: \"g11\" is not in gpus.toml; did you mean \"g1\"?"]
    );
    let price = PRICE.replace("\"i1\"", "\"i1x\"");
    let files = [("gpus.toml", GPU), ("instances/p.toml", INSTANCE), ("prices/p.toml", &price)];
    assert_eq!(
        findings(&files),
        ["prices/p.toml:4: price[0].instance: \"i1x\" is not an instance type of p; did you mean \"i1\"?"]
    );
}

fn price_findings(price: &str) -> Vec<String> {
    findings(&[("gpus.toml", GPU), ("instances/p.toml", INSTANCE), ("prices/p.toml", price)])
}

#[test]
fn implausible_doubled_and_inverted_prices_are_refused() {
    let cheap = price_findings(&PRICE.replace("4 USD/h", "0.01 USD/h"));
    assert!(cheap[0].contains("0.005 USD per GPU-hour"), "{cheap:?}");
    let second = PRICE.replace("provider = \"p\"\n", "");
    let twice = price_findings(&format!("{PRICE}{second}"));
    assert!(twice[0].contains("second current price of the offer in prices/p.toml line 3"), "{twice:?}");
    let spot = second.replace("on_demand", "spot");
    let inverted = price_findings(&format!("{PRICE}{spot}"));
    assert!(inverted[0].contains("spot 4 is not below on-demand 4"), "{inverted:?}");
    let none = price_findings(&PRICE.replace("on_demand", "monthly"));
    assert!(none[0].contains("price_per_month: is missing; monthly needs it"), "{none:?}");
}

#[test]
fn the_same_id_twice_in_one_catalog_is_refused() {
    let found = findings(&[("gpus.toml", &format!("{GPU}{GPU}"))]);
    assert_eq!(found, ["gpus.toml:19: gpu[1].id: \"g1\" is already defined in gpus.toml line 2; keep one"]);
}

#[test]
fn a_file_with_an_unknown_name_is_refused_with_a_hint() {
    let found = findings(&[("gpu.toml", GPU)]);
    assert!(found[0].starts_with("gpu.toml: is not a catalog file"), "{found:?}");
    assert!(found[0].ends_with("did you mean \"gpus.toml\"?"), "{found:?}");
}

#[test]
fn a_required_line_that_is_cut_out_is_named() {
    let lines: Vec<&str> = GPU.lines().filter(|l| l.contains(" = ")).collect();
    for cut in lines {
        let key = cut.split(' ').next().unwrap();
        let found = findings(&[("gpus.toml", &GPU.replace(cut, ""))]);
        let named = if key == "fp16_tensor_dense" { "peaks" } else { key };
        assert_eq!(found.len(), 1, "{key}: {found:#?}");
        assert!(found[0].starts_with(&format!("gpus.toml:2: gpu[0].{named}: ")), "{found:?}");
    }
}

#[test]
fn a_file_broken_off_anywhere_is_an_error_or_shorter_but_no_panic() {
    let text = format!("{PRICE}notes = \"p\u{e9}riode\"\nregion = 3\n");
    for end in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
        let result =
            parse(&[("gpus.toml", GPU), ("instances/p.toml", INSTANCE), ("prices/p.toml", &text[..end])]);
        if let Err(found) = result {
            assert!(found.iter().all(|f| f.file == "prices/p.toml"), "{found:#?}");
        }
    }
}

fn write(dir: &Path, name: &str, content: &[u8]) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().expect("has a parent")).expect("folder");
    std::fs::write(path, content).expect("file");
}

#[test]
fn an_overlay_replaces_one_record_and_adds_another() {
    let dir = tempfile::tempdir().expect("temporary folder");
    let changed = r#"
provider = "aws"
[[price]]
instance = "p4d.24xlarge"
region = "us-east-1"
purchase = "on_demand"
price_per_hour = "20 USD/h"
quality = "vendor-statement"
source = "negotiated"
as_of = "2026-11-20"
"#;
    write(dir.path(), "prices/aws.toml", changed.as_bytes());
    write(dir.path(), "gpus.toml", GPU.as_bytes());
    let base = catalog();
    let overlaid = Catalog::with_overlays(&[dir.path().to_owned()]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(overlaid.gpus.len(), base.gpus.len() + 1);
    // The embedded catalog holds a superseded and a current price of this offer; both give way.
    assert_eq!(overlaid.prices.len(), base.prices.len() - 1);
    let p4d = overlaid.find_instance("aws", "p4d.24xlarge").unwrap();
    let prices: Vec<String> = overlaid
        .prices_of(p4d)
        .filter(|p| p.region.as_deref() == Some("us-east-1") && p.purchase == Purchase::OnDemand)
        .map(|p| p.per_hour.unwrap().to_string())
        .collect();
    assert_eq!(prices, ["20 USD"]);
    assert_ne!(overlaid.content_hash, base.content_hash);
}

#[test]
fn a_hostile_overlay_is_an_error_and_no_panic() {
    let dir = tempfile::tempdir().expect("temporary folder");
    write(dir.path(), "gpus.toml", b"\xff\xfe[[gpu]]");
    write(dir.path(), "regions.toml", &vec![b'['; (16 << 20) + 1]);
    write(dir.path(), "datasets.toml", b"");
    write(dir.path(), "sources.toml", "[[[[".repeat(1 << 19).as_bytes());
    write(dir.path(), "modles/x.toml", b"");
    write(dir.path(), "models/x.toml", b"a = [[[[[[[[{");
    std::fs::create_dir_all(dir.path().join("prices/p.toml")).expect("folder");
    let error = Catalog::with_overlays(&[dir.path().to_owned()]).expect_err("invalid");
    let text = error.to_string();
    for part in [
        "gpus.toml:1: is not UTF-8 text",
        "regions.toml: is larger than 16 MiB",
        "sources.toml:1: not valid TOML",
        "modles: is no folder of a catalog",
        "did you mean \"models\"?",
        "models/x.toml:1: not valid TOML",
        "p.toml: is not a file",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(matches!(
        Catalog::with_overlays(&[dir.path().join("none")]),
        Err(CatalogError::Io { path, .. }) if path.ends_with("none")
    ));
    assert!(matches!(
        Catalog::with_overlays(&[dir.path().join("gpus.toml")]),
        Err(CatalogError::Io { path, .. }) if path.ends_with("gpus.toml")
    ));
}

#[test]
fn near_names_suggest_what_was_meant() {
    let catalog = catalog();
    assert_eq!(catalog.near_names(NameKind::Gpu, "a100-sxm-80g")[0], "a100-sxm-80gb");
    assert_eq!(catalog.near_names(NameKind::Model, "lama2-7b")[0], "llama2-7b");
    // A model with two near names is offered once.
    let near = catalog.near_names(NameKind::Model, "deeplabv3");
    assert!(
        near.contains(&"deeplabv3plus-r50") && near.iter().collect::<BTreeSet<_>>().len() == near.len(),
        "{near:?}"
    );
    assert_eq!(catalog.near_names(NameKind::Provider, "huawei")[0], "huawei-cloud");
    assert_eq!(catalog.near_names(NameKind::Instance, "aws/p4d.24xlrge")[0], "p4d.24xlarge");
    assert_eq!(catalog.near_names(NameKind::Region, "otc:eu-d")[0], "eu-de");
    assert!(catalog.near_names(NameKind::Gpu, "zzzz").is_empty());
}
