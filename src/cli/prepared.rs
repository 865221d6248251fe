//! What every form of `simulate` reads before it asks: facts, the job, what the user says of clusters, a measurement.

use super::args::SimulateArgs;
use super::cluster::Overrides;
use super::emitted;
use super::error::CliError;
use super::job::{self, ResolvedJob};
use super::measured;
use super::problems::Problems;
use super::risk;
use super::session::Session;
use crate::advisor::risk::RiskTerms;
use crate::advisor::{Anchor, PlanConstraints, Question};

/// A question without its cluster.
pub struct Prepared {
    /// Facts and prices.
    pub session: Session,
    /// The job.
    pub job: ResolvedJob,
    /// Plan parts that the user fixed.
    pub constraints: PlanConstraints,
    /// What the user says of clusters.
    pub overrides: Overrides,
    /// The user's own measurement.
    pub anchor: Option<Anchor>,
    /// What is stated about interruptions, checkpoints and the deadline.
    pub terms: RiskTerms,
}

impl Prepared {
    /// Reads the command line; `more` reads what the caller needs beyond this, before anything wrong is reported.
    ///
    /// # Errors
    /// All that is wrong with the input.
    pub fn open<T>(
        args: &SimulateArgs,
        more: impl FnOnce(&Session, &Overrides, &mut Problems) -> Result<T, CliError>,
    ) -> Result<(Self, T), CliError> {
        let mut problems = Problems::default();
        let session = Session::open(&args.common, &args.money, &mut problems)?;
        let resolved = job::resolve(&args.workload, &session.catalog, &session.profiles, &mut problems)?;
        let vcpus = resolved.as_ref().and_then(|r| r.vcpus);
        let overrides = Overrides::read(&args.generic, vcpus, &session.profiles, &mut problems);
        let terms = risk::terms_of(args, &session, &mut problems);
        let more = more(&session, &overrides, &mut problems)?;
        problems.check()?;
        let resolved = resolved.ok_or_else(|| CliError::usage("no job"))?;
        let resolved =
            emitted::suited(resolved, emitted::tool(args.emit.as_deref())?.as_ref(), &session.profiles);
        let constraints = args.plan.constraints();
        let job = resolved.suited(&constraints, &session.profiles);
        let given = args.workload.measured.as_deref();
        let anchor = measured::anchor(given, &session, &job, &constraints, &overrides)?;
        Ok((Self { session, job, constraints, overrides, anchor, terms }, more))
    }

    /// The question about each cluster.
    pub const fn question(&self) -> Question<'_> {
        Question {
            job: &self.job.job,
            constraints: &self.constraints,
            anchor: self.anchor.as_ref(),
            storage: self.job.storage,
            prices: &self.session.prices,
            terms: self.terms,
        }
    }

    /// Name of the job's software for people.
    pub fn stack(&self) -> &str {
        let id = &self.job.job.stack;
        self.session.profiles.stack(id).map_or(id.as_str(), |s| s.name.as_str())
    }
}
