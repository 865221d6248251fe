//! Sentences of the recommendation.

phrases! {
    WITH_LORA: "LoRA of rank {} on {} products", "LoRA（秩 {}，作用于{}矩阵乘）";
    WITH_QLORA: "QLoRA of rank {} on {} products", "QLoRA（秩 {}，作用于{}矩阵乘）";
    JOB_LINE: "{} · {} · {} per step · {} · {} · {}", "{} · {} · 每步 {} · {} · {} · {}";
    SEQUENCES_OF: "{} sequences of {} tokens", "{} 条长度 {} token 的序列";
    TOKENS: "{} tokens", "{} token";
    SAMPLES: "{} samples", "{} 个样本";
    EPOCHS: "{} epochs of {} samples", "{} 个 epoch，每个 {} 个样本";
    STEPS: "{} steps", "{} 步";
    FOLD_OF: "one of {} independent jobs (folds), cost and GPU-hours of all", "{} 个相互独立任务（折）之一，费用与 GPU 小时为全部之和";
    BEST_PRECISION: "mixed 16-bit", "16 位混合精度";
    LIMIT_DEADLINE: "within {}", "{} 以内";
    LIMIT_BUDGET: "up to {}", "不超过 {}";
    LIMIT_GPUS: "up to {} GPUs", "至多 {} 张 GPU";
    LIMIT_PLACES: "place {}", "地域 {}";
    LIMIT_PURCHASE: "bought {}", "购买方式 {}";
    LIMIT_OBJECTIVE_INTERRUPTED: "ranked by {}, interruptions included", "按{}（含中断）排序";
    LIMIT_OBJECTIVE: "ranked by {}", "按{}排序";
    OBJECTIVE_COST: "cost", "费用";
    OBJECTIVE_TIME: "time", "时长";
    OBJECTIVE_BALANCED: "cost x time", "费用×时长";
    OBJECTIVE_COST_P90: "cost at P90", "P90 费用";
    ANSWER: "{} in {} ({} x {}): {} (P90 {}), {} (P90 {})", "{}，{}（{} × {}）：{}（P90 {}），{}（P90 {}）";
    CALENDAR: "calendar time {} (P90 {})", "日历时间 {}（P90 {}）";
    CALENDAR_FROM: "calendar time {} (P90 {}): from {} to {} (P90 {})", "日历时间 {}（P90 {}）：{} 开始，{} 完成（P90 {}）";
    ANSWER_UNPRICED: "no priced cluster passes; first by GPU-hours, stated networks and hosts before others: {} ({} x {}): {} (P90 {}), {} GPU-hours",
        "没有可用的有价集群；按 GPU 卡时排序（网络与主机明确者优先）首位：{}（{} × {}）：{}（P90 {}），{} GPU 卡时";
    ANSWER_OVER_BUDGET: "nothing priced is within the budget, which lets no unpriced offer pass; without one: {} ({} x {}): {} (P90 {}), {} GPU-hours",
        "预算内没有有价方案，无价格的方案不能视为在预算内；其余方案中：{}（{} × {}）：{}（P90 {}），{} GPU 卡时";
    ANSWER_BEYOND_QUOTA: "nothing priced is within today's quota; first by GPU-hours, not checked: {} ({} x {}): {} (P90 {}), {} GPU-hours",
        "当前配额内没有可行的有价方案；未核实配额的方案按 GPU 卡时首位：{}（{} × {}）：{}（P90 {}），{} GPU 卡时";
    NO_ANSWER: "nothing passes; block C counts why", "没有可行方案，原因见 C 部分";
    WHY_BINDS: "{} ({} of the step)", "{}（占单步时间的 {}）";
    WHY_PLAN: "plan {}, {}", "并行方案 {}，{}";
    WHY_BATCH: "global batch {} instead of {}* so that it divides", "为可整除，全局批大小取 {}（原假设 {}*）";
    WHY_MEMORY: "memory {} of {}", "显存 {} / {}";
    WHY_AGAINST: "against {}: {} the time, {} the cost", "与 {} 相比：时长为 {}，费用为 {}";
    WHY_UTILIZATION: "model FLOP utilization {}", "模型算力利用率 {}";
    TRUST_LINE: "grade {} ({}), P10-P90 of the time {} to {}", "证据等级 {}（{}），时长 P10–P90 为 {} 至 {}";
    PORTING: "Port", "移植";
    TRUST_RAISE: "one measured step on this instance would raise it", "在该实例上实测一步即可提高可信度";
    GRADE_A: "measured on this hardware", "在该硬件上实测";
    GRADE_B: "fitted to published runs of this software and GPU", "由该软件与 GPU 的公开训练结果拟合";
    GRADE_C: "published micro-benchmarks", "公开微基准测试";
    GRADE_D: "datasheet or assumption", "规格书或假设";
    BEST_OUT: "out: {}", "已排除：{}";
    BEST_ABSENT: "no offer in the catalog passes the filters", "目录中没有满足条件的报价";
    CAPABILITY_NO_BF16: "no bf16, {} with loss scaling", "不支持 bf16，使用 {} 并需损失缩放";
    CAPABILITY_NO_FLASH: "no FlashAttention-2: attention keeps the s x s scores", "无 FlashAttention-2：注意力需保存 s×s 分数";
    HOST_NOTE_UNKNOWN: "vCPUs unknown", "vCPU 未知";
    NETWORK_NOTE_UNKNOWN: "network unknown", "网络未知";
    NETWORK_NOTE_SLOW: "{} TCP", "{} TCP";
    NETWORK_NOTE: "{} {}", "{} {}";
    STATUS_UNVERIFIED: "unconfirmed", "在售未确认";
    TCP_WARNING: "TCP: no RDMA is stated; several nodes can be slower than one", "TCP：未标明 RDMA，多节点可能慢于单节点";
    STATUS_EXISTING: "existing customers", "仅限存量客户";
    STATUS_REFERENCE: "not sold by you", "不在您的销售范围";
    NO_RATE: "{}, no exchange rate", "{}，缺少汇率";
    REFERENCE_MARKET: "break-even against {}, the market's best, which you do not sell: {}",
        "盈亏平衡价以市场最优的 {}（不在您的销售范围）为准：{}";
    REFERENCE: "break-even against {} elsewhere: {}", "盈亏平衡价以其他地域的 {} 为准：{}";
    WINS_BELOW: "< {}/h", "< {}/h";
    NETWORK_MARK: "net?", "网络?";
    HOST_MARK: "vCPUs?", "vCPU?";
    MARKS: "P on the Pareto front of time and cost, = interval overlaps the first row's (a tie), net? and vCPUs? network or host unknown, ranked after the known whatever the price",
        "P 位于时长与费用的帕累托前沿，= 与首行区间重叠（视为持平），网络? 与 vCPU? 表示网络或主机未知，无论价格均排在已知者之后";
    ASK: "Ask", "待确认";
    FLIPS: "Flips", "转折";
    OUT: "Out", "排除";
    HINT: "Hint", "提示";
    HINT_DEADLINE: "a later --deadline, more --max-gpus, or more GPU models", "放宽 --deadline、提高 --max-gpus，或增加 GPU 型号";
    HINT_BUDGET: "a higher --budget, another --purchase, or your own --price", "提高 --budget、更换 --purchase，或给出自有价格 --price";
    HINT_STACK: "another --framework", "更换 --framework";
    HINT_PLACE: "fewer of --gpu, --provider, --region, --country", "减少 --gpu、--provider、--region、--country 的限制";
    MORE_ROWS: "{} more types", "另有 {} 种规格";
    REJECTED_NO_PEAK: "{}: no peak of this GPU is known in any precision; state one in a catalog of your own (--catalog)", "{}：该 GPU 任何精度的峰值均未知；请在自己的目录（--catalog）中给出";
    REJECTED_PRECISION: "{} cannot do {} (it can do {})", "{} 不支持 {}（支持 {}）";
    REJECTED_NO_KERNEL: "{} has no FlashAttention training kernel", "{} 没有 FlashAttention 训练内核";
    REJECTED_STACK: "{}: {}", "{}：{}";
    REJECTED_MEMORY: "{} needs {}, {} allowed: {} too much at {}", "{} 需要 {}，允许 {}：超出 {}，超限项为{}";
    REJECTED_DEADLINE: "{} takes {}: {} too long", "{} 需 {}：超出期限 {}";
    REJECTED_BUDGET: "{}: {} over the budget", "{}：超出预算 {}";
    NAME_PRECISION: "precision not possible", "不支持该精度";
    NAME_NO_KERNEL: "no FlashAttention kernel", "无 FlashAttention 内核";
    HINT_NO_KERNEL: "leave out --flash-attention on", "去掉 --flash-attention on";
    NAME_STACK: "software cannot", "软件不支持";
    NAME_MEMORY: "does not fit", "显存不足";
    NAME_PLAN: "no valid plan", "无有效并行方案";
    NAME_DEADLINE: "too slow", "超出期限";
    NAME_BUDGET: "too dear", "超出预算";
    NAME_NEVER_ENDS: "interrupted faster than it gets on", "中断过于频繁，无法完成";
    NAME_GONE: "retired or withdrawn", "已下线或撤回";
    NAME_NO_PRICE: "without a price, in no budget", "无价格，不计入预算";
    NAME_UNCONFIRMED: "not known to be on sale", "在售未确认";
    NAME_PLACE: "place not asked for or not stated", "地域不符或未标明";
    ASSUMED_LIST: "* assumed: {}", "* 为假设：{}";
    COSTS_EXCLUDE: "Costs leave out disk, egress and tax. {}", "费用未含存储、出网流量和税费。{}";
    PRICES_OLDEST: "The oldest price shown is of {}: check before quoting.", "所示最早的价格日期为 {}，报价前请核实。";
    PRICES_UNDATED: "Some prices shown have no date: check before quoting.", "部分所示价格没有日期，报价前请核实。";
    SCREEN_NOTE: "* assumed. No disk, egress, tax in costs; times are training alone", "* 为假设。费用不含存储、出网流量和税费；时长仅含训练本身";
    SCREEN_NOTE_INTERRUPTED: "* assumed. No disk, egress, tax in costs; spot: times and costs with interruptions and restarts", "* 为假设。费用不含存储、出网流量和税费；竞价实例的时长和费用已含中断与重启";
    SCREEN_OLDEST: "oldest price {}", "最早价格日期 {}";
    SCREEN_UNDATED: "undated prices", "部分价格无日期";
    SCREEN_MORE: "more: --details", "详情：--details";
    TIMES_EXCLUDE: "Times are training alone; calendar time has start-up, evaluation, checkpoints and failures on top.",
        "时长仅含训练本身；日历时间另含启动、评估、检查点和故障恢复。";
    TIMES_INTERRUPTED: "Times, GPU-hours and costs of nodes that may be taken away, or for which interruptions are stated, are of the calendar time: start-up, evaluation, checkpoints, lost work and restarts are in them, and the limits hold for them; other times are training alone.",
        "可被回收或已注明中断的节点，其时长、GPU 小时和费用按日历时长计：已含启动、评估、检查点、损失的计算与重启，各项限制亦以此判断；其余时长仅含训练本身。";
    START_PAST: "the start, {}, is before {}, the day of the question: prices and what is on sale are those of the latter",
        "开始日期 {} 早于提问日期 {}：价格与在售状态以后者为准";
    RATE_AHEAD: "the exchange rate of {} is dated {}, after {}, the day of the question: it is a forecast",
        "{} 汇率的日期 {} 晚于提问日期 {}：属于预测值";
    ASK_DEADLINE: "By when must the training be finished?", "训练需要在何时之前完成？";
    ASK_PLACE: "In which country or region may the data and the job run?", "数据和任务允许放在哪个国家或地域？";
    ASK_SEQUENCE: "What sequence length does the training use?", "训练使用的序列长度是多少？";
    ASK_BATCH: "What global batch does the recipe need?", "训练方案要求的全局批大小是多少？";
    ASK_FRAMEWORK: "Which framework and version will run it?", "使用哪种框架及版本？";
    ASK_PRECISION: "Is 16-bit mixed precision acceptable, or must it be FP32?", "可否使用 16 位混合精度，还是必须用 FP32？";
    ASK_PURCHASE: "Is spot or a commitment of a year acceptable?", "可否接受竞价实例或一年期承诺？";
}
