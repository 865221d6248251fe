//! What every command needs: catalog, profiles, prices, the day.

use std::path::{Path, PathBuf};

use jiff::civil::Date;

use super::amount;
use super::args::{CommonArgs, MoneyArgs, PurchaseName};
use super::error::CliError;
use super::job_file::read_text;
use super::output::remark;
use super::price_file;
use super::problems::Problems;
use crate::advisor::Facts;
use crate::catalog::{Catalog, Finding};
use crate::cost::{BillingTable, DoubtedPrice, PlaceFilter, PriceRules, UserPrice, doubted_prices};
use crate::plan::Cluster;
use crate::profile::{Grade, HardwareProfile, Profiles};
use crate::report::phrases::quote::NO_RATE;
use crate::report::phrases::recommend as say;
use crate::report::price_doubts::{self, price_doubt};
use crate::report::{Document, Language};
use crate::units::{Currency, FxRate, FxTable, Money};

/// Oddities of a price book that are listed by every command.
const MOST_ODD: usize = 5;

/// Facts and rules of one run.
#[derive(Debug)]
pub struct Session {
    /// The catalog with its overlays.
    pub catalog: Catalog,
    /// The profiles.
    pub profiles: Profiles,
    /// Billing rules.
    pub billing: BillingTable,
    /// Prices, currency and day.
    pub prices: PriceRules,
    /// Prices of the command line that are doubtful.
    pub doubts: Vec<DoubtedPrice>,
    /// Nothing is remarked upon.
    pub quiet: bool,
}

impl Session {
    /// Loads everything. Wrong money flags go to `problems`.
    ///
    /// # Errors
    /// When catalog or profiles cannot be had: nothing else can be checked without them.
    pub fn open(common: &CommonArgs, money: &MoneyArgs, problems: &mut Problems) -> Result<Self, CliError> {
        let session = Self::open_for_one(common, money, problems)?;
        if let Some(currency) = unrated(&session.prices) {
            remark(common.quiet, &NO_RATE.fill(common.language(), &[&currency.to_string()]));
        }
        Ok(session)
    }

    /// The same for one cluster, which is not ranked among offers in other currencies.
    ///
    /// # Errors
    /// As those of [`Self::open`].
    pub fn open_for_one(
        common: &CommonArgs,
        money: &MoneyArgs,
        problems: &mut Problems,
    ) -> Result<Self, CliError> {
        let catalog = open_catalog(common)?;
        let profiles = open_profiles(common, &catalog)?;
        check_links(&catalog, &profiles)?;
        let billing = open_billing(common, &catalog)?;
        let prices = price_rules(money, &catalog, problems)?;
        if let Some(path) = &money.price_book {
            remark_odd(&prices, path, &catalog, common.quiet);
        }
        remark_ahead(&prices, common.language(), common.quiet);
        let doubts = doubted_prices(&prices, &catalog);
        for doubted in &doubts {
            remark(common.quiet, &price_doubt(doubted, common.language()));
        }
        Ok(Self { catalog, profiles, billing, prices, doubts, quiet: common.quiet })
    }

    /// The facts for the advisor.
    pub const fn facts(&self) -> Facts<'_> {
        Facts { catalog: &self.catalog, profiles: &self.profiles, billing: &self.billing }
    }

    /// Says which prices of the command line belong to nothing that is in question.
    pub fn remark_unused(&self, is_used: impl Fn(&UserPrice) -> bool) {
        for price in self.prices.user_prices.iter().filter(|price| !is_used(price)) {
            let stated = price.text(&self.catalog);
            remark(self.quiet, &format!("--price: {stated} is the price of nothing in question"));
        }
    }

    /// The same where these clusters are.
    pub fn remark_unused_by(&self, clusters: &[&Cluster]) {
        self.remark_unused(|price| clusters.iter().any(|cluster| price.is_of(cluster)));
    }

    /// A document with what is doubtful of the prices below it.
    pub fn with_doubts(&self, mut document: Document, language: Language) -> Document {
        document.blocks.extend(price_doubts::block(&self.doubts, language));
        document
    }
}

/// Says what is odd about a price book that is used without `catalog import`.
fn remark_odd(prices: &PriceRules, path: &Path, catalog: &Catalog, quiet: bool) {
    let odd = prices.price_book.lint(catalog, &prices.fx, prices.as_of);
    let file = path.display().to_string();
    for lint in odd.iter().take(MOST_ODD) {
        remark(quiet, &format!("odd: {}", lint.finding(&file)));
    }
    if odd.len() > MOST_ODD {
        remark(quiet, &format!("odd: {} more; `catalog import {file}` lists all", odd.len() - MOST_ODD));
    }
}

/// The currency asked for, when no rate leads from US dollars to it.
fn unrated(prices: &PriceRules) -> Option<Currency> {
    let dollar = Money::new(1.into(), Currency::USD);
    prices.fx.convert(dollar, prices.currency).is_err().then_some(prices.currency)
}

/// The catalog: embedded, the user's own folder, then the folders on the command line.
///
/// # Errors
/// When a folder cannot be read or a file is invalid.
pub fn open_catalog(common: &CommonArgs) -> Result<Catalog, CliError> {
    if let Some(folder) = own_folder() {
        remark(common.quiet, &format!("{} lies over the embedded catalog", folder.display()));
    }
    if let Some(folder) = common.catalogs.iter().find(|f| f.is_file()) {
        let shown = folder.display();
        return Err(CliError::usage(format!("--catalog: {shown} is a file; a folder is expected")));
    }
    Ok(Catalog::with_overlays(&overlays(common))?)
}

/// The user's own catalog folder, if there is one.
fn own_folder() -> Option<PathBuf> {
    config_folder("catalog").filter(|f| f.is_dir())
}

/// Folders that lie over the embedded catalog, the last on top.
fn overlays(common: &CommonArgs) -> Vec<PathBuf> {
    own_folder().into_iter().chain(common.catalogs.iter().cloned()).collect()
}

/// The billing rules: embedded, with those of the overlays on top.
///
/// # Errors
/// When a file cannot be read or is invalid, or names a provider that the catalog does not hold.
pub fn open_billing(common: &CommonArgs, catalog: &Catalog) -> Result<BillingTable, CliError> {
    let mut table = BillingTable::embedded();
    for file in overlays(common).iter().map(|folder| folder.join("billing.toml")).filter(|f| f.is_file()) {
        let name = file.display().to_string();
        let own = BillingTable::parse(&name, &read_text(&file)?).map_err(CliError::invalid)?;
        let unknown = own.providers().filter_map(|p| PlaceFilter::parse_provider(p, catalog).err());
        let findings: Vec<Finding> = unknown
            .map(|error| Finding {
                file: name.clone(),
                line: None,
                key: "billing.provider".to_owned(),
                message: error.to_string(),
            })
            .collect();
        if !findings.is_empty() {
            return Err(CliError::invalid(findings));
        }
        table = table.overlaid(own);
    }
    Ok(table)
}

/// A folder of the user: `gpu-advisor/<name>` in the configuration folder of the system.
pub fn config_folder(name: &str) -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CONFIG_HOME")
        .filter(|v| !v.is_empty())
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".config")))?;
    Some(base.join("gpu-advisor").join(name))
}

/// The profiles: embedded, the user's own folder over them, `--profile` over all.
///
/// # Errors
/// When a file cannot be read or is invalid.
pub fn open_profiles(common: &CommonArgs, catalog: &Catalog) -> Result<Profiles, CliError> {
    if let Some(path) = &common.profile {
        // Read once here for its message: a folder or a missing file is wrong usage.
        read_text(path)?;
    }
    let folder = config_folder("calibration").filter(|f| f.is_dir());
    let profiles = Profiles::load(&catalog.gpus, folder.as_deref(), common.profile.as_deref())?;
    for (name, profile) in measured_profiles(&profiles) {
        let source = &profile.source;
        remark(common.quiet, &format!("{name} uses a measured profile (grade A): {source}"));
    }
    Ok(profiles)
}

/// GPUs and instance types whose numbers were measured by `calibrate`.
fn measured_profiles(profiles: &Profiles) -> impl Iterator<Item = (&str, &HardwareProfile)> {
    let gpus = profiles.hardware.iter().map(|p| (p.gpu.as_str(), p));
    let instances = profiles.instances.iter().map(|(key, p)| (key.as_str(), p));
    gpus.chain(instances).filter(|(_, p)| p.dram_grade == Grade::A)
}

/// Every link class of the catalog must have a profile; an overlay may name one that has none.
fn check_links(catalog: &Catalog, profiles: &Profiles) -> Result<(), CliError> {
    let gpus =
        catalog.gpus.iter().map(|g| ("gpus.toml", g.id.clone(), "default_node_link", &g.default_node_link));
    let stated = catalog.instances.iter().filter_map(|i| Some((i, i.node_link.as_ref()?)));
    let instances = stated.map(|(i, link)| ("instances", i.key(), "node_link", link));
    let classes: Vec<&str> = profiles.links.iter().map(|l| l.class.as_str()).collect();
    let unknown = gpus.chain(instances).filter(|(.., class)| profiles.link(class).is_none());
    let findings: Vec<Finding> = unknown
        .map(|(file, record, key, class)| Finding {
            file: file.to_owned(),
            line: None,
            key: format!("{record}.{key}"),
            message: format!("{class:?} is no link class; accepted are {}", classes.join(", ")),
        })
        .collect();
    if findings.is_empty() { Ok(()) } else { Err(CliError::invalid(findings)) }
}

/// Today in UTC.
pub fn today() -> Date {
    jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::now()).date()
}

/// Reads a day, such as 2026-11-28.
pub fn parse_date(text: &str) -> Result<Date, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is not a day, such as 2026-11-28"))
}

/// Says which exchange rates are of a day that is yet to come.
fn remark_ahead(prices: &PriceRules, language: Language, quiet: bool) {
    for rate in prices.fx.rates().iter().filter(|rate| rate.date > prices.as_of) {
        let places = [rate.currency.to_string(), rate.date.to_string(), prices.as_of.to_string()];
        remark(quiet, &say::RATE_AHEAD.fill(language, &places.each_ref().map(String::as_str)));
    }
}

/// What the money flags say; what is wrong with them goes to `problems`.
///
/// # Errors
/// Failures that are not about the input.
pub fn price_rules(
    money: &MoneyArgs,
    catalog: &Catalog,
    problems: &mut Problems,
) -> Result<PriceRules, CliError> {
    let as_of = match &money.as_of {
        Some(text) => parse_date(text).map_err(|e| problems.usage(format!("--as-of: {e}"))).ok(),
        None => None,
    };
    let mut rules = PriceRules::list_prices(as_of.unwrap_or_else(today));
    if !money.purchases.is_empty() {
        rules.purchases = money.purchases.iter().map(|&p| PurchaseName::purchase(p)).collect();
    }
    for text in &money.prices {
        match UserPrice::parse(text, catalog) {
            Ok(price) => {
                let mut others = rules.user_prices.iter();
                if let Some(other) = others.find(|other| price.is_for_what(other)) {
                    let (stated, rate) = (other.text(catalog), price.rate);
                    problems.usage(format!("--price: {stated} is priced a second time, {rate}; keep one"));
                }
                rules.user_prices.push(price);
            }
            Err(error) => problems.usage(format!("--price: {error}")),
        }
    }
    if let Some(path) = &money.price_book
        && let Some(book) = problems.absorb(price_file::read(path, catalog))?
    {
        rules.price_book = book;
    }
    // A rate on the command line wins over the book's.
    let mut rates = rules.price_book.rates.clone();
    for text in &money.fx {
        match FxRate::parse(text) {
            Ok(rate) => rates.push(rate),
            Err(error) => problems.usage(format!("--fx: {error}")),
        }
    }
    rules.fx = FxTable::new(&rates);
    if let Some(text) = &money.currency {
        match amount::currency(text) {
            Ok(currency) => rules.currency = currency,
            Err(error) => problems.usage(format!("--currency: {error}")),
        }
    }
    for price in &rules.user_prices {
        if let Err(error) = rules.fx.convert(price.rate.money(), rules.currency) {
            problems.usage(format!("--price: {error}, or ask in --currency {}", price.rate.money().currency));
        }
    }
    Ok(rules)
}
