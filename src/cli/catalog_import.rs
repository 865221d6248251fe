//! `catalog import` and `catalog request`: prices of others in, questions for them out.

use std::fmt::Write as _;
use std::path::Path;

use jiff::civil::Date;

use super::args::{ImportArgs, ImportKind, RequestArgs};
use super::error::CliError;
use super::exit::ExitStatus;
use super::job_file::read_text;
use super::output::{check_target, complain, print, write_file};
use super::price_file;
use super::session::{open_billing, open_catalog, parse_date, today};
use crate::catalog::Catalog;
use crate::cost::import::{catalog_csv, flavors, rating};
use crate::cost::{InstanceAt, PriceBook, PriceLint};
use crate::units::{FxRate, FxTable};

/// Answers `catalog import`.
///
/// # Errors
/// Wrong input, findings in the file, or a book that cannot be written.
pub fn run(args: &ImportArgs) -> Result<ExitStatus, CliError> {
    let mut usage = Vec::new();
    let as_of = match args.as_of.as_deref().map(parse_date) {
        Some(Ok(day)) => {
            if day > today() {
                usage.push(format!("--as-of: {day} has not come; a list that holds later has valid_from"));
            }
            day
        }
        Some(Err(error)) => {
            usage.push(format!("--as-of: {error}"));
            today()
        }
        None => today(),
    };
    let mut rates = Vec::new();
    for text in &args.fx {
        match FxRate::parse(text) {
            Ok(rate) => rates.push(rate),
            Err(error) => usage.push(format!("--fx: {error}")),
        }
    }
    if let Some(out) = &args.out
        && let Err(CliError::Usage(messages)) = check_target("--out", out)
    {
        usage.extend(messages);
    }
    if let Some(out) = args.out.as_deref().filter(|out| out.exists() && !args.force) {
        let shown = out.display();
        let advice = "--into brings its prices up to date and keeps the rest, --force overwrites it";
        usage.push(format!("--out: {shown} exists; {advice}"));
    }
    if args.into.is_some() && args.kind == ImportKind::Flavors {
        usage.push("--into: a flavor list holds no prices".to_owned());
    }
    let needs_provider = matches!(args.kind, ImportKind::Flavors | ImportKind::CatalogCsv);
    if needs_provider && args.provider.is_none() {
        usage.push("--provider: this kind of file does not say whose it is".to_owned());
    }
    if !usage.is_empty() {
        return Err(CliError::Usage(usage));
    }
    let catalog = open_catalog(&args.common)?;
    if args.kind == ImportKind::Flavors {
        return list_flavors(args, &catalog);
    }
    let book = read(args, as_of, &catalog)?;
    let file = args.file.display().to_string();
    judge(&book.lint(&catalog, &FxTable::new(&rates), today()), args)?;
    if let Some(into) = &args.into {
        return refresh(into, &book, &catalog, args.common.quiet);
    }
    let text = format!(
        "# Imported from {} on {as_of}: {} prices\n\n{}",
        short(&file),
        book.prices.len(),
        book.to_toml(&catalog)
    );
    match &args.out {
        Some(out) => {
            write_file(out, text.as_bytes())?;
            if !args.common.quiet {
                complain(&format!("{} prices written to {}\n", book.prices.len(), out.display()));
            }
        }
        None => print(&text)?,
    }
    Ok(ExitStatus::Success)
}

/// Replaces the prices of a book that the imported ones bring up to date, and keeps everything else as it is written.
fn refresh(
    into: &Path,
    imported: &PriceBook,
    catalog: &Catalog,
    quiet: bool,
) -> Result<ExitStatus, CliError> {
    let file = into.display().to_string();
    check_target("--into", into)?;
    let refreshed = imported.refresh(&file, &read_text(into)?, catalog).map_err(CliError::invalid)?;
    write_file(into, refreshed.text.as_bytes())?;
    if !quiet {
        complain(&format!(
            "{} prices replaced, {} added, {} kept in {file}\n",
            refreshed.replaced, refreshed.added, refreshed.kept
        ));
    }
    Ok(ExitStatus::Success)
}

/// What is odd: a refusal, unless it is accepted.
fn judge(odd: &[PriceLint], args: &ImportArgs) -> Result<(), CliError> {
    let file = args.file.display().to_string();
    let findings: Vec<_> = odd.iter().map(|lint| lint.finding(&file)).collect();
    if !findings.is_empty() && !args.accept_odd {
        complain("note: nothing is imported; --accept-odd imports in spite of what is odd\n");
        return Err(CliError::invalid(findings));
    }
    for finding in &findings {
        complain(&format!("odd: {finding}\n"));
    }
    Ok(())
}

/// The name of a file without its folders, on one line.
fn short(file: &str) -> String {
    file.rsplit(['/', '\\']).next().unwrap_or(file).replace(['\n', '\r'], " ")
}

fn read(args: &ImportArgs, as_of: Date, catalog: &Catalog) -> Result<PriceBook, CliError> {
    let file = args.file.display().to_string();
    match (args.kind, &args.provider) {
        (ImportKind::RatingApi, _) => {
            rating::read(&file, &read_text(&args.file)?, as_of, catalog).map_err(CliError::invalid)
        }
        (ImportKind::CatalogCsv, Some(provider)) => {
            let text = read_text(&args.file)?;
            let imported =
                catalog_csv::read(&file, &text, provider, as_of, catalog).map_err(CliError::invalid)?;
            if !args.common.quiet {
                complain(&format!(
                    "{} prices; rows left out: {} of instance types and {} of regions that the catalog does not hold, {} without a price\n",
                    imported.book.prices.len(),
                    imported.unknown_instances,
                    imported.unknown_regions,
                    imported.unpriced
                ));
            }
            Ok(imported.book)
        }
        _ => price_file::read(&args.file, catalog),
    }
}

fn list_flavors(args: &ImportArgs, catalog: &Catalog) -> Result<ExitStatus, CliError> {
    let file = args.file.display().to_string();
    let provider = args.provider.as_deref().unwrap_or_default();
    let list = flavors::read(&file, &read_text(&args.file)?, provider, catalog).map_err(CliError::invalid)?;
    judge(&list.odd, args)?;
    let mut out = String::from("flavor,in_catalog,zone,status,charges\n");
    for sale in &list.sales {
        let known = if sale.instance.is_some() { "yes" } else { "no" };
        let charges = sale.charges.join(" ");
        let zones = sale.zones.iter().map(|(zone, status)| {
            let zone = if zone.is_empty() { "all" } else { zone };
            format!("{},{known},{zone},{status},{charges}\n", sale.name)
        });
        let before = out.len();
        out.extend(zones);
        if out.len() == before {
            let _ = writeln!(out, "{},{known},,,{charges}", sale.name);
        }
    }
    match &args.out {
        Some(path) => write_file(path, out.as_bytes())?,
        None => print(&out)?,
    }
    Ok(ExitStatus::Success)
}

/// Answers `catalog request`.
///
/// # Errors
/// Unknown names, or a stream that fails.
pub fn request(args: &RequestArgs) -> Result<ExitStatus, CliError> {
    let catalog = open_catalog(&args.common)?;
    let mut wrong = Vec::new();
    let mut instances = Vec::new();
    for text in &args.instances {
        match InstanceAt::parse(&format!("{text}@{}", args.region), &catalog) {
            Ok(at) => instances.push(at.instance),
            Err(error) => wrong.push(format!("--instance: {error}")),
        }
    }
    let billing = open_billing(&args.common, &catalog)?;
    for &id in &instances {
        let instance = catalog.instance(id);
        let services = billing.rule(&instance.provider).rated_services;
        if !services.contains(&instance.service) {
            let known = if services.is_empty() { "no service".to_owned() } else { services.join(", ") };
            wrong.push(format!(
                "--instance: {} is of {}; the rating API of {} is known for {known}",
                instance.key(),
                instance.service,
                instance.provider
            ));
        }
    }
    if !wrong.is_empty() {
        return Err(CliError::Usage(wrong));
    }
    let [hourly, monthly] = rating::requests(&instances, &args.region, &catalog);
    let body = serde_json::json!({
        "ListOnDemandResourceRatings": hourly,
        "ListRateOnPeriodDetail": monthly,
    });
    let text = serde_json::to_string_pretty(&body).map_err(|e| CliError::Output(e.to_string()))?;
    print(&format!("{text}\n"))?;
    Ok(ExitStatus::Success)
}
