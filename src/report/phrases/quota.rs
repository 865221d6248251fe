//! Words about what may be started.

phrases! {
    QUOTA: "Quota", "配额";
    NOT_CHECKED: "quota and stock not checked", "配额与库存未核实";
    LIMIT: "undated quota, stock not checked", "配额（无日期），库存未核实";
    LIMIT_OF: "quota of {}, stock not checked", "配额截至 {}，库存未核实";
    NAME_QUOTA: "beyond the quota", "超出配额";
    NAME_UNKNOWN: "quota not checked", "配额未核实";
    BEYOND_NODES: "{} needs {} nodes, {} in the quota", "{} 需 {} 个节点，配额为 {}";
    BEYOND_GPUS: "{} needs {} GPUs, {} in the quota", "{} 需 {} 张 GPU，配额为 {}";
    UNDATED: "no date given", "未给出日期";
    INCREASE: "if the increase arrives ({}): {} in {} ({} x {}): {} (P90 {}), {} (P90 {})",
        "若增配到位（{}）：{}，{}（{} × {}）：{}（P90 {}），{}（P90 {}）";
    INCREASE_SAME: "the increase ({}) would change nothing", "增配（{}）不改变结论";
    INCREASE_NOTHING: "nothing passes, even if the increase arrives ({})", "即使增配到位（{}）也没有可行方案";
}
