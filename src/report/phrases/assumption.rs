//! What was assumed, and why: answers keep these texts in English, reports for people say them in their language.
//!
//! [`said`] finds the phrase whose English text, with its places, is the one that was recorded.

phrases! {
    OPTIMIZER: "optimizer", "优化器";
    FRAMEWORK: "framework", "训练框架";
    SEQUENCE_LENGTH: "sequence_length", "序列长度";
    GLOBAL_BATCH: "global_batch", "全局批大小";
    MODEL: "model", "模型";
    MODEL_DETAILS: "model_details", "模型细节";
    IMPLEMENTATION: "implementation", "实现";
    BUILT_BY: "what this software builds of the network", "该软件对此网络的实现";
    PRECISION: "precision", "精度";
    PLAN: "plan", "并行方案";
    FRAMEWORK_VERSION: "framework_version", "训练框架版本";
    RECIPE: "recipe", "调优水平";
    PRESET: "preset", "预设方案";
    PLACE: "place", "地域";
    NODES: "nodes", "节点数";
    NODE_LINK: "node_link", "节点内互联";
    NETWORK: "network", "节点间网络";
    VCPUS: "vcpus", "vCPU 数";
    VCPUS_STATED: "as stated, in place of the {} of the instance type", "按给定值，代替该规格的 {} 个";
    VCPUS_EVERYWHERE: "as stated, on every node in place of what the instance types have", "按给定值，各节点均代替规格所列";
    DEADLINE: "deadline", "期限";
    MAX_GPUS: "max_gpus", "GPU 数上限";
    PURCHASE: "purchase", "计费模式";
    LORA_RANK: "lora_rank", "LoRA 秩";
    LORA_ALPHA: "lora_alpha", "LoRA alpha";
    LORA_TARGETS: "lora_targets", "LoRA 作用层";
    BASE_WEIGHTS: "base_weights", "基座权重";
    USUAL_TRANSFORMERS: "usual for transformers", "Transformer 的常用选择";
    USUAL_PICTURES: "usual for networks over images or volumes", "图像或体数据网络的常用选择";
    USUAL_OTHERS: "usual for networks over sequences, sound or records", "序列、音频或表格网络的常用选择";
    DEFAULT_FOR: "the default for {}", "{}的默认选择";
    LANGUAGE_MODELS: "language models", "语言模型";
    ENCODERS: "encoders", "编码器";
    ENCODER_DECODERS: "encoder-decoders", "编码器-解码器";
    VISION_TRANSFORMERS: "vision transformers", "视觉 Transformer";
    OVER_SAMPLES: "networks over samples", "按样本训练的网络";
    ADAPTERS: "adapters", "适配器微调";
    BATCH_DIVIDES: "a global batch of {} does not divide over {} GPUs", "全局批大小 {} 无法在 {} 张 GPU 间整除";
    STACK_HAS: "{} has no {}; it has {}", "{} 不支持 {}；支持 {}";
    STACK_TRAINS: "{} trains in {}, not in {}", "{} 支持的训练精度为 {}，不含 {}";
    PRESET_SEGMENTATION: "an epoch has {} iterations whatever the size of the set; each fold is a training of its own. Validation between epochs is left out. Preparation: augmentation of a patch, middle of {} to {} thread-seconds for a batch of two (derived)",
        "每个 epoch 固定 {} 次迭代，与数据集大小无关；每一折为一次独立训练；未计 epoch 之间的验证；预处理：每个图块的数据增强，取两图块一批 {} 至 {} 线程秒的中值（推算）";
    PRESET_BATCH: "the batch follows from the memory that {} plans for: give --global-batch", "批大小取决于 {} 规划的显存：请给出 --global-batch";
    PRESET_TARGET: "to the target accuracy; larger batches take more epochs ({} at {}). Optimizer {} there, {} here",
        "训练至目标精度；批越大所需 epoch 越多（{2} 时为 {1}）。原方案优化器为 {3}，此处为 {4}";
    SEVERAL_NAMED: "the name given stands for several; the usual one of them for this job", "所给名称可指多种框架，取该任务常用的一种";
    LACKS: "{} lacks what the plan asks for", "{} 不具备该并行方案所需功能";
    NO_PLAN_FITS: "{} has no plan that fits", "{} 没有放得下的并行方案";
    USUAL_ENCODERS: "usual for encoders", "编码器的常用值";
    USUAL_BY_SIZE: "usual where only the size is known", "仅知参数量时的常用值";
    LONGEST: "the model's longest, at most 4096", "该模型支持的最大长度，不超过 4096";
    BATCH_BY_SIZE: "usual for this size (Brown et al. 2020, table 2.1, rounded)", "该规模的常用值（Brown 等 2020，表 2.1，取整）";
    BATCH_ADAPTED: "the nearest to the usual {} that divides well over {} GPUs", "最接近常用值 {} 且能在 {} 个 GPU 上均分的批大小";
    RECORDS_A_STEP: "records per step, as published references of recommenders train", "每步记录数，与推荐系统公开参考实现相同";
    TABLES_COPIED: "tables of embeddings are copied whole to every GPU, with dense gradients; trainers of recommenders split them by table or row",
        "嵌入表在每个 GPU 上各存一份，采用稠密梯度；推荐系统训练通常按表或按行切分";
    TABLES_EVEN: "tables of embeddings divide evenly over the GPUs; where whole tables are placed, the largest decides memory and time",
        "嵌入表均匀切分到各 GPU；若按整表放置，则显存与时间取决于最大的表";
    SEQUENCES: "{} sequences ({} tokens)", "{} 条序列（{} token）";
    ONLY_SEQUENCES: "{} sequences", "{} 条序列";
    ADAPTERS_A_STEP: "sequences per step, usual for adapters (the Alpaca recipe)", "每步序列数，适配器微调的常用值（Alpaca 方案）";
    IMAGES_A_STEP: "images per step, a usual size", "每步图像数，常用值";
    PLACES_A_STEP: "as many pixels or voxels a step as 256 images of 224 x 224, as usual", "每步像素（体素）数与 256 张 224 x 224 图像相当，常用做法";
    STANDARD_DECODER: "standard decoder of {} parameters: {} layers, hidden size {}, {} heads of {}, {} key-value heads, gated MLP of {}, vocabulary {}, rotary positions",
        "{} 参数的标准解码器：{} 层，隐藏维度 {}，{} 个注意力头（每头 {} 维），{} 个键值头，门控 MLP 维度 {}，词表 {}，旋转位置编码";
    SEQUENCES_A_STEP: "sequences per step, a usual size", "每步序列数，常用值";
    SAMPLES_A_STEP: "samples per step, a usual size", "每步样本数，常用值";
    SAMPLES_ROUNDED: "samples per step, rounded up to divide evenly", "每步样本数，向上取整以便均分";
    IMAGES_ROUNDED: "images per step, rounded up to divide evenly", "每步图像数，向上取整以便均分";
    SEQUENCES_ROUNDED: "sequences per step, rounded up to divide evenly", "每步序列数，向上取整以便均分";
    TARGETS: "the decoder has {} % of the encoder's tokens, as in its pre-training", "解码器 token 数为编码器的 {} %，与其预训练相同";
    TARGETS_STATED: "the decoder has {} % of the encoder's tokens, as stated", "解码器 token 数为编码器的 {} %，按给定值";
    ONLY_SIZE: "only a size is known: proportions of the open decoders since 2023", "仅知参数量：按 2023 年以来开源解码器的比例";
    NOT_SAID: "the configuration does not say", "配置文件未说明";
    HOW_BUILT: "how such models are usually built", "此类模型的通常结构";
    NO_DROPOUT_IMAGES: "no dropout, as usual in training on images", "不使用 dropout（图像训练的通常做法）";
    NO_DROPOUT: "no dropout, as usual with rotary, ALiBi or relative positions or a gated MLP",
        "不使用 dropout（采用旋转、ALiBi、相对位置或门控 MLP 时的通常做法）";
    BF16: "bf16: mixed 16-bit precision, the GPU has it", "bf16：16 位混合精度，该 GPU 支持";
    FP16: "fp16 with loss scaling: mixed 16-bit precision without bf16", "fp16 加损失缩放：该 GPU 不支持 bf16 的 16 位混合精度";
    FP32: "fp32: no mixed precision here", "fp32：此处无混合精度";
    CHOSEN: "chosen for the shortest step that fits", "在放得下的方案中取单步最短者";
    AS_PUBLISHED: "tuned as well as published references", "与公开参考实现同等调优";
    EPOCHS: "epochs", "轮数";
    PASSES: "passes over the set", "遍历整个数据集";
    PUBLISHED_EPOCH: "an epoch of its published schedule has {} steps: --preset {}", "公开训练计划的每轮为 {} 步：--preset {}";
    PRESET_REMARK: "remark of the schedule", "该训练方案的说明";
    PLAN_TENSOR: "tensor parallel {}", "张量并行 {}";
    PLAN_PIPELINE: "pipeline parallel {}", "流水线并行 {}";
    PLAN_VIRTUAL: "virtual stages {}", "虚拟流水段 {}";
    PLAN_SHARDING: "sharding {}", "状态切分 {}";
    PLAN_SEQUENCE: "sequence parallel {}", "序列并行 {}";
    PLAN_CONTEXT: "context parallel {}", "上下文并行 {}";
    PLAN_EXPERT: "expert parallel {}", "专家并行 {}";
    PLAN_RECOMPUTE: "recompute {}", "重计算 {}";
    PLAN_MICRO_BATCH: "micro batch {}", "微批 {}";
    PLAN_PRECISION: "precision {}", "精度 {}";
    PLAN_OFFLOAD: "optimizer offload {}", "优化器卸载 {}";
    PLAN_FLASH: "FlashAttention {}", "FlashAttention {}";
    ON: "on", "开启";
    OFF: "off", "关闭";
    ALL_TARGETS: "all", "全部";
    ATTENTION_TARGETS: "attention", "注意力";
    NONE: "none", "无";
    SELECTIVE: "selective", "选择性";
    FULL: "full", "完全";
    ENERGY_NODE: "power of a node: {}", "单节点功率：{}";
    ENERGY_PUE: "power usage effectiveness (PUE): {}", "电能使用效率（PUE）：{}";
    ENERGY_GRID: "carbon of the grid: {}", "电网碳强度：{}";
    NO_REGION: "no region given: the lowest price; @REGION after the instance type fixes it", "未指定地域：取最低价；在规格后加 @REGION 可指定";
    UNKNOWN_NETWORK: "network unknown: {} states none for {}", "网络未知：{} 未说明 {} 的网络";
    GENERIC_NODES: "generic cluster; --gpus-per-node changes it", "通用集群；可用 --gpus-per-node 修改";
    GENERIC_LINKS: "generic cluster of GPUs with links of their own; --network changes it", "带 GPU 直连的通用集群；可用 --network 修改";
    GENERIC_PCIE: "generic cluster of PCIe GPUs; --network changes it", "PCIe GPU 的通用集群；可用 --network 修改";
    USUAL_LINK: "the usual link of this GPU", "该 GPU 的常见互联";
    NO_DEADLINE: "none given; what takes longer comes last, marked", "未给出；超出者排在最后并标明";
    NO_LIMIT: "no limit given", "未给出上限";
    USUAL_START: "the usual way to start", "通常的起步方式";
    USUAL_RANK: "a usual rank", "常用的秩";
    TWICE_RANK: "twice the rank, as usual", "秩的两倍（通常做法）";
    EVERY_PRODUCT: "every product of a layer, as usual", "层内全部矩阵乘（通常做法）";
    QLORA: "what QLoRA does", "QLoRA 的做法";
    PER_NODE: "{} per node", "每节点 {}";
    DROPOUT: "dropout is used, as usual with learned positions and a plain MLP", "使用 dropout（采用可学习位置与普通 MLP 时的通常做法）";
    MASKED_HEAD: "the masked-language-model head predicts {} % of the positions; its own transform is computed, but published counts leave its parameters out",
        "掩码语言模型头预测 {} % 的位置；其变换计入计算量，但公开参数量未计入其参数";
    EVEN_ROUTING: "tokens are routed evenly over the {} experts; uneven routing makes the slowest GPU slower",
        "token 均匀路由到 {} 个专家；不均匀时最慢的 GPU 会更慢";
    RELATIVE_KERNEL: "fused attention needs a kernel that adds relative position biases", "融合注意力需要支持相对位置偏置的内核";
    BEYOND_POSITIONS: "the sequence of {} is longer than the {} learned positions, whose table is not enlarged",
        "序列长度 {} 超过 {} 个可学习位置；位置表未扩大";
    LONGEST_SEQUENCE: "longest_sequence", "最大序列长度";
    BEYOND_LONGEST: "the sequence of {} is longer than what this model was built for", "序列长度 {} 超过该模型的设计长度";
    LENGTH: "length", "训练量";
    THE_MOST: "the most that the limits train", "约束内可训练的最大量";
}

use super::{description, plan};
use crate::report::Language;
use crate::report::recorded::phrase_of;

/// A recorded English text in a language; one that no phrase knows stays as it is.
pub fn said(text: &str, language: Language) -> String {
    if language == Language::English {
        return text.to_owned();
    }
    // A list, as the parts of a plan are, when each of its parts is known.
    let listed: Option<Vec<String>> = text.split(", ").map(|part| known(part, language)).collect();
    listed.map(|parts| parts.join("、")).or_else(|| known(text, language)).unwrap_or_else(|| text.to_owned())
}

fn known(text: &str, language: Language) -> Option<String> {
    let all = [ALL, plan::ALL, description::NOTES].into_iter().flatten();
    let (phrase, parts) = phrase_of(all.map(|(_, phrase)| *phrase), text)?;
    // What stands in a place may be a phrase itself.
    let parts: Vec<String> = parts.into_iter().map(|part| said(part, language)).collect();
    Some(phrase.fill(language, &parts.iter().map(String::as_str).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_of_a_schedule_is_said_in_chinese() {
        let catalog = crate::catalog::Catalog::embedded().unwrap();
        for notes in catalog.presets.iter().filter_map(|p| p.notes.as_deref()) {
            assert_ne!(said(notes, Language::Chinese), notes);
        }
        assert_eq!(
            said("a global batch of 2 does not divide over 8 GPUs", Language::Chinese),
            "全局批大小 2 无法在 8 张 GPU 间整除"
        );
    }

    #[test]
    fn a_recorded_text_is_said_in_chinese_with_what_stands_in_its_places() {
        let zh = |text: &str| said(text, Language::Chinese);
        assert_eq!(zh("usual for transformers"), "Transformer 的常用选择");
        assert_eq!(zh("the default for language models"), "语言模型的默认选择");
        assert_eq!(zh("512 sequences (2.10M tokens)"), "512 条序列（2.10M token）");
        assert_eq!(zh("something else"), "something else");
        assert_eq!(
            zh("tensor parallel 8, recompute full, FlashAttention on"),
            "张量并行 8、重计算 完全、FlashAttention 开启"
        );
        assert_eq!(zh("the model's longest, at most 4096"), "该模型支持的最大长度，不超过 4096");
        assert_eq!(
            zh("GPUs 8 is not divisible by tensor x pipeline x context parallel 3"),
            "GPU 数 8 不能被 张量 × 流水线 × 上下文并行 3 整除"
        );
        assert_eq!(
            zh("batch per rank 2 is not divisible by micro batch 3"),
            "每个数据并行进程的批 2 不能被 微批 3 整除"
        );
        assert_eq!(said("the default for encoders", Language::English), "the default for encoders");
    }
}
