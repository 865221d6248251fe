//! What would let a rejected cluster in.

phrases! {
    FITS: "fits {}", "{}即可放下";
    WORKS: "passes {}", "{}即可通过";
    EITHER: "{} or {}", "{}或{}";
    RECOMPUTE: "with recompute {}", "重计算改为 {}";
    MICRO_BATCH: "with micro-batch {}", "微批改为 {}";
    SHARDING: "with sharding {}", "状态切分改为 {}";
    FREE_PLAN: "with the plan left open", "不指定并行方案";
    ONE_NODE: "on 1 node", "改用 1 个节点";
    NODES: "on {} nodes", "改用 {} 个节点";
    HOST_OPTIMIZER: "with --optimizer-offload", "启用 --optimizer-offload";
    SOFTWARE: "with --framework {}", "改用 --framework {}";
    PRECISION: "in {}", "精度改为 {}";
    NO_FLASH_ATTENTION: "without FlashAttention", "不用 FlashAttention";
    GLOBAL_BATCH: "with a global batch of {}", "全局批大小改为 {}";
    PURCHASE: "if bought {}", "购买方式改为{}";
    ADAPTERS: "with --method lora", "改用 --method lora";
}
