//! Flags about interruptions, deadlines and schedules.

use clap::Args;

/// Flags that say what may go wrong.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Risk")]
pub struct RiskArgs {
    /// Also say how sure time and cost are, by seeded Monte Carlo over the prediction, failures, spot interruptions and
    /// prices. Always said for spot, where a deadline is given, and for --objective cost-at-p90
    #[arg(long)]
    pub risk: bool,
    /// Mean time between interruptions of the whole cluster, such as 6h, instead of the published or assumed one
    #[arg(long, value_name = "DURATION")]
    pub interruptions_every: Option<String>,
    /// Time from an interruption to the next step, such as 5min
    #[arg(long, value_name = "DURATION")]
    pub restart: Option<String>,
    /// Time that writing one checkpoint takes, such as 60s
    #[arg(long, value_name = "DURATION")]
    pub checkpoint_write: Option<String>,
    /// Work between two checkpoints, such as 30min, or `none`; the best one (Young, Daly) unless given
    #[arg(long, value_name = "DURATION|none")]
    pub checkpoint_every: Option<String>,
    /// Where the random numbers begin; the same seed gives the same answer
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Flags of a number of nodes that follows the clock.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Elastic schedule")]
pub struct ScheduleArgs {
    /// Nodes by day and hour: "2 nodes 08:00-20:00, 8 nodes 20:00-08:00", "mon-fri 2 nodes 08:00-20:00, sat+sun 8 nodes", or a
    /// .toml file with [[window]] tables of days, from, to, nodes. The cluster's own number of nodes does not count then
    #[arg(long, value_name = "WEEK|FILE.toml")]
    pub schedule: Option<String>,
    /// When the job starts, such as 2026-12-01T08:00; midnight of --as-of unless given. For a --schedule, or for a --deadline that
    /// is a day, which counts from it
    #[arg(long, value_name = "DAY[THH:MM]")]
    pub start: Option<String>,
    /// Time that each change of the number of nodes costs; a checkpoint write, a restart and a start-up unless given
    #[arg(long, value_name = "DURATION", requires = "schedule")]
    pub scale_cost: Option<String>,
    /// Nodes that are paid by the month; the cheapest number unless given. Needs a monthly price
    #[arg(long, value_name = "N", requires = "schedule")]
    pub baseline: Option<u32>,
}
