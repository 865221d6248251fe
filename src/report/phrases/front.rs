//! Words of the Pareto front.

phrases! {
    OTHERWISE: "Else", "另选";
    ALTERNATIVE: "{}: {} ({} x {}) {}, {}", "{}：{}（{} × {}）{}，{}";
    CHEAPEST: "cheapest", "最便宜";
    FASTEST: "fastest", "最快";
    FEWEST_GPUS: "fewest GPUs", "GPU 最少";
    SUREST: "least risk", "风险最低";
    KNEE: "best balance", "最均衡";
    BEST_AT: "best at", "优势";
    COST: "cost {}", "费用 {}";
    RISK: "risk", "风险";
    TITLE: "Pareto front over time, cost, GPUs and risk: {} candidates, of which the best at something",
        "时长、费用、GPU 数与风险的帕累托前沿：共 {} 个方案，列出各方面最优者";
    RISK_NOTE: "risk: by how much the slow end (P90), interruptions included, exceeds the undisturbed median; best balance: nearest to the best of every axis",
        "风险：计入中断后慢端（P90）超出无中断中位时长的比例；最均衡：距各轴最优值最近";
}
