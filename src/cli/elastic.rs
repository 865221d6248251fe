//! `simulate --schedule`: a number of nodes that follows the clock.

use super::args::SimulateArgs;
use super::elastic_input::{self, Charges, monthly_prices, simulated};
use super::error::CliError;
use super::exit::ExitStatus;
use super::output::{draw, plot_format, remark};
use super::prepared::Prepared;
use super::view::show;
use crate::advisor::Simulation;
use crate::advisor::elastic::{elastic, running};
use crate::report::picture_elastic::picture;
use crate::report::view_elastic::{ElasticView, document};
use crate::report::{view_simulate, wire, wire_elastic};

/// Answers `simulate --schedule`.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &SimulateArgs) -> Result<ExitStatus, CliError> {
    if let Some(path) = &args.plot {
        plot_format(path)?;
    }
    if args.report.is_some() {
        return Err(CliError::usage(
            "--report holds no schedule: use `quote --schedule ... --out FILE` (.html, .pdf, .md, .xlsx) instead",
        ));
    }
    if args.risk.risk {
        return Err(CliError::usage("--risk: a schedule has its own interval; leave one of the two out"));
    }
    let (mut prepared, asked) = Prepared::open(args, |session, overrides, problems| {
        if args.clusters.len() > 1 {
            problems.usage("--schedule: one --cluster is expected, whose nodes come and go");
        }
        let named = (args.clusters.first().map(String::as_str), args.gpu.as_deref());
        elastic_input::asked(&args.schedule, named, session, overrides, problems)
    })?;
    let Some(mut asked) = asked else {
        return Err(CliError::usage("no schedule"));
    };
    let by_month = monthly_prices(&mut prepared.session);
    let (session, question) = (&prepared.session, prepared.question());
    let simulations = simulated(session, &question, std::mem::take(&mut asked.sizes), args.common.threads)?;
    let language = args.common.language();
    let origin =
        wire::Origin { catalog: &session.catalog, profiles: &session.profiles, prices: &session.prices };
    let estimates = match running(&simulations) {
        Ok(estimates) => estimates,
        Err(blocked) => return refused(args, &prepared, blocked, origin),
    };
    let charges = Charges::of(session, &by_month, &simulations[0].cluster);
    let terms = charges.terms(&asked, args.schedule.baseline, prepared.job.job.folds);
    let found = elastic(session.facts(), &terms, &estimates);
    let view = ElasticView {
        job: &prepared.job.job,
        stack: prepared.stack(),
        simulations: &simulations,
        terms: &terms,
        start: asked.start,
        elastic: &found,
        language,
    };
    if let (Some(path), true) = (&args.plot, found.courses.is_some()) {
        draw(path, &picture(&view, origin), language)?;
        remark(args.common.quiet, &format!("the plot is in {}", path.display()));
    }
    show(&document(&view), || wire_elastic::schedule(&view, origin), args.common.format)?;
    Ok(if found.courses.is_some() { ExitStatus::Success } else { ExitStatus::NothingFeasible })
}

/// The answer where the job does not run on one of the sizes: that of the size.
fn refused(
    args: &SimulateArgs,
    prepared: &Prepared,
    blocked: &Simulation,
    origin: wire::Origin<'_>,
) -> Result<ExitStatus, CliError> {
    let job = &prepared.job.job;
    let view = view_simulate::SimulateView {
        job,
        stack: prepared.stack(),
        simulation: blocked,
        solution: None,
        currency: prepared.session.prices.currency,
        explanation: None,
        language: args.common.language(),
    };
    let answer = || wire::simulate(job, blocked, None, None, origin);
    show(&view_simulate::document(&view), answer, args.common.format)?;
    Ok(ExitStatus::NothingFeasible)
}
