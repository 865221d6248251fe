//! Why no plan is valid, as [`PlanError`](crate::plan::PlanError) has it: English text, said in the reader's language by `assumption::said`.

phrases! {
    NOT_DIVISIBLE: "{} is not divisible by {}", "{} 不能被 {} 整除";
    DEGREES: "tensor x pipeline x context x data parallel = {}, but the cluster has {} GPUs",
        "张量 × 流水线 × 上下文 × 数据并行 = {}，而集群有 {} 张 GPU";
    GPUS: "GPUs {}", "GPU 数 {}";
    BATCH_PER_RANK: "batch per rank {}", "每个数据并行进程的批 {}";
    HEADS: "attention heads {}", "注意力头数 {}";
    LAYERS: "layers {}", "层数 {}";
    MICRO_BATCHES: "micro-batches {}", "微批数 {}";
    SEQUENCE: "sequence {}", "序列长度 {}";
    EXPERTS: "experts {}", "专家数 {}";
    REPLICAS: "data x context parallel {}", "数据 × 上下文并行 {}";
    ALL_DEGREES: "tensor x pipeline x context parallel {}", "张量 × 流水线 × 上下文并行 {}";
    STAGES: "pipeline stages x virtual stages {}", "流水线段数 × 虚拟段数 {}";
    INTERLEAVED: "pipeline stages (interleaved schedule) {}", "流水线段数（交错调度）{}";
    TWICE_CONTEXT: "twice the context parallel degree {}", "两倍的上下文并行度 {}";
    STAGES_EXCEED: "pipeline stages x virtual stages exceed the layers", "流水线段数 × 虚拟段数超过层数";
    VIRTUAL_NEED: "virtual stages need a pipeline of two stages or more", "虚拟段需要至少两段的流水线";
    CONVOLUTIONAL: "a convolutional network has no tensor or pipeline parallel plan here", "此处不支持卷积网络的张量或流水线并行";
    ONLY_STATES: "only optimizer states are sharded together with pipeline parallelism", "与流水线并行同时只能切分优化器状态";
    IMAGES_CONTEXT: "images have no sequence that a context could share", "图像没有可供上下文并行切分的序列";
    EXPERTS_MODEL: "expert parallelism needs a model with experts", "专家并行需要含专家的模型";
    EXPERTS_ONE: "experts are either spread by expert parallelism or gathered by sharding, not both", "专家只能由专家并行分布，或由切分聚集，二者不可兼用";
    DATA_ALONE: "data parallelism alone", "仅数据并行";
    DOES_NOT_FIT_NODE: "a replica does not fit a node of {}", "一个副本放不进 {} 的单个节点";
    NO_SPLIT_FITS: "no split of the batch fits the memory of every kind", "没有任何批次切分能放入每种节点的显存";
}
