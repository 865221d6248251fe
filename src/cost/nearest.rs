//! Near names for misspelt ones.

/// Most names that a message lists.
const LISTED: usize = 5;
/// Jaro-Winkler similarity from which a name counts as near.
const NEAR: f64 = 0.75;

/// The known names most like `name`, best first, ties in alphabetical order; empty when none is near.
pub(super) fn near_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|k| (strsim::jaro_winkler(&wanted, &k.to_lowercase()), k))
        .filter(|&(score, _)| score >= NEAR)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by_key(|s| s.1);
    scored.into_iter().take(LISTED).map(|(_, k)| k.to_owned()).collect()
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
