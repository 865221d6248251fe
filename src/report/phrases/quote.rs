//! Quotes and cost reports.

phrases! {
    QUOTE: "Quote", "报价单";
    BUDGETARY_ESTIMATE: "Budgetary estimate", "预算估价单（非正式报价）";
    INTERNAL_COPY: "INTERNAL COPY: holds cost and margin, not for the customer", "内部版：含成本与毛利，请勿提供给客户";
    NUMBER: "Number", "编号";
    CUSTOMER: "Customer", "客户";
    SELLER: "Seller", "报价方";
    ISSUED: "Date", "报价日期";
    VALID_UNTIL: "Valid until", "有效期至";
    RENEWS: "Renews", "续自";
    CURRENCY: "Currency", "币种";
    BASIS: "Hours priced", "计价时长依据";
    BASIS_P50: "predicted median (P50)", "预测中位数（P50）";
    BASIS_P90: "predicted P90: the contingency is in the price", "预测 P90：报价已含时长余量";
    BASIS_STATED: "as stated by the customer", "按客户指定时长";
    LINES: "Prices", "价格明细";
    POSITION: "#", "序号";
    CODE: "Flavor or code", "规格/编码";
    DESCRIPTION: "Description", "说明";
    NODES: "Nodes", "节点数";
    EACH: "Each", "单节点用量";
    UNIT: "Unit", "计价单位";
    LIST_UNIT_PRICE: "List price", "目录单价";
    DISCOUNT: "Discount", "折扣";
    UNIT_PRICE: "Net price", "净单价";
    LIST_AMOUNT: "List amount", "目录金额";
    NET: "Net", "净额";
    TAX: "Tax", "税额";
    VAT: "VAT", "增值税";
    TOTAL: "Total", "含税合计";
    TOTAL_OF_LINES: "All lines", "合计";
    ROUNDED_BY_LINE: "Every amount is rounded in its line ({}, {} decimals); lines add up to the totals.",
        "各行金额逐行舍入（{}，{} 位小数），各行之和即为合计。";
    HALF_UP: "halves up", "四舍五入";
    HALF_EVEN: "halves to even", "银行家舍入";
    ROUND_UP: "up", "向上舍入";
    ROUND_DOWN: "down", "向下舍入";
    COST_AND_MARGIN: "Cost and margin", "成本与毛利";
    UNIT_COST: "Unit cost", "成本单价";
    COST: "Cost", "成本";
    MARGIN: "Margin", "毛利";
    MARGIN_SHARE: "Margin share", "毛利率";
    RULES: "Rules (lines)", "规则（行号）";
    SOURCE: "Source", "来源";
    PREDICTION: "Predicted performance", "性能预测";
    WORKLOAD: "Workload", "任务";
    EPOCHS: "{} epochs", "{} 个轮次（epoch）";
    BATCH: "global batch {}", "全局批大小 {}";
    BATCH_OF: "global batch {} sequences of {} tokens", "全局批大小 {} 条序列（每条 {} token）";
    CLUSTER: "Cluster", "集群";
    PLAN: "Parallel plan", "并行方案";
    STEP: "Time per step", "单步时间";
    TRAINING_TIME: "Training time", "训练时长";
    COMPUTE_COST: "Compute for that time, net", "对应算力费用（净额）";
    GPU_HOURS: "GPU-hours (P50)", "GPU 小时（P50）";
    EVIDENCE: "Evidence", "依据";
    EVIDENCE_A: "measured on this hardware", "在该硬件上实测";
    EVIDENCE_B: "fitted to published training runs on this GPU with this software",
        "由该 GPU 与软件的公开训练结果拟合";
    EVIDENCE_C: "from published micro-benchmarks of this GPU", "来自该 GPU 的公开微基准测试";
    EVIDENCE_D: "from data sheets and assumptions, not measured", "来自规格书与假设，未经实测";
    QUANTILES: "P10 {} · P50 {} · P90 {}", "P10 {} · P50 {} · P90 {}（十分之九的情况不超过 P90）";
    JOBS: "Independent jobs", "独立任务";
    OF_JOBS: "{} independent jobs", "{} 个独立任务";
    JOBS_IN_TURN: "{} alike, one after the other on this cluster {}, side by side on {1} such clusters {3}; amounts and GPU-hours are of all",
        "{} 个同类任务，在本集群上依次运行需 {}，在 {1} 个同样的集群上并行需 {3}；费用与 GPU 小时均为全部任务之和";
    JOBS_OF_SCHEDULE: "{} alike, one after the other on these nodes; time, amounts and GPU-hours are of all",
        "{} 个同类任务，在上述节点上依次运行；时长、费用与 GPU 小时均为全部任务之和";
    STEPS_TIMES: "{} steps of {}", "{} 步，每步 {}";
    ALTERNATIVES: "Alternatives considered", "已比较的其他方案";
    AT_THE_MEDIAN: "Times and amounts are predicted medians (P50); {} takes {} for {}.", "时长与费用均为预测中位数（P50）；本报价集群 {}：{}，{}。";
    AT_THE_P90: "Times and amounts are predicted P90, as the hours of this quote; {} takes {} for {}.",
        "时长与费用均为预测 P90，与本报价的计价时长一致；本报价集群 {}：{}，{}。";
    ALTERNATIVES_AT: "Alternatives considered ({})", "已比较的其他方案（{}）";
    ALTERNATIVE: "Alternative", "方案";
    VERDICT: "Why not", "未选原因";
    BREAK_EVEN: "Pays from", "盈亏平衡点";
    HOURS_A_MONTH: "{} h a month", "每月 {} 小时";
    DEARER: "costs more", "费用更高";
    SLOWER: "takes longer", "用时更长";
    BETTER: "no dearer and no slower; the quoted cluster was chosen by the customer or the seller", "费用与用时均不更高；本报价集群由客户或报价方指定";
    BETTER_BUT: "no dearer and no slower, but: {}", "费用与用时均不更高，但：{}";
    DOES_NOT_RUN: "the job does not run on it", "任务无法在其上运行";
    NO_PRICE: "no price", "无价格";
    NOT_KNOWN_TO_BE_SOLD: "not known to be on sale", "在售状态不明";
    COMMITS: "costs no more, but commits to whole months", "费用不更高，但须按整月承诺";
    INTERRUPTIBLE: "costs less, but can be interrupted", "费用更低，但可能被中断回收";
    EXCLUDED: "Not included", "不包含的内容";
    EXCLUDED_STORAGE: "Disks and other storage", "云硬盘及其他存储";
    EXCLUDED_PUBLIC_IP: "Public IP addresses and their bandwidth", "弹性公网 IP 及带宽";
    EXCLUDED_EGRESS: "Traffic to the internet or other regions", "公网及跨区域流出流量";
    EXCLUDED_SUPPORT: "Support plans", "技术支持服务";
    EXCLUDED_TAX: "Taxes", "税费";
    CONDITIONS: "Conditions", "报价条件";
    NOT_CHECKED: "Stock and quota were not checked; the order depends on both.", "库存与配额尚未核实，订单以实际可用为准。";
    CHECKED_ON: "Stock and quota were checked on {}.", "库存与配额已于 {} 核实。";
    PLACE: "Nodes are in {}.", "节点位于 {}。";
    PLACE_UNSTATED: "No region is stated; prices and availability differ by region.", "未指定区域；价格与可用性因区域而异。";
    END_OF_SALE: "The instance type is marked {}: it may be withdrawn from sale before the order.",
        "该规格状态为“{}”：下单前可能停止销售。";
    EXPORT: "Export control and end use remain to be cleared for this customer and place.",
        "出口管制与最终用途须针对该客户及地域另行确认。";
    SPOT: "Spot nodes can be taken back at short notice; the interruptions expected are in time and price, but there may be more.",
        "竞价实例可能在短时间通知后被回收；时长与价格已含预期的中断损失，实际可能更多。";
    SPOT_NOTICE: "Spot nodes can be taken back {} after a notice; the interruptions expected are in time and price, but there may be more.",
        "竞价实例可能在通知 {} 后被回收；时长与价格已含预期的中断损失，实际可能更多。";
    BILLING: "Running time is billed in units of {}, at least {}.", "运行时间按 {} 为单位计费，最短计费 {}。";
    BILLING_UNKNOWN: "The provider's billing unit is not known; started hours are taken.", "计费粒度未知，按起始小时计。";
    STOPPED_FREE: "A stopped node is not billed; its disks and addresses are.", "关机后节点不计费，云硬盘与 IP 仍计费。";
    STOPPED_BILLED: "A stopped node is billed on.", "关机后节点仍计费。";
    STOPPED_LOCAL: "A stopped node is billed on if it has local disks; disks and addresses always are.",
        "带本地盘的节点关机后仍计费；云硬盘与 IP 始终计费。";
    COMMITMENT: "The rate is sold with a commitment of {} months; the part that the job does not use is not in the price.",
        "该价格须承诺购买 {} 个月；任务未用部分未计入价格。";
    ACCEPTANCE: "Acceptance test", "验收测试";
    ACCEPTANCE_TEXT: "On the delivered nodes, “gpu-advisor calibrate compare” and a run of this job are to show at most {} per step, {} above the prediction.",
        "在交付节点上运行 “gpu-advisor calibrate compare”及本任务，单步时间应不超过 {}（即预测值上浮 {}）。";
    PRICE_DATES: "Prices, dates and sources", "价格日期与来源";
    PRICE_DATE: "Price of", "价格日期";
    FIRM: "Binding", "是否确定";
    BINDING: "binding", "确定价";
    INDICATIVE: "indicative", "参考价";
    UNDATED: "undated", "无日期";
    OLDER: "{}, older than 30 days", "{}，已超过 30 天";
    OUR_PRICE: "our price", "我方价格";
    CATALOG_PRICE: "public price", "公开价格";
    WHY_BUDGETARY: "Why this is an estimate", "为何仅为估价";
    REASON_NOT_FIRM: "The price of {} is not binding.", "{} 的价格并非确定价。";
    REASON_OLD: "The price of {} is of {}, older than 30 days.", "{} 的价格日期为 {}，已超过 30 天。";
    REASON_FUTURE: "The price of {} is of {}, after the day of this quote.", "{} 的价格日期为 {}，晚于报价日期。";
    REASON_IMPLAUSIBLE: "The price of {} is far from what a GPU-hour costs.", "{} 的单价与常见的 GPU 小时价格相差悬殊。";
    REASON_ZERO: "The total is nothing.", "合计金额为零。";
    REASON_UNCONFIRMED: "A price has yet to be confirmed.", "有价格尚待确认。";
    REASON_HOURS: "The hours priced are {} % of the predicted median: the job will not end in them.",
        "计价时长仅为预测中位数的 {} %：任务无法在此时间内完成。";
    PRICE_ENDS: "The quote holds no longer than the price of {}, until {}.", "本报价有效期不超过 {} 的价格有效期（至 {}）。";
    BELOW_COST: "The total is below cost.", "合计低于成本。";
    REASON_OLD_RATE: "The exchange rate of {} is of {}, older than 30 days.", "{} 的汇率日期为 {}，已超过 30 天。";
    REASON_UNDATED: "The price of {} has no date.", "{} 的价格没有日期。";
    REASON_WEAK: "The predicted time rests on data sheets, not on measurements.", "预测时长基于规格书，未经实测。";
    REASON_PORTING: "No run of {} on accelerators of {} is known: porting software, kernels and model code is not in the time or the price.",
        "未见 {} 在 {} 加速器上的运行记录：软件、算子与模型代码的移植未计入时长与价格。";
    REASON_SAMPLE: "The prices are a made-up sample and are not for sale.", "价格为虚构示例，不可用于销售。";
    REASON_ASKED: "It was asked for as an estimate.", "按要求以估价方式提供。";
    RATES: "Exchange rates", "汇率";
    RATE: "1 USD = {} {} on {}", "1 USD = {} {}（{}）";
    HASH: "Content hash (SHA-256)", "内容哈希（SHA-256）";
    FOR_THE_CUSTOMER: "For the customer: name, date, signature", "客户方：姓名、日期、签字";
    FOR_THE_SELLER: "For the seller: name, date, signature", "报价方：姓名、日期、签字";
    ASSUMPTIONS: "Assumptions", "假设";
    DIFFERENCES: "What changed", "变更内容";
    NOT_PRINTABLE: "Shown as ? because the font of this file has no such characters: {}. The HTML and XLSX copies show them.",
        "本文件字体缺少下列字符，以 ? 代替：{}。HTML 与 XLSX 版本可正常显示。";
    DOCUMENT: "Document", "文件类型";
    FAR_PRICE: "--price {} is far from every known price: is it of a whole node, by the hour or month as written, in that currency?",
        "--price {} 与已知价格相差过大：请确认是否为整节点价格、计费周期（小时或月）与币种";
    PER_GPU_PRICE: "--price {} looks like a price per GPU; for the node write --price {}",
        "--price {} 疑似单张 GPU 的价格；整节点价格请写 --price {}";
    MULTIPLIED_PRICE: "--price {} looks like a price multiplied by the number of GPUs; for one node write --price {}",
        "--price {} 疑似已乘以 GPU 数量；单个节点的价格请写 --price {}";
    NOT_MONTHLY_PRICE: "--price {} is by the hour, which no subscription is: it is reckoned on demand; for 730 hours a month write --price {}",
        "--price {} 按小时计价，并非包月价，已按按需计费；若每月按 730 小时计，请写 --price {}";
    PRICES_TO_CHECK: "Check", "待核对";
    UNCHECKED_PRICE: "--price {} is unchecked: no price of this GPU is known in that currency; give a rate with --fx to have it compared",
        "--price {} 未经核对：没有该 GPU 以该币种计的已知价格；请用 --fx 给出汇率以便比较";
    NO_RATE: "there is no exchange rate for {}: offers in other currencies are not ranked; add a rate with --fx",
        "没有 {} 的汇率：其他币种的报价不参与排序；请用 --fx 给出汇率";
    FIELD: "Field", "字段";
    BEFORE: "Before", "变更前";
    AFTER: "After", "变更后";
    NO_DIFFERENCE: "Nothing changed.", "没有变化。";
    KIND_COMPUTE: "GPU nodes", "GPU 节点";
    KIND_OBJECT: "object storage", "对象存储";
    KIND_FILE: "file storage", "文件存储";
    KIND_BLOCK: "block storage", "块存储";
    KIND_EGRESS: "egress traffic", "流出流量";
    KIND_PUBLIC_IP: "public IP", "公网 IP";
    KIND_SUPPORT: "support", "技术支持";
    KIND_ONE_OFF: "one-off", "一次性费用";
    ROLE_BASELINE: "subscribed baseline", "包月基线";
    ROLE_BURST: "node-hours by the schedule", "按排程的节点小时";
    SCHEDULE: "Schedule", "弹性排程";
    SCHEDULE_OF: "{}, from {}; subscribed: {}", "{}，自 {} 起；包月节点数 {}";
    SIZE_OF_SCHEDULE: "With {} nodes", "{} 节点时";
    STEP_AND_PLAN: "{} per step · {}", "每步 {} · {}";
    ELASTIC_NODES: "Up to {} nodes are needed at once, and checkpoints that another number of GPUs can read; each of the {} changes stops the job for about {}.",
        "最多同时需要 {} 个节点，且检查点须可由不同 GPU 数读取；共 {} 次扩缩容，每次约中断 {}。";
    COST_REPORT: "Cost report", "成本报告";
    PER: "Cost per unit of work", "单位成本";
    PER_EPOCH: "per epoch", "每轮次（epoch）";
    PER_MILLION_TOKENS: "per million tokens", "每百万 token";
    PER_THOUSAND_SAMPLES: "per thousand samples", "每千个样本";
    PER_THOUSAND_SEQUENCES: "per thousand sequences", "每千条序列";
    PER_GPU_HOUR: "per GPU-hour", "每 GPU 小时";
    PER_STEP: "per step", "每步";
    AGAINST_LIST: "Against list: {} instead of {} ({} less)", "与目录价相比：{}，目录价 {}（低 {}）";
    LIST_PRICES: "All prices are list prices.", "全部按目录价计算。";
    ENERGY: "Energy and CO2", "能耗与碳排放";
    ENERGY_USE: "Energy", "能耗";
    EMISSIONS: "CO2", "二氧化碳";
    MEASURE: "Quantity", "项目";
    AMOUNT: "Amount", "数值";
    ENERGY_ASSUMED: "Assumed: {} per node, PUE {}, {} g CO2 per kWh.", "假设：每节点 {}，PUE {}，每千瓦时 {} 克 CO2。";
    ENERGY_SOURCE: "Not stated, taken from: {}.", "未给出，取自：{}。";
    WAYS_TO_BUY: "Ways to buy these nodes for this time", "同一集群、同一时长的购买方式比较";
    PURCHASE: "Purchase", "计费模式";
    TO_PAY: "To pay", "应付金额";
    PAID_UNUSED: "Of it unused", "其中未使用";
    COMMITTED: "Commitment", "承诺期";
    MONTHS: "{} months", "{} 个月";
    ONE_MONTH: "1 month", "1 个月";
    UTILIZATION: "Utilization", "利用率";
    REMARK: "Remark", "备注";
    CHEAPER_WAY: "costs less", "费用更低";
    WITH_A_CATCH: "costs less, with a catch", "费用更低，但有附带条件";
    QUOTED: "quoted", "本报价";
    QUOTED_WAY: "quoted here", "本报价采用";
    CHEAPEST: "cheapest", "最低价";
    NODE_MONTHS_AND_HOURS: "{} node-months subscribed, the rest on demand", "{} 个节点月包月，其余按需";
    WAYS_NOTE: "Subscriptions and commitments are paid whole: if the job ends early or is cancelled, their unused part grows. “Pays from” is the use a month, and its share of 730 h, from which a way is cheaper than on demand.",
        "包月与预留须全额支付：任务提前结束或取消时，未使用部分随之增加。“盈亏平衡点”为每月使用超过该小时数（及其占 730 小时的比例）时低于按需价格。";
    MONTHLY_MAY_PAY: "No monthly price is stated. Where one was seen at this provider, a month cost {} hours of the hourly price: ask for it before ordering.",
        "未提供包月价格。该云厂商已见的一个包月价约等于 {} 小时的按需价：下单前建议询价。";
    UNIT_HOUR: "h", "小时";
    UNIT_MONTH: "month", "月";
    UNIT_GB_MONTH: "GB-month", "GB·月";
    UNIT_GB: "GB", "GB";
    UNIT_MEGABIT_MONTH: "Mbit/s-month", "Mbit/s·月";
    UNIT_EACH: "each", "项";
    STATUS_RESTRICTED: "sold by request", "需申请购买";
    STATUS_NO_NEW_CAPACITY: "closed to new customers", "不再对新客户开放";
    STATUS_LEGACY: "old generation", "上一代产品";
    STATUS_UNVERIFIED: "not confirmed to be on sale", "在售状态未确认";
    STATUS_GONE: "no longer offered", "已停售";
}
