//! A schedule as people type it on one line.

use super::Schedule;
use super::window::{DAY_MINUTES, DAYS, Window};

/// Most nodes that are believed.
const MOST_NODES: u32 = 100_000;
/// Longest text that is read.
const LONGEST: usize = 10_000;

impl Schedule {
    /// Reads `2 nodes 08:00-20:00, 8 nodes 20:00-08:00`.
    ///
    /// ```
    /// use gpu_advisor::cost::Schedule;
    /// let day = Schedule::parse("2 nodes 08:00-20:00, 8 nodes 20:00-08:00").unwrap();
    /// assert_eq!(day.levels(), [2, 8]);
    /// // Monday 07:30: eight nodes, for half an hour yet.
    /// let (nodes, left) = day.at(7 * 60 + 30);
    /// assert_eq!((nodes, left.unwrap().get()), (8, 1800.0));
    /// assert!(Schedule::parse("2 nodes 08:00-20:00, 8 nodes 19:00-08:00").is_err());
    /// ```
    ///
    /// # Errors
    /// What cannot be read, and what would be.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err("is too long for a schedule; write it as a file".to_owned());
        }
        let parts: Vec<&str> = text.split([',', ';']).map(str::trim).collect();
        let windows = parts.iter().map(|part| window(part)).collect::<Result<Vec<Window>, String>>()?;
        Self::new(windows).map_err(|(place, message)| format!("{:?} {message}", parts[place]))
    }
}

fn window(part: &str) -> Result<Window, String> {
    let fail = || format!("{part:?} is no window, such as \"2 nodes 08:00-20:00\" or \"sat+sun 8 nodes\"");
    let mut words = part.split_whitespace().peekable();
    let on = match words.peek() {
        Some(word) if !word.starts_with(|c: char| c.is_ascii_digit()) => {
            let word = words.next().ok_or_else(fail)?;
            days(word)?
        }
        _ => [true; 7],
    };
    let count = words.next().ok_or_else(fail)?;
    let count = nodes(count)?;
    if words.peek().is_some_and(|w| ["node", "nodes"].contains(w)) {
        words.next();
    }
    let (from, to) = words.next().map_or(Ok((0, 0)), hours)?;
    if words.next().is_some() {
        return Err(fail());
    }
    Ok(Window { days: on, from, to, nodes: count })
}

/// A number of nodes.
pub(super) fn nodes(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|&n: &u32| n <= MOST_NODES);
    number.ok_or_else(|| format!("{text:?} is no number of nodes; 0 to {MOST_NODES} are accepted"))
}

/// Days: `mon-fri`, `sat+sun`, `daily`.
pub(super) fn days(text: &str) -> Result<[bool; 7], String> {
    let lower = text.to_ascii_lowercase();
    if ["daily", "all"].contains(&lower.as_str()) {
        return Ok([true; 7]);
    }
    let fail = || format!("{text:?} are no days, such as mon-fri, sat+sun or daily");
    let day = |name: &str| DAYS.iter().position(|d| *d == name).ok_or_else(fail);
    let mut on = [false; 7];
    for part in lower.split('+') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (day(first)?, day(last)?);
        let count = (last + 7 - first) % 7;
        (0..=count).for_each(|i| on[(first + i) % 7] = true);
    }
    Ok(on)
}

/// Hours: `08:00-20:00`; 24:00 is the end of the day.
fn hours(text: &str) -> Result<(u32, u32), String> {
    let fail = || format!("{text:?} are no hours, such as 08:00-20:00");
    let (from, to) = text.split_once('-').ok_or_else(fail)?;
    let (from, to) = (clock(from)? % DAY_MINUTES, clock(to)? % DAY_MINUTES);
    if from == to && from != 0 {
        return Err(format!("{text:?} begins when it ends; leave the hours out for the whole day"));
    }
    Ok((from, to))
}

/// A time of day, in minutes.
pub(super) fn clock(text: &str) -> Result<u32, String> {
    let fail = || format!("{text:?} is no time of day, such as 08:00");
    let (hour, minute) = text.trim().split_once(':').ok_or_else(fail)?;
    let part = |t: &str| if (1..=2).contains(&t.len()) { t.parse::<u32>().ok() } else { None };
    let (hour, minute) = (part(hour).ok_or_else(fail)?, part(minute).ok_or_else(fail)?);
    let total = hour * 60 + minute;
    if minute < 60 && total <= DAY_MINUTES { Ok(total) } else { Err(fail()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_hours_are_read_and_printed_alike() {
        for text in ["2 nodes 08:00-20:00, 8 nodes 20:00-08:00", "1 node", "mon+tue 4 nodes 06:30-07:00"] {
            assert_eq!(Schedule::parse(text).unwrap().to_string(), text);
        }
        let week = Schedule::parse("mon-fri 2 nodes 08:00-20:00, sat-sun 8").unwrap();
        assert_eq!(week.to_string(), "mon+tue+wed+thu+fri 2 nodes 08:00-20:00, sat+sun 8 nodes");
        assert!(week.rests());
    }

    #[test]
    fn a_window_over_midnight_belongs_to_its_first_day() {
        let night = Schedule::parse("fri 3 nodes 22:00-06:00").unwrap();
        // Saturday 05:00 still runs, Friday 05:00 does not.
        assert_eq!(night.at(5 * DAY_MINUTES + 300).0, 3);
        assert_eq!(night.at(4 * DAY_MINUTES + 300).0, 0);
        // A window of Sunday night reaches into Monday.
        assert_eq!(Schedule::parse("sun 3 nodes 22:00-06:00").unwrap().at(300).0, 3);
    }

    #[test]
    fn nights_and_weekends_of_the_same_nodes_may_overlap() {
        let week = Schedule::parse("mon-fri 8 nodes 20:00-08:00, sat+sun 8 nodes").unwrap();
        // Saturday 00:00 belongs to Friday's night and to the weekend.
        assert_eq!((week.at(5 * DAY_MINUTES).0, week.at(4 * DAY_MINUTES + 600).0), (8, 0));
        let said = Schedule::parse("mon-fri 8 nodes 20:00-08:00, sat+sun 4 nodes").unwrap_err();
        assert!(said.contains("4 nodes here, 8 there") && said.contains("same nodes"), "{said}");
    }

    #[test]
    fn what_cannot_be_read_is_said_with_an_example() {
        for text in [
            "",
            "x nodes",
            "2 nodes 25:00-26:00",
            "2 nodes 08:00",
            "monday 2 nodes",
            "2 nodes 08:00-08:00",
            "2 nodes 08:00-20:00 extra",
            "-1 nodes",
            "0 nodes",
            "2 nodes, 3 nodes 10:00-11:00",
            "999999 nodes",
        ] {
            assert!(Schedule::parse(text).is_err(), "{text}");
        }
        assert!(Schedule::parse("2 nodes, 3 nodes 10:00-11:00").unwrap_err().contains("overlaps"));
    }
}
