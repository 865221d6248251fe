//! Sentences of what-if answers and of compared answers.

phrases! {
    CHANGES: "Changes", "改动";
    AFTER_JOB: "Then", "改动后";
    BEFORE: "before", "改动前";
    AFTER: "after", "改动后";
    RATIO: "after / before", "后／前";
    SWEEP: "Over {}", "随 {} 变化";
    RELATIVE_TIME: "time x", "时长倍数";
    RELATIVE_COST: "cost x", "费用倍数";
    TIME_OVER: "Time over {}", "时长随 {} 变化";
    COST_OVER: "Cost over {}", "费用随 {} 变化";
    DIFFERENCES: "Differences", "差异";
    WHERE: "where", "位置";
    SAME: "The two answers say the same.", "两份答案一致。";
    CHANGE: "change", "变化";
    ENTERED: "entered", "新增";
    LEFT: "left", "消失";
}
