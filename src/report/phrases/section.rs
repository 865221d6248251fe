//! Titles of sections and sentences of the first screen.

phrases! {
    RECOMMENDATION: "Recommendation", "推荐方案";
    COMPARISON: "Comparison", "集群对比";
    SIMULATION: "Simulation", "训练仿真";
    WHAT_IF: "What if", "情景分析";
    VALIDATION: "Validation", "精度验证";
    CATALOG: "Catalog", "目录";
    QUOTE: "Quote", "报价单";
    JOB: "Job", "任务";
    ASSUMPTIONS: "Assumptions", "假设";
    ASSUMED_MARK: "* assumed, not given", "* 为程序假设，非用户输入";
    LIMITS: "Limits", "约束条件";
    NO_LIMITS: "none given", "未设约束";
    ANSWER: "Answer", "结论";
    WHY: "Why", "理由";
    TRUST: "Trust", "可信度";
    TRUST_RAISED_BY: "Cheapest step to raise it: {}", "成本最低的提升办法：{}";
    WARNINGS: "Warnings", "注意事项";
    BLOCK_A: "A  priced, allowed and on sale, ranked", "A  有价、合规且在售，按优先级排序";
    BLOCK_B_ALONE: "B  no price, or not known to be on sale", "B  无价格或在售状态不明";
    BLOCK_B_REFERENCE: "B  no price, or not known to be on sale: below which price it costs less than the best elsewhere",
                       "B  无价格或在售状态不明：给出比其他地域最优方案更省的价格";
    BLOCK_B: "B  no price, or not known to be on sale: the price at which it would win",
             "B  无价格或在售状态不明：给出可胜出的价格";
    BLOCK_C: "C  left out, and how nearly", "C  已排除的方案及其差距";
    REFERENCE_BLOCK: "For reference: not sold by you", "仅供参考：不在您的销售范围内";
    BLOCK_C_SHORT: "C  out", "C  排除";
    FLIPS: "What would flip the choice", "哪些变化会改变选择";
    OPEN_QUESTIONS: "Questions most likely to change the answer", "最可能改变结论的待确认问题";
    NEXT_COMMANDS: "Next commands", "后续命令";
    STEP_BREAKDOWN: "Step time, term by term", "单步时间构成";
    MEMORY_BREAKDOWN: "Memory of the fullest GPU", "占用最高的 GPU 的显存构成";
    COST_BREAKDOWN: "Cost", "费用构成";
    RATIOS: "Side by side", "并列对比";
    BLOCKERS: "What stands in the way", "阻碍因素";
    BREAK_EVEN_PRICE_RATIO: "Break-even price ratio", "盈亏平衡价格比";
    NOTHING_FEASIBLE: "Nothing is feasible", "没有可行方案";
    COST_LEAVES_OUT: "Costs leave out: {}", "费用未包含：{}";
    DISK_EGRESS_TAX: "disk, egress, tax", "存储、出网流量、税费";
    PRICES_AS_OF: "Prices as of {}", "价格截至 {}";
    PRICES_OLD: "Some prices are older than 30 days or undated", "部分价格超过 30 天或无日期";
    GENERATED_WITH: "Reproduce with: {}", "复现命令：{}";
    ANSWER_LINE: "{} · {}: {} (P90 {}), {} (P90 {})", "{} · {}：{}（P90 {}），{}（P90 {}）";
    FASTER_BY: "{} times faster", "快 {} 倍";
    CHEAPER_BY: "{} cheaper", "便宜 {}";
    AND_MORE: "and {} more", "另有 {} 项";
    CANDIDATES_CONSIDERED: "{} candidates considered, {} feasible", "共评估 {} 个候选方案，其中 {} 个可行";
    PLANS_LOOKED_AT: "{} parallel plans: memory of {} evaluated, {} of them timed, {} cannot win and were left out",
                     "共 {} 个并行方案：评估显存 {} 个，其中计时 {} 个；另有 {} 个不可能胜出，已剔除";
    NODES_OF: "{1} nodes x {2} GPUs", "{1} 个节点 × {2} 张 GPU";
    GRADES_EXPLAINED: "grade A measured here, B fitted to published runs, C published micro-benchmark, D datasheet or assumption",
                      "证据等级：A 本硬件实测，B 由公开训练结果拟合，C 公开微基准，D 规格书或假设";
}
