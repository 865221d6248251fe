//! What would flip the choice, and what the runners-up lack.

phrases! {
    PRICE: "a price {} lower for {}", "{2} 降价 {1}";
    SHORTER: "a deadline {} earlier (below {}): then {} ({}, {} the cost)", "期限提前 {}（短于 {}）：则选 {}（{}，费用为 {}）";
    SHORTER_BELOW: "a deadline below {}: then {} ({}, {} the cost)", "期限短于 {}：则选 {}（{}，费用为 {}）";
    LONGER: "time up to {}: then {} at {} the cost", "允许 {}：则选 {}，费用为 {}";
    STATED: "a stated network of {} or more for {}: then {} the cost", "{2} 网络确认达到 {1}：费用为 {3}";
    WIDER: "twice the network ({} to {}) for {}: then {} the cost", "{3} 网络加倍（{1} 至 {2}）：费用为 {4}";
    SEQUENCE: "sequences of {} instead of {}: then {} ({} the cost)", "序列长度由 {2} 改为 {1}：则选 {3}（费用为 {4}）";
    SEQUENCE_NOTHING: "sequences of {} instead of {}: nothing passes", "序列长度由 {2} 改为 {1}：不再有可行方案";
    LACKS: "Lacks", "差距";
    LACKS_TITLE: "What the runners-up lack, each over the winner's; the last two tried with twice of it",
        "其他方案的差距（相对首选）；后两列为加倍后的试算";
    LACK_PRICE: "{}: a lower price ({} x per GPU-hour)", "{}：单价偏高（每 GPU 卡时 {} 倍）";
    LACK_SPEED: "{}: a faster GPU ({} x the GPU-hours)", "{}：GPU 偏慢（GPU 卡时 {} 倍）";
    LACK_NETWORK: "{}: network ({} x faster with twice of it)", "{}：网络不足（加倍后快 {} 倍）";
    LACK_MEMORY: "{}: memory per GPU ({} x faster with twice of it)", "{}：单卡显存不足（加倍后快 {} 倍）";
    LACK_SIZE: "{}: GPUs ({} x the time)", "{}：GPU 数不足（时长 {} 倍）";
    LACK_NOTHING: "{}: nothing that decides", "{}：无决定性差距";
    LACKING: "lacks", "差距";
    SHORT_PRICE: "price", "价格";
    SHORT_SPEED: "GPU speed", "GPU 速度";
    SHORT_NETWORK: "network", "网络";
    SHORT_MEMORY: "memory", "显存";
    SHORT_SIZE: "GPUs", "GPU 数";
    COST_OVER: "cost x", "费用倍数";
    TIME_OVER: "time x", "时长倍数";
    PRICE_OVER: "price/GPU-h x", "单价倍数";
    HOURS_OVER: "GPU-hours x", "卡时倍数";
    NETWORK_OVER: "network 2x", "网络加倍";
    MEMORY_OVER: "memory 2x", "显存加倍";
}
