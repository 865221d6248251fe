//! When how many nodes run: a week that repeats.
//!
//! Written as `2 nodes 08:00-20:00, 8 nodes 20:00-08:00`, with days in front where they differ: `mon-fri 2 nodes
//! 08:00-20:00, sat+sun 8 nodes`. A window that passes midnight belongs to the day on which it begins. Time that no
//! window covers has no nodes: the job rests.

mod read;
mod text;
mod window;

use jiff::civil::DateTime;

use crate::units::Seconds;
pub use window::Window;
use window::{DAY_MINUTES, WEEK_MINUTES};

/// From a minute of the week on, so many nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    minute: u32,
    nodes: u32,
}

/// Numbers of nodes over a week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// In order, the first at minute 0; neighbours differ, but for the ends of a week.
    changes: Vec<Change>,
    /// As it was written.
    windows: Vec<Window>,
}

/// Seconds in a minute of a schedule.
const MINUTE: f64 = 60.0;

impl Schedule {
    /// A week of these windows.
    ///
    /// # Errors
    /// When there is none, none has nodes, or two of different numbers of nodes overlap: what is wrong, with the place of the window.
    pub fn new(windows: Vec<Window>) -> Result<Self, (usize, String)> {
        let mut nodes: Vec<Option<u32>> = vec![None; WEEK_MINUTES as usize];
        for (place, window) in windows.iter().enumerate() {
            for minute in window.minutes() {
                let slot = &mut nodes[minute as usize];
                if let Some(other) = slot.filter(|&other| other != window.nodes) {
                    let (day, of_day) = (minute / DAY_MINUTES, minute % DAY_MINUTES);
                    let at = format!("{} {:02}:{:02}", window::DAYS[day as usize], of_day / 60, of_day % 60);
                    let fix =
                        "name the days of each window so that they do not meet, or give both the same nodes";
                    let nodes = window.nodes;
                    return Err((
                        place,
                        format!("overlaps another window at {at} ({nodes} nodes here, {other} there); {fix}"),
                    ));
                }
                *slot = Some(window.nodes);
            }
        }
        if windows.iter().all(|w| w.nodes == 0) {
            return Err((0, "no window has nodes".to_owned()));
        }
        let mut changes: Vec<Change> = Vec::new();
        for (minute, nodes) in (0..).zip(nodes) {
            let nodes = nodes.unwrap_or(0);
            if changes.last().is_none_or(|c| c.nodes != nodes) {
                changes.push(Change { minute, nodes });
            }
        }
        Ok(Self { changes, windows })
    }

    /// The same number of nodes all week.
    pub fn constant(nodes: u32) -> Self {
        Self { changes: vec![Change { minute: 0, nodes }], windows: vec![Window::always(nodes)] }
    }

    /// The numbers of nodes that occur, ascending, without none.
    pub fn levels(&self) -> Vec<u32> {
        let mut levels: Vec<u32> = self.changes.iter().map(|c| c.nodes).filter(|&n| n > 0).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// Minute of the week of a moment.
    pub fn minute_of(moment: DateTime) -> u32 {
        let day = u32::from(moment.weekday().to_monday_zero_offset().unsigned_abs());
        let of_day = u32::from(moment.hour().unsigned_abs()) * 60 + u32::from(moment.minute().unsigned_abs());
        day * DAY_MINUTES + of_day
    }

    /// The nodes at a minute of the week, and the time until they change; `None` where they never do.
    pub fn at(&self, minute: u32) -> (u32, Option<Seconds>) {
        let minute = minute % WEEK_MINUTES;
        let after = self.changes.partition_point(|c| c.minute <= minute);
        let now = self.changes[after - 1].nodes;
        let later = self.changes[after..].iter().map(|c| (c.minute, c.nodes));
        let next_week = self.changes.iter().map(|c| (c.minute + WEEK_MINUTES, c.nodes));
        let next = later.chain(next_week).find(|&(_, nodes)| nodes != now);
        (now, next.map(|(at, _)| Seconds::new(f64::from(at - minute) * MINUTE)))
    }

    /// True where some time has no nodes.
    pub fn rests(&self) -> bool {
        self.changes.iter().any(|c| c.nodes == 0)
    }
}

impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, window) in self.windows.iter().enumerate() {
            write!(f, "{}{window}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}
