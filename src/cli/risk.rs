//! What the user states about risk, and the risk of one simulation.

use super::args::{RiskArgs, SimulateArgs};
use super::deadline::{deadline, remark_past};
use super::problems::Problems;
use super::session::{Session, parse_date};
use jiff::civil::Date;

use crate::advisor::Simulation;
use crate::advisor::risk::{Exposed, Risk, RiskTerms};
use crate::catalog::Purchase;
use crate::cost::{Offer, PriceRules, SpotTable, offers_of};
use crate::simulator::Checkpoints;
use crate::units::Seconds;
use crate::units::parse::parse_quantity;

/// Longest duration that is believed of anything between two steps.
const LONGEST: Seconds = Seconds::from_days(3653.0);

/// A duration above zero, or zero where that makes sense.
pub fn duration(flag: &str, text: &str, zero: bool, problems: &mut Problems) -> Option<Seconds> {
    match parse_quantity::<Seconds>(text) {
        Ok(time) if time <= LONGEST && (time.get() > 0.0 || zero && time.get() >= 0.0) => Some(time),
        Ok(_) => {
            let least = if zero { "0 s" } else { "more than 0 s" };
            problems.usage(format!("--{flag}: {text:?} is not believed; {least} to ten years are accepted"));
            None
        }
        Err(error) => {
            problems.usage(format!("--{flag}: {error}"));
            None
        }
    }
}

/// The flags of risk; what is wrong goes to `problems`.
pub fn terms(args: &RiskArgs, deadline: Option<Seconds>, draws: u32, problems: &mut Problems) -> RiskTerms {
    let mut read = |flag: &str, text: &Option<String>, zero: bool| {
        text.as_deref().and_then(|t| duration(flag, t, zero, problems))
    };
    let between = read("interruptions-every", &args.interruptions_every, false);
    let restart = read("restart", &args.restart, true);
    let write = read("checkpoint-write", &args.checkpoint_write, true);
    let checkpoints = match args.checkpoint_every.as_deref() {
        None => Checkpoints::Best,
        Some("none") => Checkpoints::Never,
        Some(text) => {
            duration("checkpoint-every", text, false, problems).map_or(Checkpoints::Best, Checkpoints::Every)
        }
    };
    RiskTerms { deadline, between, restart, write, checkpoints, draws, seed: args.seed }
}

/// True when the user said anything about risk.
pub const fn asked(args: &RiskArgs) -> bool {
    args.risk
        || args.interruptions_every.is_some()
        || args.restart.is_some()
        || args.checkpoint_write.is_some()
        || args.checkpoint_every.is_some()
}

/// The terms of `simulate`.
pub fn terms_of(args: &SimulateArgs, session: &Session, problems: &mut Problems) -> RiskTerms {
    let from = start(args, session, problems);
    let limit = args
        .deadline
        .as_deref()
        .and_then(|text| deadline(text, from).map_err(|e| problems.usage(format!("--deadline: {e}"))).ok());
    terms(&args.risk, limit, RiskTerms::DRAWS, problems)
}

/// The day from which a deadline counts: that of the start, else the one of the question.
fn start(args: &SimulateArgs, session: &Session, problems: &mut Problems) -> Date {
    let today = session.prices.as_of;
    let Some(text) = args.schedule.start.as_deref().filter(|_| args.schedule.schedule.is_none()) else {
        return today;
    };
    if args.deadline.as_deref().is_none_or(|text| parse_quantity::<Seconds>(text).is_ok()) {
        problems.usage("--start: belongs to --schedule, or to a --deadline that is a day; leave it out");
    }
    // A moment of the day is more than a deadline needs.
    let day = text.split_once('T').map_or(text, |(day, _)| day);
    match parse_date(day) {
        Ok(day) => {
            remark_past(day, session, args.common.language(), args.common.quiet);
            day
        }
        Err(error) => {
            problems.usage(format!("--start: {error}"));
            today
        }
    }
}

/// The risk of a job that runs, where it was asked for, a deadline was given or the nodes are interruptible; with that of the
/// same nodes on demand where they are.
pub fn assess(
    args: &SimulateArgs,
    session: &Session,
    simulation: &Simulation,
    terms: &RiskTerms,
) -> Option<(Risk, Option<Risk>)> {
    let estimate = simulation.estimate()?;
    let offer = simulation.offer.as_ref();
    let spot = offer.is_some_and(|o| o.purchase == Purchase::Spot);
    if !(asked(&args.risk) || terms.deadline.is_some() || spot) {
        return None;
    }
    let table = SpotTable::embedded();
    let risk = Exposed::of(simulation, estimate, offer).risk(session.facts(), table, &session.prices, terms);
    let steady = offer.filter(|_| spot).and_then(|o| on_demand(session, o)).map(|(offer, prices)| {
        let terms = RiskTerms { between: None, ..*terms };
        Exposed::of(simulation, estimate, Some(&offer)).risk(session.facts(), table, &prices, &terms)
    });
    Some((risk, steady))
}

/// The same nodes in the same place on demand. A price that the user stated for spot is none for that.
fn on_demand(session: &Session, spot: &Offer) -> Option<(Offer, PriceRules)> {
    let mut prices = PriceRules { purchases: vec![Purchase::OnDemand], ..session.prices.clone() };
    prices.asked_places.push(spot.place.clone());
    if !session.prices.requested_purchases().contains(&Purchase::OnDemand) {
        prices.user_prices.clear();
    }
    let all = offers_of(&session.catalog, &prices, spot.instance);
    let same = |o: &Offer| {
        o.instance == spot.instance
            && o.place == spot.place
            && o.purchase == Purchase::OnDemand
            && o.price.is_some()
    };
    all.into_iter().find(same).map(|offer| (offer, prices))
}
