//! Names of the terms of a step and of the items of memory, and in words how each is computed.

phrases! {
    MATRIX_PRODUCTS: "matrix products", "矩阵乘";
    CONVOLUTIONS: "convolutions", "卷积";
    ATTENTION: "attention", "注意力";
    ELEMENT_WISE: "element-wise", "逐元素算子";
    RECOMPUTE: "recomputation", "重计算";
    LAUNCH: "kernel launches", "内核启动";
    TENSOR_PARALLEL: "tensor-parallel collectives", "张量并行通信";
    EXPERT_PARALLEL: "expert exchange", "专家并行通信";
    TABLE_EXCHANGE: "table exchange", "嵌入表通信";
    CONTEXT_PARALLEL: "context ring", "上下文并行通信";
    HOST_UPDATE: "optimizer in host memory", "主机内存中的优化器更新";
    PIPELINE_TRANSFER: "pipeline transfers", "流水线传输";
    BUBBLE: "pipeline bubble", "流水线气泡";
    WEIGHT_GATHER: "weight gathers", "权重收集";
    GRADIENT_REDUCTION: "gradient reduction", "梯度归约";
    OPTIMIZER: "optimizer update", "优化器更新";
    INPUT: "waiting for input", "等待数据输入";
    FIXED: "fixed cost of a step", "单步固定开销";

    WEIGHTS: "weights", "权重";
    GRADIENTS: "gradients", "梯度";
    OPTIMIZER_STATES: "optimizer states", "优化器状态";
    CHECKPOINTED_INPUTS: "checkpointed layer inputs", "重计算用的层输入";
    ACTIVATIONS: "activations", "激活值";
    LOGITS: "logits and loss", "logits 与损失";
    GATHERED_LAYERS: "gathered layers", "收集中的层";
    COMMUNICATION_BUFFERS: "communication buffers", "通信缓冲区";
    CONTEXT: "context and libraries", "上下文与库";
    FRAGMENTATION: "fragmentation", "显存碎片";

    HOW_MATRIX_PRODUCTS: "forward, input gradient and, unless frozen, weight gradient of every product: 2mnk FLOP over the measured rate at its shape, joined with its bytes over the memory bandwidth",
        "每个矩阵乘的前向、输入梯度与（非冻结时）权重梯度：2mnk FLOP 除以该形状的实测速率，并与其访存字节除以显存带宽的时间合成";
    HOW_CONVOLUTIONS: "each convolution as the matrix product it lowers to, at the software's convolution efficiency",
        "每个卷积按其等价矩阵乘计算，并乘以软件栈的卷积效率";
    HOW_ATTENTION: "scores and values, forward and backward; fused at the software's share of the peak, unfused with passes over the s x s scores",
        "分数与加权求和的前向与反向；融合内核按软件栈的峰值占比，非融合则多次读写 s×s 分数矩阵";
    HOW_ELEMENT_WISE: "bytes read and written by norms, activations, residuals, embedding and loss over the memory bandwidth",
        "归一化、激活、残差、嵌入与损失的读写字节除以显存带宽";
    HOW_RECOMPUTE: "forward work done again in the backward pass", "反向过程中重新执行的前向计算";
    HOW_LAUNCH: "what launching the kernels on the host adds beyond the time of the device",
        "主机端启动内核所需、且超出设备执行时间的部分";
    HOW_TENSOR_PARALLEL: "all-reduces of activations inside each layer over the links of the group; not hidden",
        "各层内激活值在组内链路上的 all-reduce；无法隐藏";
    HOW_EXPERT_PARALLEL: "all-to-alls that send each token's row to its experts and back, forward and backward",
        "将各 token 发往其专家并取回的 all-to-all，前向与反向各一次";
    HOW_TABLE_EXCHANGE: "rows of embedding tables sent to the GPUs that looked them up, and their gradients back",
        "将嵌入表的行发送到查询它们的 GPU，并送回其梯度";
    HOW_CONTEXT_PARALLEL: "keys and values passed around the GPUs that share a sequence, as far as attention does not hide it",
        "共享同一序列的 GPU 之间传递键和值，仅计未被注意力计算掩盖的部分";
    HOW_HOST_UPDATE: "gradients to the host, update by its processors, weights back",
        "梯度传至主机，由主机处理器更新，权重再传回";
    HOW_PIPELINE_TRANSFER: "activations and their gradients sent between stages, each micro-batch once in each direction",
        "各微批的激活值及其梯度在流水线阶段之间各传一次";
    HOW_BUBBLE: "stages idle while the pipeline fills and drains: the time of the other stages once, divided by the virtual stages",
        "流水线充满与排空期间的空闲：其余阶段各一次的时间，除以虚拟阶段数";
    HOW_WEIGHT_GATHER: "all-gathers of sharded weights for each forward and backward pass, less what compute hides",
        "每次前向与反向对切分权重的 all-gather，减去被计算隐藏的部分";
    HOW_GRADIENT_REDUCTION: "all-reduce of the gradients over the data-parallel group, less what the backward pass hides",
        "数据并行组内梯度的 all-reduce，减去被反向计算隐藏的部分";
    HOW_OPTIMIZER: "states read and written once over the memory bandwidth", "优化器状态读写一遍的字节除以显存带宽";
    HOW_INPUT: "stored bytes of a batch over the storage bandwidth, beyond the rest of the step",
        "一个批次的存储字节除以存储带宽，超出单步其余时间的部分";
    HOW_FIXED: "data loader, logging, synchronisation with the host: a constant of the software",
        "数据加载、日志与主机同步：软件栈的常数";

    HOW_WEIGHTS: "{} bytes per parameter{}", "每参数 {} 字节{}";
    HOW_WEIGHTS_QUANTIZED: "4 bits and their constants per parameter of the layers, {} bytes of the rest{}",
        "各层每参数 4 位及量化常数，其余每参数 {} 字节{}";
    HOW_GRADIENTS: "{} bytes per parameter of gradient{}", "每参数梯度 {} 字节{}";
    HOW_OPTIMIZER_STATES: "{} bytes per parameter of moments{}", "每参数动量 {} 字节{}";
    HOW_OPTIMIZER_STATES_MIXED: "{} bytes per parameter of moments and FP32 master weights{}",
        "每参数动量与 FP32 主权重共 {} 字节{}";
    OVER_RANKS: ", sharded over {} data-parallel ranks", "，在 {} 个数据并行组员间切分";
    WITH_PARTITIONS: ", and FP32 partitions of 4 bytes, both sharded over {} ranks", "，另有 4 字节 FP32 分区，二者均在 {} 个组员间切分";
    HOW_CHECKPOINTED_INPUTS: "the input of every layer, for each micro-batch in flight", "在途各微批每层的输入";
    HOW_ACTIVATIONS: "tensors that the backward pass needs, for each micro-batch in flight", "在途各微批反向所需的张量";
    HOW_LOGITS: "vocabulary-wide scores and the loss of one micro-batch", "一个微批的词表打分与损失";
    HOW_GATHERED_LAYERS: "two layers' weights, one layer's gradients, and the ends of the model", "两层权重、一层梯度以及模型首尾";
    HOW_COMMUNICATION_BUFFERS: "two buckets of the collectives", "两个集合通信桶";
    HOW_CONTEXT: "what the driver, libraries and framework take before any tensor", "任何张量之前驱动、库与框架的占用";
    HOW_FRAGMENTATION: "loss of the allocator, as a share of activations", "分配器损失，按激活值占比计";
}
