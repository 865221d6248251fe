//! Questions to the customer and what their answers may do.

phrases! {
    OPTIMIZER: "Which optimizer does the recipe use?", "训练方案使用哪种优化器？";
    MAX_GPUS: "How many GPUs may be used at the same time?", "最多可同时使用多少张 GPU？";
    MOVES: "{}: {} x the time, {} x the cost, then {}", "{}：时长 {} 倍，费用 {} 倍，改选 {}";
    STAYS: "{}: {} x the time, {} x the cost, the same choice", "{}：时长 {} 倍，费用 {} 倍，选择不变";
    MOVES_UNPRICED: "{}: {} x the time, no price to compare, then {}", "{}：时长 {} 倍，无价格可比，改选 {}";
    STAYS_UNPRICED: "{}: {} x the time, no price to compare, the same choice", "{}：时长 {} 倍，无价格可比，选择不变";
    ANY: "any", "不限";
    NOTHING_PASSES: "{}: nothing passes any more", "{}：不再有可行方案";
    NONE: "No assumed input changes time or cost noticeably.", "没有明显影响时长或费用的假设。";
    PICTURE: "What each assumed input moves: {}", "各项假设的影响：{}";
    INPUT: "assumed input", "假设项";
    TAKEN: "taken", "取值";
    INSTEAD: "if instead", "若改为";
    TIME: "time x", "时长倍数";
    COST: "cost x", "费用倍数";
    TITLE: "What each assumption moves, against {}; = the same choice", "各项假设的影响（对比 {}）；= 选择不变";
}
