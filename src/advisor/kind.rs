//! Candidates that differ in kind: another GPU, another size of cluster, another way to buy. The same machines from one
//! more provider, or one more type of the same family, are variants of one kind.

use super::candidate::{Candidate, Request};
use crate::catalog::{GpuId, Purchase};

/// What a candidate is, whoever sells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind<'a> {
    gpu: GpuId,
    /// Number of GPUs to the nearest power of two.
    doublings: u32,
    purchase: Option<Purchase>,
    /// Counts where several providers were asked for by name.
    provider: Option<&'a str>,
}

impl<'a> Kind<'a> {
    /// The kind of a candidate.
    pub fn of(candidate: &'a Candidate, request: &Request) -> Self {
        let offer = candidate.offer.as_ref();
        let several = request.places.providers.len() > 1;
        Self {
            gpu: candidate.cluster.gpu,
            doublings: f64::from(candidate.cluster.gpus()).log2().round() as u32,
            purchase: offer.map(|o| o.purchase),
            provider: offer.map(|o| o.place.provider.as_str()).filter(|_| several),
        }
    }
}

/// The first of each kind in a ranking, at most `top`, with their places in it.
pub fn first_of_kinds<'a>(
    list: &'a [Candidate],
    request: &Request,
    top: usize,
) -> Vec<(usize, &'a Candidate)> {
    let mut kinds = Vec::new();
    let mut rows = Vec::new();
    for (i, candidate) in list.iter().enumerate() {
        let kind = Kind::of(candidate, request);
        if rows.len() < top && !kinds.contains(&kind) {
            kinds.push(kind);
            rows.push((i, candidate));
        }
    }
    rows
}
