//! `recommend --ask`: what each assumed input moves, found by asking again with another value, and the questions to the
//! customer that are worth most.

use super::args::{PurchaseName, RecommendArgs};
use super::change::{self, Base, Inputs};
use super::change_text::Change;
use super::error::CliError;
use super::exit::ExitStatus;
use super::output::{draw, remark};
use super::session::Session;
use super::view::{show, with_threads};
use super::whatif::Asker;
use crate::advisor::ratios;
use crate::profile::{Method, StackProfile};
use crate::report::picture_ask::picture;
use crate::report::view_ask::{AskView, Effect, document, json};
use crate::report::wire::Origin;

/// Most countries that are tried for the question of place.
const MOST_PLACES: usize = 4;

/// One input with another value.
struct Trial {
    name: &'static str,
    taken: String,
    other: String,
    inputs: Inputs,
}

/// Prints assumptions with their effects and the questions.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &RecommendArgs, session: Session) -> Result<ExitStatus, CliError> {
    let mut asker = Asker::new(session);
    let inputs = Inputs {
        workload: args.workload.clone(),
        cluster: None,
        gpus: None,
        generic: super::args::GenericArgs::default(),
        limits: args.limits.clone(),
        plan: args.plan.clone(),
        money: args.money.clone(),
        prices: Vec::new(),
    };
    let (base, mut effects) = with_threads(args.common.threads, || -> Result<_, CliError> {
        let base = asker.ask(&inputs)?;
        let trials = trials(&inputs, &base, &asker.session);
        // A value that the job cannot take says nothing.
        let effects: Vec<Effect> =
            trials.into_iter().filter_map(|trial| effect(&mut asker, &base, trial)).collect();
        Ok((base, effects))
    })??;
    if let Some(path) = &args.plot {
        let origin = Origin {
            catalog: &asker.session.catalog,
            profiles: &asker.session.profiles,
            prices: &asker.session.prices,
        };
        let language = args.common.language();
        draw(path, &picture(&base.job, &base.outcome, &effects, origin, language), language)?;
        remark(args.common.quiet, &format!("the plot is in {}", path.display()));
    }
    // Of several values of one input the one that moves most stands for it.
    effects.sort_by(|a, b| b.weight().total_cmp(&a.weight()).then_with(|| a.other.cmp(&b.other)));
    let mut kept: Vec<Effect> = Vec::new();
    for effect in effects {
        if kept.iter().all(|k| k.name != effect.name) {
            kept.push(effect);
        }
    }
    let (language, doubts) = (args.common.language(), &asker.session.doubts);
    let view = AskView { job: &base.job, base: &base.outcome, effects: &kept, doubts, language };
    show(&asker.session.with_doubts(document(&view), language), || json(&view), args.common.format)?;
    let feasible = base.outcome.figures().is_some();
    Ok(if feasible { ExitStatus::Success } else { ExitStatus::NothingFeasible })
}

fn effect(asker: &mut Asker, base: &Base, trial: Trial) -> Option<Effect> {
    let then = asker.ask(&trial.inputs).ok()?.outcome;
    Some(Effect {
        name: trial.name,
        chance: chance(trial.name),
        taken: trial.taken,
        other: trial.other,
        ratios: ratios(&base.outcome, &then),
        moved: then.cluster != base.outcome.cluster,
        cluster: then.cluster,
    })
}

/// How likely the customer's answer differs from what was assumed: our judgement, not a measurement. Nearly every customer has a
/// date and a place; hardly any trains without mixed precision.
fn chance(name: &str) -> f64 {
    match name {
        "deadline" | "place" => 0.8,
        "sequence_length" | "purchase" => 0.5,
        "global_batch" | "framework" => 0.3,
        "max_gpus" | "optimizer" => 0.2,
        _ => 0.1,
    }
}

/// Other values of every input that was assumed.
fn trials(inputs: &Inputs, base: &Base, session: &Session) -> Vec<Trial> {
    let assumed = |name: &str| base.job.assumed.iter().find(|a| a.name == name).map(|a| a.value.clone());
    let mut trials = Vec::new();
    let mut try_key = |key: &'static str, taken: String, value: &str| {
        let change = Change { key, value: value.to_owned() };
        let mut other = inputs.clone();
        if change::apply(&mut other, &change, base).is_ok() {
            trials.push(Trial { name: key, taken, other: value.to_owned(), inputs: other });
        }
    };
    for key in ["sequence_length", "global_batch", "max_gpus"] {
        if let Some(taken) = assumed(key) {
            let value = if key == "max_gpus" { "64" } else { "x2" };
            try_key(key, taken, value);
        }
    }
    if let Some(taken) = assumed("deadline") {
        for value in ["/4", "x4"] {
            try_key("deadline", taken.clone(), value);
        }
    }
    if base.job.precision.is_none() {
        let taken = base.outcome.figures().map_or("", |f| f.plan.precision.name());
        try_key("precision", taken.to_owned(), crate::catalog::Precision::Fp32.name());
    }
    if let Some(taken) = assumed("framework") {
        // Software that cannot split a transformer is nobody's choice for one.
        let splits = |s: &StackProfile| s.supports(Method::TensorParallel) || s.supports(Method::Zero3);
        let plain = base.job.workload.attention.is_none();
        let others = session.profiles.stacks.iter().filter(|s| s.id != taken && (plain || splits(s)));
        others.for_each(|s| try_key("framework", taken.clone(), &s.id));
    }
    if let Some(taken) = assumed("optimizer") {
        let others = session.catalog.optimizers.iter().filter(|o| o.id != taken);
        others.for_each(|o| try_key("optimizer", taken.clone(), &o.id));
    }
    if let Some(taken) = assumed("purchase") {
        let mut other = inputs.clone();
        other.money.purchases = vec![PurchaseName::OnDemand, PurchaseName::Spot, PurchaseName::Reserved1y];
        let value = "on_demand, spot, reserved_1y".to_owned();
        trials.push(Trial { name: "purchase", taken, other: value, inputs: other });
    }
    trials.extend(places(inputs, session));
    trials
}

/// The question of place: each of the first countries in which something is offered.
fn places(inputs: &Inputs, session: &Session) -> Vec<Trial> {
    let limits = &inputs.limits;
    if !(limits.countries.is_empty() && limits.regions.is_empty() && limits.providers.is_empty()) {
        return Vec::new();
    }
    let offers = crate::cost::offers(&session.catalog, &session.prices);
    let mut countries: Vec<(usize, String)> = Vec::new();
    for country in offers.iter().filter(|o| o.price.is_some()).filter_map(|o| o.place.country()) {
        match countries.iter_mut().find(|(_, c)| c == country) {
            Some((count, _)) => *count += 1,
            None => countries.push((1, country.to_owned())),
        }
    }
    countries.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let trial = |(_, country): (usize, String)| {
        let mut other = inputs.clone();
        other.limits.countries = vec![country.clone()];
        Trial { name: "place", taken: "*".to_owned(), other: country, inputs: other }
    };
    countries.into_iter().take(MOST_PLACES).map(trial).collect()
}
