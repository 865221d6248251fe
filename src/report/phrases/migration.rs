//! Sentences about a move from one cluster to another.

phrases! {
    FASTER: "{} is {} times as fast as {} (P10-P90 {} to {}) and the cheaper while its node costs less than {} times as much",
        "{} 的速度是 {} 倍（相对 {}，P10–P90 {} 至 {}）；节点价低于 {} 倍时更便宜";
    SAME_MACHINES: "{} is as fast as {}: the same machines, and the price of a node alone decides",
        "{} 与 {} 同样快：机型与数量相同，只看节点价格";
    COSTS_THE_SAME: "at the prices taken both cost the same", "按所取价格两者费用相同";
    NOTHING_CHANGES: "no part of the step differs by {} of it or more", "单步各部分的差异均不到单步时间的 {}";
    HOST_UNKNOWN: "the ratio supposes that {} never waits for samples: nobody states its vCPUs, and it needs {} a node for them; --vcpus states them, with fewer the ratio is another",
        "该比值假定 {} 从不等待样本：其 vCPU 数未知，而每节点需 {} 个用于准备样本；可用 --vcpus 给出，不足时比值会改变";
    THEN: "{}; {}", "{}；{}";
    SAVES: "at the prices taken it saves {} of the cost", "按所取价格可节省费用 {}";
    COSTS_MORE: "at the prices taken it costs {} more", "按所取价格费用增加 {}";
    WITHOUT_PRICES: "a price is missing, so the ratio decides", "缺少价格，以价格比判断";
    BETWEEN: "{} is between {} ({}) and {} ({}) times as fast as {}; it is the cheaper for all of these while its node costs less than {} times as much, and for none from {} times on",
        "{} 的速度是 {} 倍（{}）至 {} 倍（{}）（相对 {}）；节点价低于 {} 倍时对全部工作负载更便宜，达到 {} 倍时对任何一个都不便宜";
    WORKLOADS: "Speed-up by workload, relative to {}", "各工作负载的加速比（相对 {}）";
    WORKLOAD: "workload", "工作负载";
    BINDS_BEFORE: "binds before", "原瓶颈";
    BINDS_AFTER: "binds after", "现瓶颈";
    PAYS_BELOW: "pays below", "值得迁移的价格比上限";
    COST_CHANGE: "of its cost", "占首个集群费用";
    PAYS_NOTE: "Pays below: ratio of node prices, this cluster's over the first one's, below which it is the cheaper.",
        "价格比上限：该集群与首个集群的节点价格之比低于此值时更便宜。";
    SAVED: "of the step on {}, {} saves {}", "{} 的单步时间中，{} 节省 {}";
    STEP_ALONE: "a step alone is {} times as fast: evaluation and what surrounds epochs take the rest",
        "仅就单步而言为 {} 倍：其余来自评估与 epoch 前后的开销";
    LOST: "and adds {}", "并增加 {}";
    ADDED_ALONE: "of the step on {}, {} adds {}", "{} 的单步时间中，{} 增加 {}";
    SAVED_PART: "{} {} ({} times as fast, {})", "{} {}（{} 倍，{}）";
    PART: "{} {} ({})", "{} {}（{}）";
    INPUT_DECIDES: "{} waits for its input: a faster GPU does not help until storage or vCPUs grow",
        "{} 受数据输入限制：在存储带宽或 vCPU 增加之前，换更快的 GPU 无益";
    WHERE_TIME_GOES: "Where the time goes: {} against {}", "时间构成：{} 与 {}";
    BEFORE: "before", "原耗时";
    AFTER: "after", "现耗时";
    TIMES_AS_FAST: "times as fast", "倍速";
    SAVES_OF_STEP: "saves of the step", "节省单步占比";
    GAINS: "What the move brings and takes", "迁移的得失";
    GAINS_BF16: "{} brings bf16: mixed precision without loss scaling", "{} 支持 bf16：混合精度无需损失缩放";
    GAINS_TF32: "{} brings TF32: FP32 programs use matrix units without a change", "{} 支持 TF32：FP32 程序无需修改即可使用矩阵单元";
    GAINS_FP8: "{} brings FP8 matrix units", "{} 支持 FP8 矩阵单元";
    GAINS_FLASH2: "{} brings FlashAttention-2: no s x s scores in memory", "{} 支持 FlashAttention-2：显存中不再保留 s×s 分数矩阵";
    GAINS_FLASH3: "{} brings FlashAttention-3", "{} 支持 FlashAttention-3";
    LACKS_BF16: "{} lacks bf16: fp16 with loss scaling", "{} 不支持 bf16：使用 fp16 并需损失缩放";
    LACKS_TF32: "{} lacks TF32: FP32 programs run on ordinary cores", "{} 不支持 TF32：FP32 程序在普通核心上运行";
    LACKS_FP8: "{} lacks FP8", "{} 不支持 FP8";
    FLASH_UNUSED: "{} could run FlashAttention, but this software or plan does not use it: attention keeps its s x s scores",
        "{} 的硬件支持 FlashAttention，但所选软件或方案未使用：注意力仍保留 s×s 分数矩阵";
    LACKS_FLASH2: "{} lacks FlashAttention-2: attention keeps its s x s scores", "{} 不支持 FlashAttention-2：注意力保留 s×s 分数矩阵";
    LACKS_FLASH3: "{} lacks FlashAttention-3", "{} 不支持 FlashAttention-3";
    MEMORY_RATIO: "{} has {} usable memory per GPU, {} times that of {}", "{} 每卡可用显存 {}，为 {} 倍（相对 {}）";
    PLAN_CHANGES: "the plan changes with it: {} there, {} here", "并行方案随之变化：原为 {}，现为 {}";
}
