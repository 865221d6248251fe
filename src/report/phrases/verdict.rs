//! Short verdicts inside cells and sentences.

phrases! {
    FITS: "fits", "放得下";
    TIGHT: "tight", "余量紧张";
    DOES_NOT_FIT: "does not fit", "放不下";
    TIE: "tie", "持平";
    NO_PRICE: "no price", "无价格";
    UNKNOWN: "unknown", "未知";
    NETWORK_UNKNOWN: "network unknown", "网络未知";
    NOT_APPLICABLE: "n/a", "不适用";
    ASSUMED: "assumed", "假设";
    CHOSEN_BY_PROGRAM: "chosen by the program", "由程序选择";
    WINNER: "winner", "胜出";
    YES: "yes", "是";
    NO: "no", "否";
    COMPUTE_BOUND: "compute bound", "算力受限";
    MEMORY_BOUND: "memory bound", "显存带宽受限";
    COMMUNICATION_BOUND: "communication bound", "通信受限";
    INPUT_BOUND: "input bound", "数据输入受限";
    LAUNCH_BOUND: "launch bound", "内核启动受限";
    COMPUTE: "compute", "计算";
    COMMUNICATION: "communication", "通信";
    PIPELINE_BUBBLE: "pipeline bubble", "流水线气泡";
    DATA_LOADING: "data loading", "数据加载";
    CHECKPOINTS: "checkpoints", "检查点";
    RESTARTS: "restarts", "故障重启";
    ON_SALE: "on sale", "在售";
    RESTRICTED: "restricted", "受限销售";
    NO_NEW_CAPACITY: "no new capacity", "停止新增";
    RETIRED: "retired", "已下线";
    WITHDRAWN: "withdrawn", "已撤回";
    LEGACY: "legacy", "旧一代";
    UNVERIFIED: "unverified", "未核实";
    ON_DEMAND: "on demand", "按需";
    SPOT: "spot", "竞价";
    RESERVED: "reserved", "预留";
    TOO_LATE: "misses the deadline", "超出期限";
    TOO_EXPENSIVE: "over the budget", "超出预算";
    TOO_MANY_GPUS: "over the GPU limit", "超出 GPU 数量上限";
    OVER_QUOTA: "over the quota", "超出配额";
    OUTSIDE_PLACE: "outside the allowed places", "不在允许的地域内";
    PRECISION_UNSUPPORTED: "precision not supported", "不支持该精度";
    SHORT_BY: "short by {}", "差 {}";
    MEASURED: "measured", "实测";
    FITTED: "fitted", "拟合";
    PUBLISHED: "published", "公开资料";
    DATASHEET: "datasheet", "规格书";
}
