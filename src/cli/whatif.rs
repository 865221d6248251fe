//! `whatif`: the same question with changed inputs, before and after, or over a range.

use super::args::{RiskArgs, WhatIfArgs, WorkloadArgs};
use super::change::{self, Base, Inputs};
use super::change_text::{self, Change};
use super::cluster::{self, NamedCluster, Overrides};
use super::deadline::idle_limits;
use super::error::CliError;
use super::exit::ExitStatus;
use super::job;
use super::measured;
use super::output::{draw, plot_format, remark};
use super::problems::Problems;
use super::recommend::{Asked, request};
use super::session::{Session, price_rules};
use super::simulate::simulate_named;
use super::view::{show, with_threads};
use crate::advisor::batch::adopt;
use crate::advisor::{Anchor, Outcome, ratios, recommend_with_software};
use crate::report::view_whatif::{Swept, SweptPoint, WhatIfView, document, picture};
use crate::report::{wire, wire_whatif};
use crate::workload::Job;

/// Most points of all sweeps together.
const MOST_POINTS: usize = 400;

/// Answers `whatif`.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &WhatIfArgs) -> Result<ExitStatus, CliError> {
    let mut problems = Problems::default();
    if let Some(result) = args.plot.as_deref().map(plot_format) {
        problems.absorb(result)?;
    }
    let changes = changes(args, &mut problems);
    let sweeps = sweeps(args, &changes, &mut problems);
    idle_limits(args, changes.iter().any(|change| change.key == "deadline"), &mut problems);
    let session = Session::open(&args.common, &args.money, &mut problems)?;
    problems.check()?;
    let mut asker = Asker::new(session);
    let inputs = Inputs::of(args);
    let (found, swept) =
        with_threads(args.common.threads, || explore(&mut asker, &inputs, &changes, &sweeps))??;
    let (before, after) = found;
    let job = after.as_ref().map_or(&before.job, |a| &a.job);
    let profiles = &asker.session.profiles;
    let stack = |job: &Job| profiles.stack(&job.stack).map_or_else(|| job.stack.clone(), |s| s.name.clone());
    let view = WhatIfView {
        job: &before.job,
        stack: &stack(&before.job),
        changed_job: job,
        changed_stack: &stack(job),
        changes: changes.iter().map(|c| (c.key, c.value.as_str())).collect(),
        before: &before.outcome,
        after: after.as_ref().map(|a| &a.outcome),
        swept: swept.as_ref(),
        currency: asker.session.prices.currency,
        language: args.common.language(),
    };
    let origin = wire::Origin {
        catalog: &asker.session.catalog,
        profiles: &asker.session.profiles,
        prices: &asker.session.prices,
    };
    if let Some(path) = &args.plot {
        let Some(model) = picture(&view, origin) else {
            return Err(CliError::usage("--plot: the first swept key has values that are no numbers"));
        };
        draw(path, &model, view.language)?;
        remark(args.common.quiet, &format!("the plot is in {}", path.display()));
    }
    let shown = asker.session.with_doubts(document(&view), view.language);
    show(&shown, || wire_whatif::whatif(&view, origin), args.common.format)?;
    let last = after.as_ref().map_or(&before.outcome, |a| &a.outcome);
    let points = swept.iter().flat_map(|s| s.points.iter().map(|p| &p.outcome));
    let feasible = last.figures().is_some() || points.into_iter().any(|o| o.figures().is_some());
    Ok(if feasible { ExitStatus::Success } else { ExitStatus::NothingFeasible })
}

fn changes(args: &WhatIfArgs, problems: &mut Problems) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for text in &args.changes {
        match change_text::read(text) {
            Ok(read) => changes.extend(read),
            Err(error) => problems.usage(format!("--set: {error}")),
        }
    }
    for (i, change) in changes.iter().enumerate() {
        if changes[..i].iter().any(|c| c.key == change.key) {
            problems.usage(format!("--set: {} changes twice", change.key));
        }
    }
    if args.changes.is_empty() && args.sweeps.is_empty() {
        problems.usage("nothing changes: add --set KEY=VALUE, such as price=-10%, or --sweep KEY=VALUES");
    }
    changes
}

fn sweeps(args: &WhatIfArgs, changes: &[Change], problems: &mut Problems) -> Vec<Vec<Change>> {
    let mut sweeps: Vec<Vec<Change>> = Vec::new();
    for text in &args.sweeps {
        match change_text::read_sweep(text) {
            Ok(values) => {
                let key = values[0].key;
                if sweeps.iter().any(|s| s[0].key == key) || changes.iter().any(|c| c.key == key) {
                    problems.usage(format!("--sweep: {key} changes twice"));
                }
                sweeps.push(values);
            }
            Err(error) => problems.usage(format!("--sweep: {error}")),
        }
    }
    if sweeps.len() > 2 {
        problems.usage(format!("--sweep: {} keys; one or two can be shown", sweeps.len()));
    }
    let points: usize = sweeps.iter().map(Vec::len).product();
    if points > MOST_POINTS {
        problems.usage(format!("--sweep: {points} points; at most {MOST_POINTS} are asked"));
    }
    sweeps
}

type Found = ((Base, Option<Base>), Option<Swept>);

/// Asks the question before, after, and at every point.
fn explore(
    asker: &mut Asker,
    inputs: &Inputs,
    changes: &[Change],
    sweeps: &[Vec<Change>],
) -> Result<Found, CliError> {
    let before = asker.ask(inputs)?;
    let mut changed = inputs.clone();
    apply(&mut changed, changes, &before, "--set")?;
    let after = if changes.is_empty() { None } else { Some(asker.ask(&changed)?) };
    let Some(first) = sweeps.first() else { return Ok(((before, after), None)) };
    let start = after.as_ref().unwrap_or(&before);
    let lone = [None];
    let second: Vec<Option<&Change>> = sweeps.get(1).map_or(lone.to_vec(), |s| s.iter().map(Some).collect());
    let mut points = Vec::new();
    for other in second {
        for value in first {
            let mut at = changed.clone();
            let set: Vec<Change> = std::iter::once(value).chain(other).cloned().collect();
            apply(&mut at, &set, start, "--sweep")?;
            let outcome = asker.ask(&at)?.outcome;
            points.push(SweptPoint {
                values: set.iter().map(|c| c.value.clone()).collect(),
                number: start.axis(value),
                ratios: ratios(&start.outcome, &outcome),
                outcome,
            });
        }
    }
    let swept = Swept { keys: sweeps.iter().map(|s| s[0].key).collect(), points };
    Ok(((before, after), Some(swept)))
}

fn apply(inputs: &mut Inputs, changes: &[Change], base: &Base, flag: &str) -> Result<(), CliError> {
    let wrong: Vec<String> = changes
        .iter()
        .filter_map(|change| change::apply(inputs, change, base).err())
        .map(|error| format!("{flag}: {error}"))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(CliError::Usage(wrong)) }
}

/// Answers one question after the other with the same facts.
pub struct Asker {
    /// Facts; the prices are those of the last question.
    pub session: Session,
    /// The first question and the user's measurement, which is of that question and of no later one.
    measured: Option<(Inputs, Option<Anchor>)>,
}

impl Asker {
    /// Before the first question.
    pub const fn new(session: Session) -> Self {
        Self { session, measured: None }
    }

    /// The measurement, once the first question was asked, as it serves a later one.
    fn known(&self, inputs: &Inputs) -> Option<Anchor> {
        let (first, anchor) = self.measured.as_ref()?;
        let is_of_another_job = !inputs.has_the_step_of(first);
        anchor.clone().map(|anchor| Anchor { is_of_another_job, ..anchor })
    }

    /// Asks one question.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn ask(&mut self, inputs: &Inputs) -> Result<Base, CliError> {
        let mut problems = Problems::default();
        self.session.prices = price_rules(&inputs.money, &self.session.catalog, &mut problems)?;
        self.session.prices.user_prices.extend(inputs.prices.iter().cloned());
        if inputs.names_cluster() { self.one(inputs, problems) } else { self.best(inputs, problems) }
    }

    /// On the cluster that was named.
    fn one(&mut self, inputs: &Inputs, mut problems: Problems) -> Result<Base, CliError> {
        let session = &self.session;
        let resolved = job::resolve(&inputs.workload, &session.catalog, &session.profiles, &mut problems)?;
        let vcpus = resolved.as_ref().and_then(|r| r.vcpus);
        let overrides = Overrides::read(&inputs.generic, vcpus, &session.profiles, &mut problems);
        let cluster = named(inputs, session, &overrides).map_err(|e| problems.usage(e)).ok();
        problems.check()?;
        let (Some(resolved), Some(cluster)) = (resolved, cluster) else {
            return Err(CliError::usage("no job or no cluster"));
        };
        let constraints = inputs.plan.constraints();
        let resolved = resolved.suited(&constraints, &session.profiles);
        let anchor = match self.measured {
            Some(_) => self.known(inputs),
            None => measured::of(&inputs.workload, session, &resolved, &constraints, &overrides)?,
        };
        let question = measured::question(&resolved, &constraints, anchor.as_ref(), &session.prices);
        let mut simulation = simulate_named(session, &question, cluster);
        let mut job = resolved.job.clone();
        adopt(&mut job, &mut simulation);
        let offer = simulation.offer.as_ref();
        let base = Base {
            outcome: Outcome::of_simulation(&simulation),
            price: offer.and_then(|o| Some((o.instance, o.price.as_ref()?.price.clone()))),
            cluster: Some(simulation.cluster),
            deadline_s: None,
            job,
        };
        self.measured.get_or_insert_with(|| (inputs.clone(), anchor));
        Ok(base)
    }

    /// On the best cluster.
    fn best(&mut self, inputs: &Inputs, problems: Problems) -> Result<Base, CliError> {
        // What was measured is read once, with the first question.
        let workload = match self.measured {
            Some(_) => &WorkloadArgs { measured: None, ..inputs.workload.clone() },
            None => &inputs.workload,
        };
        let asked = Asked {
            workload,
            limits: &inputs.limits,
            risk: &RiskArgs::default(),
            plan: &inputs.plan,
            money: &inputs.money,
        };
        let (mut request, groups) = request(&asked, &mut self.session, problems)?;
        match self.measured {
            Some(_) => request.anchor = self.known(inputs),
            None => self.measured = Some((inputs.clone(), request.anchor.clone())),
        }
        let answer = recommend_with_software(self.session.facts(), &mut request, &groups);
        let best = answer.ranked.first();
        let offer = best.and_then(|c| c.offer.as_ref());
        Ok(Base {
            outcome: Outcome::of_recommendation(&answer),
            price: offer.and_then(|o| Some((o.instance, o.price.as_ref()?.price.clone()))),
            cluster: best.map(|c| c.cluster.clone()),
            deadline_s: answer.deadline.map(|(limit, _)| limit.get()),
            job: request.job,
        })
    }
}

fn named(inputs: &Inputs, session: &Session, overrides: &Overrides) -> Result<NamedCluster, String> {
    if let Some(text) = &inputs.cluster {
        return cluster::parse(text, session, overrides).map_err(|e| format!("--cluster: {e}"));
    }
    let gpus = inputs.gpus.as_deref().unwrap_or_default();
    let [gpu] = &inputs.limits.gpus[..] else {
        return Err("--gpus: needs one --gpu".to_owned());
    };
    let gpus = cluster::count(gpus, "GPUs", 1_000_000).map_err(|e| format!("--gpus: {e}"))?;
    cluster::generic(gpu, gpus, &session.catalog, &session.profiles, overrides)
        .map_err(|e| format!("--gpu: {e}"))
}
