//! One window of a schedule: days, hours, nodes.

/// Minutes of a day.
pub(super) const DAY_MINUTES: u32 = 24 * 60;
/// Minutes of a week.
pub(super) const WEEK_MINUTES: u32 = 7 * DAY_MINUTES;
/// The days as they are written, Monday first.
pub(super) const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// So many nodes on these days between these hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The days on which it begins, Monday first.
    pub days: [bool; 7],
    /// Minute of the day at which it begins.
    pub from: u32,
    /// Minute of the day at which it ends; not after `from` when it passes midnight.
    pub to: u32,
    /// Nodes that run.
    pub nodes: u32,
}

impl Window {
    /// Every day, all day.
    pub const fn always(nodes: u32) -> Self {
        Self { days: [true; 7], from: 0, to: 0, nodes }
    }

    /// The minutes of the week that it covers.
    pub(super) fn minutes(&self) -> impl Iterator<Item = u32> + '_ {
        let length =
            if self.to > self.from { self.to - self.from } else { self.to + DAY_MINUTES - self.from };
        (0_u32..).zip(self.days).filter(|(_, on)| *on).flat_map(move |(day, _)| {
            (0..length).map(move |m| (day * DAY_MINUTES + self.from + m) % WEEK_MINUTES)
        })
    }
}

impl std::fmt::Display for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.days != [true; 7] {
            let named: Vec<&str> =
                DAYS.iter().zip(self.days).filter(|(_, on)| *on).map(|(d, _)| *d).collect();
            write!(f, "{} ", named.join("+"))?;
        }
        write!(f, "{} {}", self.nodes, if self.nodes == 1 { "node" } else { "nodes" })?;
        if (self.from, self.to) == (0, 0) {
            return Ok(());
        }
        let clock = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
        write!(f, " {}-{}", clock(self.from), clock(self.to))
    }
}
