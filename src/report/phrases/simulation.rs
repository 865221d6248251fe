//! Labels, reasons and warnings of `simulate`, `compare` and `catalog`.

phrases! {
    CHOSEN: "chosen", "由程序选择";
    HOW: "how", "计算方式";
    BOUND_BY: "bound by", "受限于";
    BUBBLE_BOUND: "pipeline bubble", "流水线气泡受限";
    TOTAL: "total", "合计";
    CAPABILITY: "capability", "能力";
    SUPPORTED: "supported", "支持";
    NEEDS: "needs", "要求";
    INSTEAD: "instead", "替代";
    YES: "yes", "是";
    NO: "no", "否";
    SLICES: "up to {} slices", "最多 {} 个切片";
    COMPUTE_CAPABILITY: "compute capability {}", "计算能力 {}";
    BELOW: "{} and below {}", "{}（低于 {}）";
    FREE: "free", "剩余";
    EXCESS: "too much", "超出";
    EXCESS_OVER: "over the {} allowed", "超出允许的 {}";
    OF_USABLE: "of usable", "占可用显存";
    LENGTH: "length", "训练量";
    ALL_FOLDS: "all folds", "全部折";
    FOLDS_TIME: "{} independent jobs: {} one after the other on this cluster, or {} side by side on {} such clusters; {} GPU-hours{} either way",
        "{} 个独立任务：在本集群上依次运行需 {}，或在 {4} 个同样的集群上并行需 {3}；两种方式均为 {5} GPU 卡时{6}";
    METHOD: "method", "训练方式";
    NODE_LINK: "link inside a node", "节点内链路";
    FLOP_PER_STEP: "FLOP per step", "每步 FLOP";
    FLOP_COUNTS: "{} exact, {} by 6ND", "精确 {}，按 6ND 估算 {}";
    FLOP_COUNTS_FROZEN: "{} exact, {} by 4ND (frozen weights have no weight gradient)", "精确 {}，按 4ND 估算 {}（冻结权重不计权重梯度）";
    UTILIZATION: "model FLOP utilization", "模型算力利用率";
    UTILIZATIONS: "{} exact, {} by 6ND", "精确 {}，按 6ND {}";
    UTILIZATIONS_FROZEN: "{} exact, {} by 4ND", "精确 {}，按 4ND {}";
    PEAK_UNKNOWN: "unknown: no dense peak is stated for this GPU", "未知：该 GPU 未给出稠密峰值";
    SAMPLES_PER_SECOND: "{} samples/s", "{} 样本/s";
    TOKENS_PER_SECOND: "{} tokens/s ({} per GPU)", "{} token/s（每 GPU {}）";
    P10_TO_P90: "{} (P10 {}, P90 {})", "{}（P10 {}，P90 {}）";
    STEPS_OF: "{} steps of {}", "{} 步，每步 {}";
    RATE_IN_PLACE: "{} per node-hour, {}", "每节点小时 {}，{}";
    NO_PRICE_THERE: "no price: nobody states one for this place; --price or a price book does",
        "无价格：该地域没有报价；可用 --price 或价格表指定";
    GENERIC_NO_PRICE: "no price: a generic cluster is not for sale", "无价格：通用集群不对应在售产品";
    NODES_LINE: "nodes: {}, each {} x {}", "节点数 {}，每节点 {} × {}";
    PARAMETERS_OF: "{} parameters", "参数量 {}";
    STAGE_OF: "stage {} of {}", "第 {} 阶段，共 {} 阶段";
    NO_PLAN: "The job does not run on {}", "该任务无法在 {} 上运行";
    LARGEST_MICRO_BATCH: "Largest micro-batch with which it runs: {}", "可运行的最大微批：{}";
    LONGEST_SEQUENCE: "Longest sequence with which it runs: {} tokens", "可运行的最长序列：{} token";
    FEWEST_GPUS: "Fewest GPUs on which it runs: {}", "可运行的最少 GPU 数：{}";
    DEADLINE_NODES: "Fewest nodes for the deadline, at P50: {}", "满足期限所需的最少节点数（P50）：{}";
    DEADLINE_NODES_P90: "Fewest nodes for the deadline, at P90: {}", "满足期限所需的最少节点数（P90）：{}";
    LONGEST_TRAINING: "Longest training within the limits, at P50: {}", "约束内可完成的最长训练（P50）：{}";
    NEEDED_NETWORK: "Network per node that keeps 90 % of linear scaling: {} Gb/s", "保持 90 % 线性扩展所需的每节点网络带宽：{} Gb/s";
    WINNING_PRICE: "Price of a node-hour at which it costs as much as the cheapest other cluster: {}", "与最便宜的其他集群费用相同时的每节点小时价：{}";
    NO_NUMBER: "No such number: the cluster as given does not reach it", "无解：给定集群无法达到";
    NO_SOLUTION: "No such number: it does not run at the smallest one either", "无解：取最小值时也无法运行";
    CALENDAR: "calendar time", "日历时间";
    BESIDE_TRAINING: "beside training", "训练之外";
    EVALUATION: "evaluation {}", "评估 {}";
    EPOCHS_WITHIN: "and {} of evaluation and ends of epochs", "另含评估与轮次收尾 {}";
    EVALUATION_MORE: "evaluation beyond that {}", "此外的评估 {}";
    CHECKPOINTS: "checkpoints {} ({} every {})", "检查点 {}（{}，每 {}）";
    START_UP: "start-up {}", "启动 {}";
    FAILURES: "failures and restarts {} ({} interruptions expected)", "故障与重启 {}（预计中断 {} 次）";
    MEASURED_HERE: "Measured: a step of {} on {}, {} predicted (factor {}). Step here: {} before, {} after.",
        "实测：单步 {}（{}），预测 {}（系数 {}）。本集群单步：修正前 {}，修正后 {}。";
    MEASURED_ELSEWHERE: "Measured: a step of {} on {}, {} predicted there (factor {}). {} of that deviation is taken to hold here, the rest to be that GPU's own: {} before, {} after.",
        "实测：单步 {}（{}），该处预测 {}（系数 {}）。其中 {} 的偏差视为在本集群同样成立，其余视为该 GPU 特有：修正前 {}，修正后 {}。";
    MEASURED_WAITS_HERE: "Measured: a step of {} on {}, {} predicted; {} of it waited for data, the rest is the GPUs' (factor {}). Step here: {} before, {} after.",
        "实测：单步 {}（{}），预测 {}；其中 {} 在等待数据，其余为 GPU 用时（系数 {}）。本集群单步：修正前 {}，修正后 {}。";
    MEASURED_WAITS_ELSEWHERE: "Measured: a step of {} on {}, {} predicted there; {} of it waited for data there and is not carried over, the rest is the GPUs' (factor {}). {} of their deviation is taken to hold here, the rest to be that GPU's own: {} before, {} after.",
        "实测：单步 {}（{}），该处预测 {}；其中 {} 在该处等待数据，不作推广，其余为 GPU 用时（系数 {}）。其中 {} 的偏差视为在本集群同样成立，其余视为该 GPU 特有：修正前 {}，修正后 {}。";
    MEASURED_INPUT_HERE: "Measured: a step of {} on {}, {} predicted: by prediction it waits for its input, so that it does not show what the GPUs took; {} are taken for waits. Step here: {} before, {} after.",
        "实测：单步 {}（{}），预测 {}：按预测该步受数据输入限制，看不出 GPU 用时；其中 {} 视为等待。本集群单步：修正前 {}，修正后 {}。";
    MEASURED_INPUT_ELSEWHERE: "Measured: a step of {} on {}, {} predicted there: by prediction it waits for its input, so that it does not show what the GPUs took, and nothing is carried over: {} before, {} after.",
        "实测：单步 {}（{}），该处预测 {}：按预测该步受数据输入限制，看不出 GPU 用时，因此不作推广：修正前 {}，修正后 {}。";
    NEAREST_PLAN: "Nearest plan: {}", "最接近的方案：{}";

    REASON_NO_PEAK: "no peak of this GPU is known in any precision", "该 GPU 任何精度的峰值均未知";
    HINT_NO_PEAK: "state its peaks in a catalog of your own (--catalog DIR; keys such as fp16_tensor_dense)", "请在自己的目录（--catalog DIR）中给出其峰值，例如键 fp16_tensor_dense";
    REASON_PRECISION: "{} is not possible on this GPU; it can do {}", "该 GPU 不支持 {}；支持 {}";
    REASON_NEAREST: "; {} comes nearest", "；最接近的是 {}";
    REASON_NO_KERNEL: "FlashAttention has no training kernel for this GPU: attention keeps its scores",
        "该 GPU 没有 FlashAttention 训练内核：注意力保留分数矩阵";
    HINT_NO_KERNEL: "leave --flash-attention out, or take another GPU", "去掉 --flash-attention，或更换 GPU";
    REASON_MEMORY: "does not fit: {} needed, {} of {} usable allowed, {} too much, passed with {}",
        "放不下：需 {}，允许 {}（可用 {}），超出 {}；超限项为{}";
    REASON_PLAN: "no valid plan: {}", "没有有效的并行方案：{}";
    REASON_OTHER: "{}", "{}";
    HINT_MEMORY: "more GPUs, --sharding zero3, --recompute full, a smaller --micro-batch, or a GPU with more memory",
        "可增加 GPU、使用 --sharding zero3、--recompute full、减小 --micro-batch，或换用更大显存的 GPU";
    HINT_MEMORY_OF_SAMPLES: "a smaller patch or image, mixed precision, --recompute full (checkpointing), a smaller --micro-batch, or a GPU with more memory; sharding divides no feature maps",
        "可减小切块或图像尺寸、使用混合精度、--recompute full（检查点重计算）、减小 --micro-batch，或换用更大显存的 GPU；切分不能减少特征图";
    HINT_MEMORY_OF_TABLES: "tables of embeddings fill the memory, copied whole to each GPU with dense gradients, as the model's file says (update = \"split\" there divides them); a GPU with more memory, or another --optimizer",
        "嵌入表占满显存：按模型文件所述，每个 GPU 各存一份并含稠密梯度（文件中 update = \"split\" 表示切分）；可换显存更大的 GPU 或更换 --optimizer";
    HINT_MEMORY_OF_SPLIT_TABLES: "tables of embeddings fill the memory although the GPUs divide them: more GPUs, a GPU with more memory, or an --optimizer with smaller states",
        "嵌入表即使切分到各 GPU 仍占满显存：可增加 GPU 数量、换显存更大的 GPU，或更换状态更小的 --optimizer";
    HINT_PRECISION: "leave --precision out, or take another GPU", "去掉 --precision，或更换 GPU";
    HINT_NEVER_ENDS: "fewer nodes, rarer interruptions, a shorter --restart, a shorter --checkpoint-every, or nodes on demand",
        "减少节点、降低中断频率、缩短 --restart 或 --checkpoint-every，或改用按需节点";
    HINT_PLAN: "another number of GPUs, or another --global-batch", "更换 GPU 数量或 --global-batch";

    WARN_LOSS_SCALING: "no bf16 on this GPU: fp16 with loss scaling", "该 GPU 不支持 bf16：使用 fp16 并需损失缩放";
    WARN_NO_MIXED: "no mixed precision: 32-bit weights and activations", "未使用混合精度：权重与激活均为 32 位";
    WARN_FUSED_32: "FlashAttention has kernels for 16 bits and less: with {} the fused attention of the software is reckoned, at the rate of {}",
        "FlashAttention 仅有 16 位及以下的内核：{} 时按软件自带的融合注意力、以 {} 速率计算";
    WARN_NO_FLASH: "no FlashAttention-2: attention keeps its s x s scores, in memory and in time",
        "无 FlashAttention-2：注意力保留 s×s 分数矩阵，占用显存与时间";
    WARN_PCIE: "the GPUs of a node meet over PCIe only: collectives are slow", "节点内 GPU 仅经 PCIe 互联：集合通信较慢";
    WARN_NETWORK_UNKNOWN: "network unknown: {} assumed, grade D", "网络未知：按 {} 假设，证据等级 D";
    WARN_NETWORK_SLOW: "communication takes {} of the step on a network of {} per node", "通信占单步时间的 {}，每节点网络为 {}";
    WARN_NETWORK_ASSURED: "only {} of the network is assured: P90 uses it", "网络仅保障 {}：P90 按此计算";
    INPUT_NEEDED: "input that keeps the GPUs busy", "使 GPU 不空等所需的输入";
    NEED_STORAGE: "{} from storage", "存储带宽 {}";
    NEED_VCPUS: "{} vCPUs per node for preparation alone", "每节点 {} 个 vCPU 专用于预处理";
    WARN_INPUT_BOUND: "the GPUs wait for input {} of the step: a faster GPU does not help, {} would", "GPU 有 {} 的单步时间在等待输入：换更快的 GPU 无益，需要 {}";
    WARN_INPUT_UNKNOWN: "the input may bind and is not reckoned with: give {}", "数据输入可能成为瓶颈，此处未计入：请给出 {}";
    WARN_INPUT_UNSTATED: "the input may bind and is not reckoned with: of this data set neither the stored size of a sample nor the time to prepare it is known",
        "数据输入可能成为瓶颈，此处未计入：该数据集的样本存储大小与预处理时间均未知";
    WARN_PORTING: "no run of {} on accelerators of {} is known: software, kernels and model code must be ported and checked, in no time or cost here",
        "未见 {} 在 {} 加速器上的运行记录：软件、算子与模型代码须移植并验证，所需时间与费用均未计入";
    COST_OF_PREDICTION: "the interval is of the predicted time, at this price; with interruptions and prices as drawn: Risk",
        "该区间仅含预测时长的不确定性，按此价格计；含中断与价格波动的区间见“风险”";
    FOLDS_APART: "the {} jobs may run side by side, one on a GPU ({} at a time): --gpu {} --gpus 1 has the time of one, {} of {} GPUs stand idle in the last round, and nodes are paid whole",
        "{} 个任务可并行，每个占一张 GPU（同时 {} 个）：单个任务的时长见 --gpu {} --gpus 1，最后一轮有 {} / {} 张 GPU 空闲，节点按整机计费";
    WARN_FEATURE_MAPS: "feature maps are {} of the memory: a smaller patch or image, mixed precision and --recompute full make room, sharding does not",
        "特征图占显存的 {}：减小切块或图像尺寸、混合精度与 --recompute full 可腾出空间，切分无效";
    WARN_TIGHT: "memory is tight: {} free", "显存余量紧张：剩余 {}";
    WARN_RELATIVE: "no measured run of this software here: coefficients of {}, its nearest measured relative; grade D, wide interval",
        "该软件栈在此无实测数据：借用最接近的已测软件栈 {} 的系数；证据等级 D，区间较宽";
    WARN_EVIDENCE: "much of this rests on datasheets or assumptions (grade D)", "本结果多依赖规格书或假设（证据等级 D）";
    WARN_GONE: "no longer sold", "已不再销售";
    WARN_NOT_SOLD: "not known to be on sale", "在售状态不明";
    WARN_OLD_PRICE: "the price is of {}, older than 30 days", "价格日期为 {}，已超过 30 天";
    WARN_UNDATED_PRICE: "the price is undated", "价格无日期";
    WARN_NO_RATE: "no exchange rate: the cost stays in the currency of its price", "缺少汇率：费用保留原币种";
    WARN_ONE_YEAR: "the rate needs a commitment of one year; the cost is the job's share of it", "该价格需承诺一年；费用为任务所占份额";
    WARN_THREE_YEARS: "the rate needs a commitment of three years; the cost is the job's share of it", "该价格需承诺三年；费用为任务所占份额";
    WARN_MONTHS: "started months are paid whole", "不足一月按整月计费";
    WARN_SPOT: "spot: cost and GPU-hours are of the calendar time, with interruptions, the work they lose and restarts at the usual rate; see Risk",
        "竞价实例：费用与 GPU 小时按日历时长计，已含通常频率下的中断、损失的计算与重启；见“风险”";
    WARN_BILLING: "billing granularity unknown: started hours are paid whole", "计费粒度未知：不足一小时按整小时计";

    RELATIVE_TO: "relative to {}", "相对于 {}";
    FIRST_PAYS: "{} is the cheaper as long as its node costs less than {} times that of {}.",
        "只要 {} 的节点价低于 {} 倍的 {} 节点价，前者就更便宜。";
    HOST_MARK: "? supposes that samples are there when the GPUs want them: the vCPUs of a host are not known.",
        "? 假定样本总能及时备好：有主机的 vCPU 数未知。";
    PRICE_RATIO_NOTE: "Break-even price ratio: below this ratio of node prices, this cluster's over the first one's, it is the cheaper.",
        "盈亏平衡价格比：当该集群与首个集群的节点价格之比低于此值时，该集群更便宜。";
    RATIO_INTERVAL_NOTE: "Intervals of speed-ups are narrower than those of times: errors that both share cancel.",
        "加速比区间窄于时长区间：两者共有的误差相互抵消。";
    VALUE: "value", "取值";
    NAME: "name", "名称";
    KIND: "kind", "类别";
    FAMILY: "family", "系列";
    ARCHITECTURE: "architecture", "架构";
    BANDWIDTH: "memory bandwidth", "显存带宽";
    GPU_LINK: "GPU link", "GPU 互联";
    YEAR: "year", "年份";
    PEAK_16_BIT: "dense 16-bit peak", "16 位稠密峰值";
    PEAK_32_BIT: "fp32 peak", "fp32 峰值";
    VCPUS: "vCPUs", "vCPU 数";
    HOST_MEMORY: "host memory", "主机内存";
    REGION: "region", "区域";
    CITY: "city", "城市";
    COUNTRY: "country", "国家或地区";
    TASK: "task", "任务类型";
    BYTES_PER_SAMPLE: "bytes per sample", "每样本字节";
    MAX_SEQUENCE: "longest sequence", "最长序列";
    CONFIDENCE: "confidence", "可信程度";
    SUPERSEDED: "superseded", "已被取代";
    SUSPECT: "suspect", "存疑";
    RECORDS: "records", "记录数";
    DOUBTFUL: "records to be careful with", "需谨慎对待的记录";
    UNRESOLVED: "known by name only: {} instance types, {} prices", "仅知名称：{} 种实例规格，{} 条价格";
    CONTENT_HASH: "content hash", "内容哈希";
    BANDWIDTH_OF_NETWORK: "network bandwidth", "网络带宽";
    PER_MONTH: "price per node-month", "每节点月价";
    CURRENCY: "currency", "币种";
    LAYERS: "layers", "层数";
    HIDDEN: "hidden size", "隐藏维度";
    HEADS: "heads", "注意力头数";
    DATASET: "dataset", "数据集";
    PRESET: "preset", "预设";
}
