//! Evidence behind each term of a step.

use super::Scenario;
use super::communication::Group;
use super::term::TermKind;
use crate::plan::Plan;
use crate::profile::Grade;

/// The grade of every term: compute from the GPU and stack, collectives from the links and networks they cross.
pub(super) fn grades(scenario: &Scenario<'_>, plan: &Plan) -> [Grade; TermKind::COUNT] {
    let compute = scenario.compute_grade(plan);
    let machine = &scenario.machine;
    let per_node = machine.gpus_per_node;
    let of_group = |group: Group| {
        let inside = if group.local > 1 { machine.link.grade } else { Grade::A };
        let across = match (group.nodes > 1, machine.network_known) {
            (false, _) => Grade::A,
            (true, true) => machine.network.grade,
            (true, false) => Grade::D,
        };
        inside.max(across)
    };
    let mut grades = [compute; TermKind::COUNT];
    let tensor = of_group(Group::place(plan.tensor_parallel, 1, per_node));
    let data = of_group(Group::place(plan.replicas(), plan.tensor_parallel, per_node));
    let pipeline =
        of_group(Group::place(plan.pipeline_parallel, plan.tensor_parallel * plan.replicas(), per_node));
    grades[TermKind::TensorParallel as usize] = tensor;
    grades[TermKind::ExpertParallel as usize] =
        of_group(Group::place(plan.expert_parallel, plan.tensor_parallel, per_node));
    grades[TermKind::TableExchange as usize] = data;
    grades[TermKind::ContextParallel as usize] =
        of_group(Group::place(plan.context_parallel, plan.tensor_parallel, per_node));
    grades[TermKind::HostUpdate as usize] = Grade::D;
    grades[TermKind::PipelineTransfer as usize] = pipeline;
    grades[TermKind::WeightGather as usize] = data;
    grades[TermKind::GradientReduction as usize] = data;
    grades[TermKind::Input as usize] = Grade::D;
    grades
}
