//! Which stage of a pipeline holds how many layers.
//!
//! L layers go over p stages of v virtual ones as evenly as whole layers allow: each of the p v chunks holds
//! `floor(L / (p v))` layers or one more. What is left over goes to the middle stages first and there to the late ones,
//! which keep fewer micro-batches; the first stage, which also has the embedding, comes after them, and the last one,
//! which has the head, never holds more than another.

use super::Plan;

/// The layers of a pipeline by stage.
///
/// ```
/// use gpu_advisor::plan::StageLayers;
/// // 30 layers over 4 stages: 7, 8, 8 and 7.
/// let layers = StageLayers { layers: 30, stages: 4, virtual_stages: 1 };
/// assert_eq!([0, 1, 2, 3].map(|stage| layers.on(stage)), [7, 8, 8, 7]);
/// // 126 over 8 stages: the first and the last hold one less.
/// let layers = StageLayers { layers: 126, stages: 8, virtual_stages: 1 };
/// assert_eq!((layers.on(0), layers.on(1), layers.on(7)), (15, 16, 15));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageLayers {
    /// Layers L.
    pub layers: u32,
    /// Stages p, at least 1.
    pub stages: u32,
    /// Virtual stages v of each, at least 1.
    pub virtual_stages: u32,
}

impl StageLayers {
    /// The layers of a plan's stages.
    pub const fn of(plan: &Plan, layers: u32) -> Self {
        Self { layers, stages: plan.pipeline_parallel, virtual_stages: plan.virtual_stages }
    }

    /// All stages hold the same.
    pub const fn is_even(self) -> bool {
        self.layers.is_multiple_of(self.stages)
    }

    /// All chunks hold the same.
    pub const fn is_uniform(self) -> bool {
        self.layers.is_multiple_of(self.stages * self.virtual_stages)
    }

    /// Layers that all stages hold.
    const fn least(self) -> u32 {
        self.layers / self.stages
    }

    /// Stages that hold one layer more than the others.
    const fn over(self) -> u32 {
        self.layers % self.stages
    }

    /// Middle stages that hold one layer more.
    pub const fn heavy_middles(self) -> u32 {
        let middles = self.stages.saturating_sub(2);
        if self.over() < middles { self.over() } else { middles }
    }

    /// The first of the middle stages that hold one layer more, where there is one: of them it keeps most
    /// micro-batches.
    pub const fn first_heavy_middle(self) -> Option<u32> {
        let heavy = self.heavy_middles();
        if heavy == 0 { None } else { Some(self.stages - 1 - heavy) }
    }

    /// The most stages that [`deciding`](Self::deciding) has.
    pub const MOST_DECIDING: usize = 3;

    /// The stages of which one takes longest or needs most memory: the first, the last and the first of those in the
    /// middle that hold a layer more.
    pub fn deciding(self) -> impl Iterator<Item = u32> + Clone {
        let last = (self.stages > 1).then(|| self.stages - 1);
        std::iter::once(0).chain(last).chain(self.first_heavy_middle())
    }

    /// Layers of a stage, from 0.
    pub const fn on(self, stage: u32) -> u32 {
        let more = if stage == 0 {
            self.over() > self.heavy_middles()
        } else {
            stage + 1 < self.stages && stage + 1 + self.heavy_middles() >= self.stages
        };
        self.least() + more as u32
    }

    /// Layers of one chunk of a stage, both from 0.
    pub const fn in_chunk(self, stage: u32, chunk: u32) -> u32 {
        let all = self.on(stage);
        all / self.virtual_stages + (chunk < all % self.virtual_stages) as u32
    }

    /// What a stage has of something that is spread over all layers, such as the occurrences of a block.
    pub fn share(self, whole: f64, stage: u32) -> f64 {
        if self.is_even() {
            return whole / f64::from(self.stages);
        }
        whole * (f64::from(self.on(stage)) / f64::from(self.layers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_lies_on_one_chunk_and_stages_differ_by_one_at_most() {
        for (stages, virtual_stages) in [(1, 1), (2, 1), (3, 1), (4, 2), (8, 1), (16, 4)] {
            for layers in stages * virtual_stages..200 {
                let of = StageLayers { layers, stages, virtual_stages };
                let on: Vec<u32> = (0..stages).map(|s| of.on(s)).collect();
                assert_eq!(on.iter().sum::<u32>(), layers, "{of:?}");
                let (least, most) = (layers / stages, layers.div_ceil(stages));
                assert!(on.iter().all(|&n| n == least || n == most), "{of:?} {on:?}");
                assert_eq!(on[stages as usize - 1], least, "the last stage has the head: {of:?}");
                for stage in 0..stages {
                    let chunks = (0..virtual_stages).map(|c| of.in_chunk(stage, c));
                    assert_eq!(chunks.clone().sum::<u32>(), of.on(stage));
                    assert!(chunks.min() > Some(0), "{of:?}");
                }
            }
        }
    }

    #[test]
    fn two_stages_of_three_layers_give_the_first_one_more() {
        let of = StageLayers { layers: 3, stages: 2, virtual_stages: 1 };
        assert_eq!((of.on(0), of.on(1), of.first_heavy_middle()), (2, 1, None));
        assert!((of.share(3.0, 0) - 2.0).abs() < 1e-12);
    }
}
