//! Figures of `simulate --explain`.

phrases! {
    FIGURES_PRODUCTS: "{} products x {} passes x {} micro-batches, 2mnk = {} FLOP per GPU, at {}: {} of the {} of a very large product",
        "{} 个矩阵乘 × {} 次传播 × {} 个微批，2mnk = 每 GPU {} FLOP，速率 {}：为超大矩阵乘速率的 {}（{}）";
    FIGURES_TRAFFIC: "{} per GPU at {}", "每 GPU {}，带宽 {}";
    FIGURES_GROUP: "{} GPUs on {} nodes, {} x {}", "{} 张 GPU，分布于 {} 个节点，{} × {}";
    FIGURES_PIPELINE: "{} stages, {} virtual stages each, {} micro-batches: (p - 1) / (v m) = {} of the stages' work if they were equal",
        "{} 个阶段，每阶段 {} 个虚拟阶段，{} 个微批：各阶段相等时 (p − 1) / (v m) = 阶段工作量的 {}";
    FIGURES_AGAIN: "{}, {} micro-batches", "{}，{} 个微批";
    SOURCES: "Sources of the numbers", "数据来源（引自记录原文）";
    SOURCE_HARDWARE: "GPU: {}", "GPU：{}";
    SOURCE_SOFTWARE: "software: {}", "软件栈：{}";
    SOURCE_LINK: "links inside a node: {}", "节点内链路：{}";
    SOURCE_NETWORK: "network: {}", "网络：{}";
}
