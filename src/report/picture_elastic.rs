//! The picture of a job over a schedule.

use super::phrases::elastic as say;
use super::picture_simulate::footer;
use super::plot::{Interval, PlotModel, TimelinePlot, TimelineStretch};
use super::view_elastic::ElasticView;
use super::wire::Origin;

/// Nodes and work done over time; empty where the job does not end.
pub fn picture(view: &ElasticView<'_>, origin: Origin<'_>) -> PlotModel {
    let courses = view.elastic.courses.as_ref();
    let stretches = courses.map_or_else(Vec::new, |c| {
        let stretch = |s: &crate::cost::Stretch| TimelineStretch {
            from_s: s.from.get(),
            to_s: s.to.get(),
            changing_s: s.changing.get(),
            nodes: s.nodes,
            done: s.done,
        };
        c.p50.stretches.iter().map(stretch).collect()
    });
    let end = courses.map_or_else(Interval::default, |c| {
        Interval::new(c.p10.end().get(), c.p50.end().get(), c.p90.end().get())
    });
    let about = say::ELASTIC.fill(view.language, &[&view.terms.schedule.to_string()]);
    PlotModel::Timeline(TimelinePlot {
        title: format!("{about} · {} · {}", view.job.workload.name, view.largest().cluster.label),
        stretches,
        baseline: view.elastic.chosen.map_or(0, |b| b.committed.nodes),
        end_s: end,
        footer: footer(origin),
    })
}
