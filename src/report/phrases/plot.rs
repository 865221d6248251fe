//! Words inside plots.

phrases! {
    COST_AGAINST_TIME: "Cost against time", "费用与时长";
    SCALING: "Scaling", "扩展性";
    TRAINING_TIME: "training time", "训练时长";
    COST_IN: "cost ({})", "费用（{}）";
    GPUS: "GPUs", "GPU 数";
    THROUGHPUT: "throughput (tokens/s)", "吞吐量（token/s）";
    THROUGHPUT_SAMPLES: "throughput (samples/s)", "吞吐量（样本/s）";
    SPEED_UP: "speed-up", "加速比";
    IDEAL: "ideal (linear)", "理想（线性）";
    PARETO_FRONT: "Pareto front", "帕累托前沿";
    INTERVAL: "P10-P90", "P10–P90";
    WINNER: "recommended", "推荐方案";
    DEADLINE: "deadline {}", "期限 {}";
    BUDGET: "budget {}", "预算 {}";
    OUTSIDE: "{} (outside the plot)", "{}（在图外）";
    ROOFLINE: "Roofline of {}", "{} 的屋顶线";
    INTENSITY: "intensity (FLOP/byte)", "计算强度（FLOP/byte）";
    RATE: "rate (TFLOP/s)", "算力（TFLOP/s）";
    RIDGE: "ridge point", "拐点";
    RIDGE_AT: "{} FLOP/byte", "{} FLOP/字节";
    INTERVAL_95: "95 % interval", "95% 置信区间";
    SWEEP: "FP32 sweep", "FP32 强度扫描";
    PRODUCTS: "{} products", "{} 矩阵乘";
    OPERATOR_BOUND: "operators bound by {}", "受限于{}的算子";
    LOWER: "lower result", "结果更低";
    HIGHER: "higher result", "结果更高";
    AS_ASSUMED: "as assumed: {}", "按当前假设：{}";
    NODES: "nodes", "节点数";
    COMMITTED: "committed: {} nodes", "包月基线：{} 节点";
    BURST: "by the hour", "按需";
    CHANGING: "stopping and starting", "启停损耗";
    SINCE_START: "time since the start", "自启动起的时间";
    DONE: "done (%)", "完成度（%）";
    ENDS_AFTER: "done after {}", "{} 后完成";
    MEMORY_OF_STAGE: "Memory of a GPU", "单 GPU 显存";
    MEMORY_GIB: "memory (GiB)", "显存（GiB）";
    USABLE: "usable: {}", "可用：{}";
    STAGE: "stage {}", "阶段 {}";
    STAGES: "stages {}-{}", "阶段 {}–{}";
    PARTS_OF_STEP: "Parts of a step", "单步构成";
    TIME_OF_STEP: "time of a step", "单步时间";
    REST: "the rest", "其余";
    NO_POINTS: "no data to plot", "没有可绘制的数据";
    UNLABELLED: "{} more points without a label", "另有 {} 个点未标注";
    LEFT_OUT: "{} points left out: no finite time or cost", "略去 {} 个点：时长或费用无有限值";
}
