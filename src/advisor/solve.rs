//! Inverse questions: the largest or the least number for which a job still runs.

/// The largest multiple of `step`, up to `most`, that passes; `None` when even the first does not.
///
/// Taken to be monotone: what does not pass at one number passes at no larger one. Doubles until something fails, then
/// halves the gap.
///
/// ```
/// use gpu_advisor::advisor::largest;
/// assert_eq!(largest(1, 1000, |n| n * n <= 700), Some(26));
/// assert_eq!(largest(128, 10_000, |n| n <= 5000), Some(4992));
/// assert_eq!(largest(1, 8, |_| true), Some(8));
/// assert_eq!(largest(1, 8, |_| false), None);
/// ```
pub fn largest(step: u64, most: u64, mut passes: impl FnMut(u64) -> bool) -> Option<u64> {
    let most = most / step;
    let (mut good, mut bad) = (0, 1);
    while bad <= most && passes(bad * step) {
        good = bad;
        bad *= 2;
    }
    let mut bad = bad.min(most + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if passes(middle * step) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    (good > 0).then_some(good * step)
}

/// The first of ascending candidates that passes.
pub fn fewest(candidates: impl IntoIterator<Item = u32>, mut passes: impl FnMut(u32) -> bool) -> Option<u32> {
    candidates.into_iter().find(|&n| passes(n))
}

/// Sizes of a cluster of one kind of GPU: powers of two inside a node, then whole nodes.
pub fn cluster_sizes(per_node: u32, most: u32) -> impl Iterator<Item = u32> {
    let inside = (0..32).map(|power| 1_u32 << power).take_while(move |&n| n < per_node && n <= most);
    inside.chain((1..=most / per_node.max(1)).map(move |nodes| nodes * per_node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two_in_a_node_and_then_whole_nodes() {
        let sizes: Vec<u32> = cluster_sizes(8, 30).collect();
        assert_eq!(sizes, [1, 2, 4, 8, 16, 24]);
        assert_eq!(fewest(cluster_sizes(8, 64), |n| n >= 10), Some(16));
        assert_eq!(fewest(cluster_sizes(8, 64), |n| n >= 100), None);
    }
}
