//! Commands that look closer at an answer; each asks what was asked, on clusters of the answer.

use super::RecommendView;
use super::answer::leader;
use crate::advisor::Candidate;
use crate::catalog::Purchase;

/// Commands that look closer at the answer.
pub(super) fn next_commands(view: &RecommendView<'_>) -> Vec<String> {
    let Some(winner) = leader(view) else { return Vec::new() };
    let job = view.command;
    let mut commands = vec![format!(
        "gpu-advisor simulate {job} --cluster {}{} --explain",
        winner.cluster.label,
        bought(&[winner])
    )];
    let other = view
        .recommendation
        .groups
        .iter()
        .filter_map(|g| g.best.as_ref())
        .find(|c| c.cluster.label != winner.cluster.label)
        .or_else(|| view.recommendation.ranked.get(1));
    if let Some(other) = other {
        commands.push(format!(
            "gpu-advisor compare {job} --cluster {} --cluster {}{}",
            winner.cluster.label,
            other.cluster.label,
            bought(&[winner, other])
        ));
    }
    commands
}

/// The flag that buys the nodes as these candidates do; none where they are bought as usual.
fn bought(candidates: &[&Candidate]) -> String {
    let mut ways: Vec<Purchase> =
        candidates.iter().filter_map(|c| Some(c.offer.as_ref()?.purchase)).collect();
    ways.dedup();
    if ways.iter().all(|&way| way == Purchase::OnDemand) {
        return String::new();
    }
    let names: Vec<String> = ways.iter().map(|way| way.name().replace('_', "-")).collect();
    format!(" --purchase {}", names.join(","))
}
