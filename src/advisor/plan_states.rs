//! What the GPUs of a plan's degrees hold and do whatever their micro-batch: one state per sharding level and offload.

use crate::plan::{Plan, PlanSpace, Sharding, StageLayers};
use crate::simulator::{EndTime, MemoryEstimate, Resident, Retained, Scenario, StageParameters};

/// Stages that are looked at: the first, the last, and one of those with a layer more.
pub const STAGES: usize = StageLayers::MOST_DECIDING;
/// Sharding levels times offload.
const MOST_STATES: usize = 12;

/// One sharding level, with optimizer states on the GPU or in host memory.
#[derive(Debug, Clone, Copy)]
pub struct State {
    /// The level.
    pub sharding: Sharding,
    /// Optimizer states in host memory.
    pub offload: bool,
    /// By stage.
    pub resident: [Resident; STAGES],
    /// By stage, once somebody asked for it.
    ends: Option<[EndTime; STAGES]>,
}

/// The states under fixed degrees.
#[derive(Debug, Clone, Copy)]
pub struct States {
    stages: [u32; STAGES],
    held: [StageParameters; STAGES],
    /// Number of stages that decide.
    pub deciding: usize,
    list: [State; MOST_STATES],
    len: usize,
    /// The least that a state holds, by stage, in bytes.
    pub least: [f64; STAGES],
}

impl States {
    /// The states of a plan's degrees.
    pub fn of(scenario: &Scenario<'_>, space: &PlanSpace, plan: &Plan) -> Self {
        let blank = State {
            sharding: Sharding::None,
            offload: false,
            resident: [Resident::default(); STAGES],
            ends: None,
        };
        let mut states = Self {
            stages: [0; STAGES],
            held: [StageParameters::default(); STAGES],
            deciding: 0,
            list: [blank; MOST_STATES],
            len: 0,
            least: [f64::INFINITY; STAGES],
        };
        for stage in StageLayers::of(plan, scenario.workload.layers()).deciding() {
            states.stages[states.deciding] = stage;
            states.held[states.deciding] = StageParameters::of(scenario, plan, stage);
            states.deciding += 1;
        }
        for sharding in space.shardings(plan) {
            for &offload in &space.offload {
                states.push(scenario, &Plan { sharding, optimizer_offload: offload, ..*plan });
            }
        }
        states
    }

    fn push(&mut self, scenario: &Scenario<'_>, plan: &Plan) {
        let state = &mut self.list[self.len];
        (state.sharding, state.offload) = (plan.sharding, plan.optimizer_offload);
        for i in 0..self.deciding {
            let resident = Resident::of(scenario, plan, &self.held[i]);
            state.resident[i] = resident;
            self.least[i] = self.least[i].min(resident.total());
        }
        self.len += 1;
    }

    /// Number of states.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// One of them.
    pub const fn get(&self, state: usize) -> &State {
        &self.list[state]
    }

    /// Stages that decide.
    pub fn stages(&self) -> &[u32] {
        &self.stages[..self.deciding]
    }

    /// Collectives and update of a state, by stage; `plan` has its sharding and offload.
    pub fn ends(&mut self, scenario: &Scenario<'_>, plan: &Plan, state: usize) -> [EndTime; STAGES] {
        if let Some(ends) = self.list[state].ends {
            return ends;
        }
        let mut ends = [EndTime::default(); STAGES];
        for ((end, &stage), held) in ends.iter_mut().zip(self.stages()).zip(&self.held) {
            *end = EndTime::of(scenario, plan, stage, held);
        }
        self.list[state].ends = Some(ends);
        ends
    }

    /// Share of the usable memory on the stage that needs most: that of [`memory`](crate::simulator::memory()), to the
    /// last bit.
    pub fn share(&self, scenario: &Scenario<'_>, state: usize, retained: &[Retained; STAGES]) -> f64 {
        let resident = &self.list[state].resident;
        let of_stage =
            |i: usize| MemoryEstimate::of_parts(scenario, self.stages[i], &resident[i], &retained[i]).share();
        (1..self.deciding).map(of_stage).fold(of_stage(0), f64::max)
    }

    /// A share that no state undercuts with at least `retained` bytes by stage.
    pub fn least_share(&self, scenario: &Scenario<'_>, retained: &[f64; STAGES]) -> f64 {
        let context = scenario.stack.memory_overhead.get();
        let of_stage = |i: usize| self.least[i] + retained[i] + context;
        (0..self.deciding).map(of_stage).fold(0.0, f64::max) / scenario.machine.gpu.memory_usable.get()
    }
}
