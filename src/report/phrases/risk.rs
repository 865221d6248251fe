//! How sure time and cost are.

phrases! {
    RISK: "Risk", "风险";
    INTERRUPTIONS: "interruptions", "中断";
    ONE_IN: "one in {} ({}), {} expected; each costs a restart of {} and the work since the last checkpoint",
        "平均每 {} 一次（{}），预计 {} 次；每次损失重启 {} 及最近检查点之后的计算";
    NO_INTERRUPTIONS: "none", "无";
    STATED: "stated", "用户给定";
    PUBLISHED: "published by the provider", "供应商公布";
    TRACES: "traces of other pools: assumed", "取自其他资源池的记录：假设";
    FAILURES_ALONE: "failures alone", "仅计故障";
    CHECKPOINT: "checkpoints", "检查点";
    EVERY: "one every {}, written in {}", "每 {} 一次，写入耗时 {}";
    NO_CHECKPOINTS: "none: an interruption starts the job anew", "无：中断后从头开始";
    TIME_WITH: "time with them", "含中断的时长";
    COST_WITH: "cost with them, at prices as drawn", "含中断与价格波动的费用";
    NEVER: "never ends", "无法完成";
    ON_TIME: "done within {}: {} of {} draws", "在 {} 内完成：{}（共 {} 次抽样）";
    DEADLINE: "deadline", "期限";
    EXPECTED: "expected time", "期望时长";
    EXPECTED_OF: "{} ({} undisturbed, {}); without checkpoints {}", "{}（无中断时 {}，{}）；不写检查点则为 {}";
    AGAINST_ON_DEMAND: "against on demand", "对比按需";
    RATIOS: "{} of its cost, time {}", "费用为其 {}，时长 {}";
    HOW: "Monte Carlo, {} draws from seed {}: spread of the prediction, rate and moments of interruptions, spot prices. All time is paid, lost work too.",
        "蒙特卡洛模拟，{} 次抽样，种子 {}：预测离散度、中断频率与时刻、竞价价格。全部时间计费，含损失的计算。";
    BOUGHT: "bought", "购买方式";
    TIME_COLUMN: "time with them (P90)", "含中断时长（P90）";
    COST_COLUMN: "cost {} with them (P90)", "含中断费用 {}（P90）";
    CHECKPOINT_COLUMN: "checkpoint every", "检查点间隔";
    WITHIN: "within {}", "{} 内完成概率";
    CHANCE: "chance {}", "概率 {}";
    RANKED_BY_IT: "Block A is ranked by the P90 of the cost with interruptions.", "A 区按含中断费用的 P90 排序。";
}
