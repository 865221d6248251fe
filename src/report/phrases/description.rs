//! What is wrong with a description of a network (`config.json`, ONNX), what was taken of it, and with changes of a question: messages are
//! English text, said in the reader's language as those of `fault`.

phrases! {
    // config.json.
    NO_OBJECT: "the document is not an object, such as {}", "内容不是对象，写法如 {}";
    TEXT_NEEDED: "a text is needed", "须为文本";
    MISSING: "missing", "缺失";
    WHOLE_NEEDED: "a whole number from {} to {} is needed", "须为 {} 至 {} 的整数";
    NO_WHOLE_NUMBER: "{} is not a whole number from {} to {}", "{} 不是 {} 至 {} 的整数";
    NO_FLAG: "{} is not true or false", "{} 不是 true 或 false";
    DOES_NOT_DIVIDE: "{} does not divide {}", "{} 不能整除 {}";
    DOES_NOT_DIVIDE_HEADS: "{} does not divide the {} heads", "{} 不能整除 {} 个头";
    IS_MORE: "{} is more than {}", "{} 大于 {}";
    LEAVES_NONE: "{} leaves none of the {} layers", "{} 使 {} 层无一剩余";
    NO_MULTIPLE: "{} is no multiple of {}", "{} 不是 {} 的倍数";
    ONLY_AS_MANY: "only as many as {} are supported", "仅支持与 {} 相同的数目";
    ONLY_OF_ENCODER: "only that of the encoder, {}, is supported", "仅支持与编码器相同的值 {}";
    ONLY_TRUE: "only true is supported", "仅支持 true";
    TOO_MANY_PATCHES: "{} gives more than {} patches", "{} 会产生超过 {} 个图块";
    CROSS_ATTENTION: "cross attention is not supported", "不支持交叉注意力";
    UNQUANTIZED: "quantization_config is left aside: weights are trained unquantized", "忽略 quantization_config：权重按未量化训练";
    ABSENT_LONGEST: "{} is absent: a longest sequence of {} is taken", "缺少 {}：最大序列长度取 {}";
    ABSENT_HEADS: "num_key_value_heads is absent: as many as attention heads, {}", "缺少 num_key_value_heads：取与注意力头数相同的 {}";
    ABSENT_CLASSES: "id2label is absent: {} classes are taken", "缺少 id2label：取 {} 个类别";
    // ONNX.
    NO_OPERATORS: "it has no operators", "其中没有算子";
    NO_PROTOBUF: "failed to decode Protobuf message: {}", "Protobuf 解码失败：{}";
    NO_INPUT: "has no input", "没有输入";
    LACKS_INPUT: "lacks its input {}", "缺少第 {} 个输入";
    LACKS: "lacks its {}", "缺少 {}";
    NO_NUMBER: "holds no number", "不含数值";
    COUNTS: "counts from {} to {} by {}", "计数从 {} 到 {}，步长 {}";
    DEPENDS: "{} depends on the sample", "{} 随样本变化";
    EXPORT_FIXED: "export with fixed sizes (only the batch may be free)", "请以固定尺寸导出（仅批维可变）";
    READS_UNKNOWN: "reads {}, which nothing before it writes", "读取 {}，但之前没有算子写出它";
    UNKNOWN_OPERATOR: "operator {} is not known: {} in the file, the first is {}", "未知算子 {}：文件中共 {} 个，首个为 {}";
    ODD_SIDE: "a side of {} is not believed", "边长 {} 不可信";
    NO_AXIS: "axis {} of a tensor with {} sides", "轴 {} 超出 {} 维张量";
    SIDES_APART: "sides of {} and {} do not go together", "边长 {} 与 {} 不匹配";
    KEEPS_SIDE: "keeps side {} of {}", "保留 {2} 的第 {1} 维";
    APPENDS: "appends {} to {}", "把 {} 接到 {} 之后";
    SPLITS: "splits {} into {}", "把 {} 拆成 {}";
    PADS: "pads {} around {}", "在 {2} 周围填充 {1}";
    NOT_FIXED: "gives neither sizes nor scales that are fixed", "未给出固定的尺寸或倍率";
    MAKES: "makes {} of {}", "由 {2} 得到 {1}";
    BLOCKS: "blocks of {} do not divide {}", "大小为 {} 的块不能整除 {}";
    ONNX_WEIGHT: "weight {}: {}", "权重 {}：{}";
    ONNX_INPUT: "input {}: {}", "输入 {}：{}";
    ONE_SAMPLE: "one sample is {}", "单个样本为 {}";
    NO_NORMALIZATION: "the file has no normalization; if the network has, export it in training mode, as the export for inference merges it into the convolutions",
        "文件中没有归一化层；若网络含归一化，请以训练模式导出，因推理导出会将其并入卷积";
    // Changes of `whatif`, flags.
    NO_START: "there is no number to start from", "没有可供变化的起始值";
    OF_SEARCH: "limits a search", "是搜索的约束";
    NO_CLUSTER_FLAG: "leave --cluster out", "请去掉 --cluster";
    NEEDS_CLUSTER: "needs --cluster, or one --gpu with --gpus", "需要 --cluster，或一个 --gpu 加 --gpus";
    SEARCH_CHOOSES: "a search chooses its clusters", "搜索自行选择集群";
    NO_WHOLE_NODES_OF: "{} are no whole nodes of {}", "{} 不是每节点 {} 张的整数倍";
    NO_START_PRICE: "there is no price to start from", "没有可供变化的起始价格";
    ADD_A_PRICE: "add --price", "请添加 --price";
    TOO_LARGE: "too large", "过大";
    PRICE_AND_CHANGE: "a price such as {} and a change such as {}", "价格（如 {}）与变化（如 {}）";
    NO_VALUE: "{} has no value", "{} 没有值";
    NO_KEY_VALUES: "{} is not KEY=VALUES, such as {}", "{} 不是 KEY=VALUES，写法如 {}";
    NO_RANGE: "{} is no range with at most {} values, such as {} or {}", "{} 不是至多 {} 个值的范围，写法如 {} 或 {}";
    HAS_VALUES: "{} has {} values", "{} 有 {} 个值";
    OVER_SAMPLES_ONLY: "is known of networks over samples only", "仅用于按样本训练的网络";
    ENERGY_SHAPE: "{} is not understood, such as {} (kW of a node, PUE of 1 to 5, grams of CO2 for a kWh), or {} for what is left out",
        "无法理解 {}，写法如 {}（单节点 kW、1 至 5 的 PUE、每 kWh 的 CO2 克数），未给出者用 {}";
}

/// Those that an answer lists among its assumptions.
pub const NOTES: &[(&str, Phrase)] = &[
    ("UNQUANTIZED", UNQUANTIZED),
    ("ABSENT_LONGEST", ABSENT_LONGEST),
    ("ABSENT_HEADS", ABSENT_HEADS),
    ("ABSENT_CLASSES", ABSENT_CLASSES),
    ("ONE_SAMPLE", ONE_SAMPLE),
    ("NO_NORMALIZATION", NO_NORMALIZATION),
];
