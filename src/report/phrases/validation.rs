//! Headers, notes and reasons of `validate` and of the fit.

phrases! {
    AS_LOADED: "loaded coefficients", "已加载的系数";
    LEFT_OUT_MODEL: "refitted without each model shape (held out)", "逐一剔除各模型形状后重新拟合（留出验证）";
    LEFT_OUT_FAMILY: "refitted without each source family (transfer)", "逐一剔除各来源族后重新拟合（迁移验证）";
    PREDICTED_WITH: "predicted with", "预测方式";
    ROWS: "rows", "行数";
    ROWS_LINE: "{} read; {} strong, of which {} predicted and {} skipped; {} of lesser quality, not counted",
        "共读取 {} 行；强证据 {} 行，其中已预测 {} 行、跳过 {} 行；其余 {} 行证据较弱，不计入";
    MEAN_ERROR: "mean over sets", "各组均值";
    MEAN_LINE: "{} over {} sets (constant utilization, fitted to each set: {})",
        "{}（共 {} 组；按各组拟合的恒定算力利用率：{}）";
    SETS: "Absolute error by set", "各组绝对误差";
    SET_NOTE: "A set is one source on one GPU generation. Errors are predicted over measured, less one, in the metric of the row; bias is the median in time, above zero where predictions are too slow; in 80 % is the share of rows inside the interval.",
        "一组指同一来源、同一代 GPU。误差为预测值与实测值之比减一，按该行指标计；偏差为时间误差的中位数，大于零表示预测偏慢；“80% 区间内”为落入预测区间的行占比。";
    BASELINE_NOTE: "Constant MFU: mean error when every row of the set ran at the one utilization that fits that very set best.",
        "恒定 MFU：该组各行均取对该组拟合最优的单一利用率时的平均误差。";
    SOURCE_FAMILY: "source", "来源";
    SKIPPED: "skipped", "跳过";
    MEDIAN: "median", "中位数";
    MEAN: "mean", "均值";
    P90: "P90", "P90";
    BIAS: "bias", "偏差";
    COVERAGE: "in 80 %", "80% 区间内";
    CONSTANT_MFU: "constant MFU", "恒定 MFU";
    CHOICES: "Choice among measured plans of one job on one cluster", "同一任务、同一集群的多种并行方案之间的选择";
    GROUPS: "groups", "组数";
    PLANS: "plans", "方案数";
    PAIR_ORDER: "pairs in order, mean", "次序正确的方案对（均值）";
    LEAST_PAIR_ORDER: "least", "最低";
    REGRET: "regret, mean", "选择损失（均值）";
    MOST_REGRET: "most", "最高";
    REGRET_NOTE: "Regret: measured time of the plan predicted fastest over that of the fastest measured, less one.",
        "选择损失：预测最快方案的实测时间与实测最快方案之比减一。";
    SKIPPED_ROWS: "Strong rows that cannot be predicted", "无法预测的强证据行";
    UNCOUNTED_ROWS: "Rows of lesser quality, not counted", "证据较弱、不计入的行";
    QUALITY: "quality", "证据质量";
    IDS: "rows such as", "示例行";
    EVERY_ROW: "Every row", "全部行";
    METRIC: "metric", "指标";
    TOLERANCE_MISSED: "outside the stated tolerance: {} has a mean absolute error of {}, above {}",
        "超出给定容差：{} 的平均绝对误差为 {}，高于 {}";

    SKIP_GPU: "GPU not in the catalog", "目录中没有该 GPU";
    SKIP_STACK: "no profile of this software", "没有该软件栈的参数";
    SKIP_MODEL: "model not in the zoo and without a stated shape", "模型不在模型库中且未给出结构";
    SKIP_SHAPE: "shape or sequence length stated incompletely", "结构或序列长度不完整";
    SKIP_PRECISION: "precision not stated or impossible on this GPU", "未给出精度，或该 GPU 不支持";
    SKIP_COMPOUND: "a cell holds more than one number", "单元格含多个数值";
    SKIP_BATCH: "batch not stated or does not divide", "未给出批大小，或无法整除";
    SKIP_CLUSTER: "GPUs and nodes not stated or do not fit together", "GPU 与节点未给出或不匹配";
    SKIP_PLAN: "parallel degrees do not multiply to the GPUs", "并行度之积与 GPU 数不符";
    SKIP_METHOD: "a method the simulator does not know", "仿真器不支持的方法";
    SKIP_METRIC: "the measured quantity is neither a step time nor a rate", "测量量既非单步时间也非速率";

    FIT: "Fit of software coefficients", "软件栈系数拟合";
    FITTED_TO: "fitted to", "拟合数据";
    FITTED_LINE: "{} rows of {} sets, {} numbers", "{} 行、{} 组数据，{} 个参数";
    COMMON_COEFFICIENTS: "Common coefficients", "公共系数";
    DEVIATIONS: "Deviations of stacks from the common value", "各软件栈相对公共值的偏离";
    BY_ARCHITECTURE: "Factors of GPU architectures", "各 GPU 架构的修正因子";
    FACTOR: "factor", "因子";
    COEFFICIENT: "coefficient", "系数";
    FITTED_VALUE: "fitted", "拟合值";
    LOADED_VALUE: "loaded", "已加载值";
    STACK: "stack", "软件栈";
    SPREADS: "Spread and evidence by stack", "各软件栈的离散度与证据";
    CHANGE_MISSED: "outside the stated tolerance: {} of {} differs by {} from the loaded value, above {}",
        "超出给定容差：{2} 的 {1} 与已加载值相差 {3}，高于 {4}";
    RESIDUAL: "spread of ln(time)", "ln(时间) 的离散度";
    LARGEST_CHANGE: "largest change against the loaded coefficients", "相对已加载系数的最大变化";
    BETWEEN_SOURCES: "spread of ln(time) between sources", "不同来源之间 ln(时间) 的离散度";
    WRITTEN: "written", "已写入";
    IN_SAMPLE: "in sample", "样本内";
}
