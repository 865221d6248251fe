//! Why flags, or a job, are refused as they are: messages are English text, said in the reader's language as those of `fault`.

phrases! {
    NO_MODEL: "no model: add --model NAME (see `catalog list models`), --model with a file (config.json, network.toml, network.onnx), or --params 7B for a standard decoder of that size",
        "未给出模型：请添加 --model NAME（见 `catalog list models`）、指向文件的 --model（config.json、network.toml、network.onnx），或用 --params 7B 表示该规模的标准解码器";
    NO_LENGTH: "no length: add --tokens 300B, --samples 10M, --epochs 90 --dataset NAME, or --steps 100k",
        "未给出训练量：请添加 --tokens 300B、--samples 10M、--epochs 90 --dataset NAME 或 --steps 100k";
    NO_CLUSTER: "no cluster: add --cluster provider/instance:N, or --gpu GPU --gpus N",
        "未给出集群：请添加 --cluster 云厂商/规格:N，或 --gpu GPU --gpus N";
    NO_CLUSTER_REGION: "no cluster: add --cluster provider/instance@region:N", "未给出集群：请添加 --cluster 云厂商/规格@地域:N";
    NO_CLUSTER_SCHEDULE: "no cluster: add --cluster provider/instance, or --gpu GPU --gpus N",
        "未给出集群：请添加 --cluster 云厂商/规格，或 --gpu GPU --gpus N";
    NO_MACHINE: "no machine: add --gpu GPU or --profile FILE", "未给出机器：请添加 --gpu GPU 或 --profile FILE";
    NO_BATCH: "steps of how many samples? add --global-batch", "每步多少样本？请添加 --global-batch";
    NO_SET: "passes over what? add --dataset NAME, or --samples with the size of the set",
        "遍历哪个数据集？请添加 --dataset NAME，或用 --samples 给出样本数";
    NO_SET_SIZE: "the size of dataset {} is not known", "数据集 {} 的样本数未知";
    ADD_SAMPLES: "add samples", "请给出样本数";
    NEITHER_JOB_NOR_TIME: "neither a job nor a time: describe the job, or add --hours", "既无任务也无时长：请描述任务，或添加 --hours";
    ONE_LENGTH: "only one of tokens, samples, epochs and steps can say how long the job is", "tokens、samples、epochs、steps 只能给出其一";
    MODEL_OR_PARAMS: "excludes the model", "不能与 model 同时给出";
    GIVE_ONE_SIZE: "give one of model and params", "model 与 params 请二选一";
    SIZES_BUILT: "10M to 2T can be built", "可构造 10M 至 2T";
    IMAGES_TOKENS: "images have no tokens", "图像没有 token";
    VOLUMES_TOKENS: "volumes have no tokens", "体数据没有 token";
    RECORDS_TOKENS: "records have no tokens", "表格记录没有 token";
    WHOLE_SAMPLES: "this network is counted in whole samples, not in tokens", "该网络按样本计，不按 token 计";
    IMAGES_LENGTH: "images have no sequence length", "图像没有序列长度";
    VOLUMES_LENGTH: "volumes have no sequence length", "体数据没有序列长度";
    RECORDS_LENGTH: "records have no sequence length", "表格记录没有序列长度";
    SAMPLE_LENGTH: "the length of a sample is part of this network's description", "样本长度已在网络描述中";
    SET_HOLDS: "{} holds {}, and {} trains on {}", "{} 的样本为 {}，而 {} 在 {} 上训练";
    SET_IS_FOR: "{} is a set for {}, and {} is trained for {}", "{} 是用于 {} 的数据集，而 {} 的任务是 {}";
    SETS_FIT: "datasets that fit: {}", "适用的数据集：{}";
    NO_SET_FITS: "no set of the catalog fits", "目录中没有适用的数据集";
    OR_SAMPLES: "or give --samples", "或用 --samples 给出样本数";
    A_AND_B: "{} and {}", "{} 与 {}";
    IMAGES: "images", "图像";
    VOLUMES: "volumes", "体数据";
    SEQUENCES: "sequences", "序列";
    AUDIO: "audio", "音频";
    RECORDS: "records", "表格记录";
    SAMPLES: "samples", "样本";
    CLASSIFICATION: "classification", "图像分类";
    DETECTION: "detection", "目标检测";
    DETECTION_3D: "detection-3d", "三维检测";
    SEGMENTATION: "segmentation", "分割";
    VIDEO: "video", "视频分类";
    TEXT_IMAGE: "text-image", "图文";
    SPEECH_RECOGNITION: "speech-recognition", "语音识别";
    SPEECH_SYNTHESIS: "speech-synthesis", "语音合成";
    REGRESSION: "regression", "回归";
    GIVE_SAMPLES: "give samples, steps, or epochs over a dataset", "请给出样本数、步数，或对数据集的 epoch 数";
    GIVE_SAMPLES_STEP: "give the samples per step", "请给出每步样本数";
    GIVE_RATE: "give samples/s", "请给出 samples/s";
    NOT_OF_ADAPTERS: "belongs to adapters", "仅用于适配器微调";
    ADD_METHOD: "add --method lora or qlora", "请添加 --method lora 或 qlora";
    STORED_SIZE: "needs the stored size of a sample", "需要样本的存储大小";
    ADD_DATASET: "add --dataset with a set that states it", "请用 --dataset 指定注明该值的数据集";
    DEADLINE_ZERO: "a deadline of nothing leaves no time", "期限为零";
    DURATION_ABOVE: "give a duration above zero", "请给出大于零的时长";
    BUDGET_ZERO: "nothing costs nothing", "预算为零";
    AMOUNT_ABOVE: "give an amount above zero", "请给出大于零的金额";
    HUNDRED_YEARS: "at most 100 years are accepted", "至多 100 年";
    NOT_AFTER: "{} is not after {}", "{} 不晚于 {}";
    EMPTY_NAME: "an empty name", "名称为空";
    LEAVE_FLAG: "leave the flag out to allow all", "不限则去掉该参数";
    NOT_HOW_MANY: "{} says not how many", "{} 未说明数量";
    WRITE_AS: "write {}, such as {}", "请写成 {}，如 {}";
    NO_WHOLE_NODES: "{} GPUs are no whole nodes of {}", "{} 个 GPU 不是 {} 卡节点的整数倍";
    TAKE_OR: "take {}, or add --gpus-per-node", "请取 {}，或添加 --gpus-per-node";
    TWO_NODES: "{} gives two numbers of nodes", "{} 给出了两个节点数";
    ONE_EXPECTED: "one is expected", "应只给一个";
    GENERIC_ONLY: "--gpus-per-node is for generic clusters, and {} has nodes of {}", "--gpus-per-node 仅用于通用集群，而 {} 每节点为 {} 卡";
    MORE_THAN_FRAMEWORK: "{} is more than a framework", "{} 不只是训练框架";
    WRITE: "write {}", "请写成 {}";
    NO_PRODUCTS: "this machine has no {} products", "该机器不支持 {} 矩阵乘";
    NO_PRECISION: "{} is none of {}", "{} 不在其中：{}";
    COMPARED: "2 to {} clusters can be compared, {} given", "可比较 2 至 {} 个集群，现给出 {} 个";
    FLAG_GPUS: "needs one --gpu", "需要一个 --gpu";
    NOTHING_CHANGES: "nothing changes: add --set KEY=VALUE, such as price=-10%, or --sweep KEY=VALUES",
        "没有任何变化：请添加 --set KEY=VALUE（如 price=-10%）或 --sweep KEY=VALUES";
    NO_KEY_VALUE: "{} is not KEY=VALUE, such as price=-10%", "{} 不是 KEY=VALUE，写法如 price=-10%";
    NO_CUSTOMER: "a quote is for somebody", "请给出客户名称";
    NO_TABLE_PRICE: "{}: nobody states a price for this place", "{}：该地域无人报价";
    ADD_PRICE_BOOK: "add --price provider/instance@region=PRICE or a price book", "请添加 --price 云厂商/规格@地域=价格，或价格手册";
    ADD_PRICE: "add --price or a price book", "请添加 --price 或价格手册";
    GIVE_OFFER: "name an instance type, provider/instance@region:N", "请给出规格：云厂商/规格@地域:N";
    NOT_SOLD: "{} is {}: it cannot be sold", "{} 状态为 {}，不能销售";
    NOT_RUN: "the job does not run on {}: {}", "任务无法在 {} 上运行：{}";
    SIMULATE_SAYS_MORE: "`simulate` with the same flags says more", "用相同参数运行 `simulate` 可看详情";
    BUDGETARY: "the predicted time rests on data sheets, not on measurements: add --budgetary for an estimate, or measure with `calibrate`",
        "预测时长依据规格书而非实测：请添加 --budgetary 出具预算估价，或用 `calibrate` 实测";
    NO_DOWNGRADE: "the amount is too large", "金额过大";
    NO_CLUSTER_NAMED: "{} names no cluster", "{} 未指明集群";
    MEASURED_FORM: "write {} or {} on CLUSTER\"", "请写成 {} 或 {} on CLUSTER\"";
    MEASURED_ZERO: "more than 0 is expected", "须大于 0";
    MEASURED_BATCH: "the log has {} samples a step, the job {}: give --global-batch {}, or another log",
        "日志中每步 {} 个样本，任务为 {} 个：请给出 --global-batch {}，或换用其他日志";
    MEASURED_BATCH_ABOUT: "the log has about {} samples a step, the job {}: give the --global-batch of that run, or another log",
        "日志中每步约 {} 个样本，任务为 {} 个：请给出该次训练的 --global-batch，或换用其他日志";
    HISTORY_OPEN: "the history has no train_runtime, which a run writes at its end", "历史中没有训练结束时写入的 train_runtime";
    HISTORY_CONSOLE: "give its console's log", "请改用控制台日志";
    MEASURED_ONLY_WAITS: "by its log the run did nothing but wait for data, which says nothing of the GPUs",
        "按其日志，该运行一直在等待数据，无法说明 GPU 的速度";
    MEASURED_LONG_WAITS: "its waits for data are longer than the iterations that they are part of",
        "日志中等待数据的时间超过其所属的迭代时间";
    MEASURED_NOT_RUN: "by prediction the job does not run on {}", "按预测任务无法在 {} 上运行";
    MEASURED_PLAN: "give the plan it ran with, such as --micro-batch, --sharding and --recompute",
        "请给出实测所用方案，如 --micro-batch、--sharding、--recompute";
    FASTER: "a step of {} on {} is {} times faster than the {} predicted", "{2} 上每步 {1}，比预测的 {4} 快 {3} 倍";
    SLOWER: "a step of {} on {} is {} times slower than the {} predicted", "{2} 上每步 {1}，比预测的 {4} 慢 {3} 倍";
    FASTER_PEAK: "a step of {} on {} is {} times faster than the {} predicted and means {} % of the GPUs' peak",
        "{2} 上每步 {1}，比预测的 {4} 快 {3} 倍，相当于 GPU 峰值的 {5} %";
    CHECK_ALL: "check the number, its unit, the cluster and the global batch ({} samples a step here)",
        "请检查数值、单位、集群与全局批大小（此处每步 {} 个样本）";
    CHECK_ELSE: "is it {}? Else check the cluster and the global batch ({} samples a step here)",
        "是否为{}？否则请检查集群与全局批大小（此处每步 {} 个样本）";
    SLIP_MILLISECONDS: "milliseconds written as seconds", "把毫秒写成了秒";
    SLIP_SECONDS: "seconds written as milliseconds", "把秒写成了毫秒";
    SLIP_SAMPLE: "the time of one sample, not of a step", "单个样本而非一步的时间";
    SLIP_MICRO: "the time of one micro-batch, not of a step", "单个微批而非一步的时间";
    SLIP_STEPS: "steps a second, not samples", "每秒步数而非样本数";
    SLIP_ONE_GPU: "the rate of one GPU, not of all", "单个 GPU 而非全部 GPU 的速率";
    SLIP_TOKENS: "tokens a second, not samples", "每秒 token 数而非样本数";
    SLIP_SAMPLES: "samples a second, not tokens", "每秒样本数而非 token 数";
    SLIP_SAMPLES_K: "thousands of samples a second written without the k", "漏写 k 的每秒千样本数";
    SLIP_TOKENS_K: "thousands of tokens a second written without the k", "漏写 k 的每秒千 token 数";
    SIZE_PARAMETERS: "{} parameters are not believed", "{} 个参数不可信";
    NO_SPEED: "no line has a speed", "没有任何一行含速度";
    READ_ARE: "read are {}", "可识别的有：{}";
    DIVIDES: "{} is not divisible by {}", "{} 不能被 {} 整除";
    IS_THERE: "{} exists", "{} 已存在";
    PRICED_TWICE: "{} is priced a second time, {}", "{} 的价格又给出了一次：{}";
    // Remarks.
    PRICE_UNUSED: "{} is the price of nothing in question", "{} 不属于本次问题中的任何报价";
    PLOT_IN: "the plot is in {}", "图已写入 {}";
    PROFILE_IN: "the profile is in {}", "硬件档案已写入 {}";
    REPORT_WRITTEN: "cost report written to {}", "成本报告已写入 {}";
    PRICES_WRITTEN: "{} prices written to {}", "{} 条价格已写入 {}";
    WRITTEN_TO: "{} written to {}", "{} 已写入 {}";
    OVERLAY: "{} lies over the embedded catalog", "{} 已叠加于内置目录之上";
    QUOTA_OLD: "the quota was looked up on {}, more than {} days ago", "配额查询于 {}，已超过 {} 天";
    QUOTA_DUE: "the increase of the quota was expected on {}: look it up again", "配额提升预计于 {} 生效：请重新查询";
    ODD_MORE: "{} more", "另有 {} 处";
    MEASURED_PROFILE: "{} uses a measured profile (grade A): {}", "{} 使用实测硬件档案（A 级）：{}";
    WRITTEN_FOR: "written for {}", "已按 {} 写出";
    NO_PLAN_TO_WRITE: "the job does not run here: there is no plan to write", "任务无法在此运行：没有可写出的方案";
    LOG_STEP: "a step of {}, the median of {} values of the log without its first tenth", "每步 {}，为日志中去掉前十分之一后 {} 个值的中位数";
    LOG_STEP_WAITS: "a step of {}, {} of it waiting for data, the median of {} values of the log without its first tenth",
        "每步 {}，其中 {} 在等待数据，为日志中去掉前十分之一后 {} 个值的中位数";
    // What the parser of the command line says.
    UNEXPECTED: "unexpected argument {} found", "无法识别的参数 {}";
    INVALID_VALUE: "invalid value {} for {}", "{2} 的值 {1} 无效";
    INVALID_VALUE_WHY: "invalid value {} for {}: {}", "{2} 的值 {1} 无效：{3}";
    NOT_IN: "{} is not in {}", "{} 不在 {} 范围内";
    VALUE_MISSING: "a value is required for {} but none was supplied", "{} 缺少值";
    REQUIRED: "the following required arguments were not provided:", "缺少必需的参数：";
    CANNOT_BE_WITH: "the argument {} cannot be used with {}", "{} 不能与 {} 同时使用";
    CANNOT_BE_WITH_ANY: "the argument {} cannot be used with:", "{} 不能与以下参数同时使用：";
    ONCE: "the argument {} cannot be used multiple times", "{} 只能给出一次";
    UNKNOWN_COMMAND: "unrecognized subcommand {}", "未知命令 {}";
    POSSIBLE: "[possible values: {}]", "[可用值：{}]";
    TIP: "tip: {}", "提示：{}";
    SIMILAR_VALUE: "a similar value exists: {}", "相近的值：{}";
    SIMILAR_VALUES: "some similar values exist: {}", "相近的值：{}";
    SIMILAR_ARGUMENT: "a similar argument exists: {}", "相近的参数：{}";
    SIMILAR_ARGUMENTS: "some similar arguments exist: {}", "相近的参数：{}";
    SIMILAR_COMMAND: "a similar subcommand exists: {}", "相近的命令：{}";
    USAGE: "Usage: {}", "用法：{}";
}
