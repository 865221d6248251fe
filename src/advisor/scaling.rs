//! How throughput grows with the cluster, for the best instance type of each group asked for.

use super::candidate::Candidate;
use super::rank::interval_cost;
use super::recommend::Facts;
use crate::catalog::GpuId;
use crate::simulator::Interval;

/// One point of a scaling curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalingPoint {
    /// GPUs.
    pub gpus: u32,
    /// Samples per second: low, median, high end of the 80 % interval.
    pub samples_per_s: [f64; 3],
    /// Throughput per GPU over that of the first point: 1 is linear.
    pub efficiency: f64,
    /// Cost of the job at P10, P50, P90, where there is a price.
    pub cost: Option<Interval>,
}

/// Scaling of one instance type over node counts.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingCurve {
    /// Instance key and GPU.
    pub name: String,
    /// GPU.
    pub gpu: GpuId,
    /// Points, ascending in GPUs.
    pub points: Vec<ScalingPoint>,
}

/// Curves of the best instance type of each group, or of the two best where no group was asked for.
pub(super) fn scaling_curves(
    facts: Facts<'_>,
    groups: &[(String, Vec<GpuId>)],
    (ranked, unpriced): (&[Candidate], &[Candidate]),
    all: &[&Candidate],
) -> Vec<ScalingCurve> {
    let mut leaders: Vec<&Candidate> = groups
        .iter()
        .filter_map(|(_, gpus)| ranked.iter().chain(unpriced).find(|c| gpus.contains(&c.cluster.gpu)))
        .collect();
    if leaders.is_empty() {
        leaders = ranked.iter().chain(unpriced).take(2).collect();
    }
    leaders
        .into_iter()
        .filter_map(|leader| {
            let offer = leader.offer.as_ref()?;
            let mut points: Vec<ScalingPoint> = all
                .iter()
                .filter(|c| {
                    c.offer.as_ref().is_some_and(|o| {
                        (o.instance, o.purchase) == (offer.instance, offer.purchase) && o.place == offer.place
                    })
                })
                .map(|c| {
                    let batch = c.planned.plan.global_batch() as f64;
                    let rate = |total: f64| batch * c.time.steps / total;
                    ScalingPoint {
                        gpus: c.cluster.gpus(),
                        samples_per_s: [
                            rate(c.time.total.p90),
                            rate(c.time.total.p50),
                            rate(c.time.total.p10),
                        ],
                        efficiency: 1.0,
                        cost: interval_cost(c),
                    }
                })
                .collect();
            points.sort_by_key(|p| p.gpus);
            points.dedup_by_key(|p| p.gpus);
            let per_gpu = |p: &ScalingPoint| p.samples_per_s[1] / f64::from(p.gpus);
            let first = points.first().map(per_gpu);
            for point in &mut points {
                point.efficiency = first.map_or(1.0, |first| per_gpu(point) / first);
            }
            let name = facts.catalog.instance(offer.instance).key();
            Some(ScalingCurve { name, gpu: leader.cluster.gpu, points })
        })
        .collect()
}
