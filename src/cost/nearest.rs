//! Near names for misspelt ones.

use crate::catalog::nearest;

/// The known names most like `name`, best first; empty when none is near.
pub(super) fn near_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    nearest(name, known.into_iter()).into_iter().map(str::to_owned).collect()
}

/// `"; near: a, b"`, or nothing.
pub(super) fn near_clause(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_letter_finds_its_name_and_nonsense_finds_none() {
        let known = ["cn-north-4", "us-east-1"];
        assert_eq!(near_names("cn-nroth-4", known), ["cn-north-4"]);
        assert!(near_names("zzzz", known).is_empty());
    }
}
