//! One job on nodes of several kinds.

phrases! {
    MIXED: "Nodes of several kinds", "混合节点";
    SPLITS: "Splits of the batch", "批次切分对比";
    SPLIT: "nodes", "节点";
    ALONE: "{} alone", "仅 {}";
    EQUAL: "all, equal split", "全部，均分";
    BY_SPEED: "all, split by speed", "全部，按速度切分";
    SHARES: "share of the batch", "批次占比";
    SAMPLES: "samples per replica", "每副本样本数";
    AGAINST: "against the fastest alone", "对比最快节点单独运行";
    COST: "cost ({})", "费用（{}）";
    NO_SPLIT: "{}: no valid split: {}", "{}：无法切分：{}";
    PRECISION: "all kinds train in {}", "全部节点使用 {}";
    NETWORK: "all nodes meet on the slowest network: {} {}", "全部节点以最慢的网络互联：{} {}";
    SLOWS_EQUAL: "adding the slower nodes at an equal split slows the job: {} the time of {} alone",
        "按均分加入较慢节点会拖慢任务：时长为仅用 {2} 的 {1}";
    SLOWS_ALWAYS: "leave the slower nodes out: even split by speed the job takes {} the time of {} alone",
        "不应加入较慢节点：即使按速度切分，时长仍为仅用 {2} 的 {1}";
    HELPS: "split by speed the nodes together take {} of the time of {} alone", "按速度切分后，合用节点的时长为仅用 {2} 的 {1}";
    WEIGHT: "gradients of unequal shares must be weighted by their samples; most data loaders and samplers split equally unless told otherwise",
        "批次不等时，梯度须按样本数加权；多数数据加载器与采样器默认均分";
    OF_TRAINING: "Times and costs are of the training alone, without interruptions and what stands beside it.",
        "时长与费用均仅指训练本身，不含中断及训练之外的部分。";
    ONE_PLACE: "all nodes must be able to meet on one network: not checked", "各节点须能在同一网络互联：未核实";
}
