//! A number of nodes that follows a schedule.

phrases! {
    ELASTIC: "Elastic schedule: {}", "弹性伸缩：{}";
    SCHEDULE: "schedule", "排程";
    START: "start", "启动时间";
    REST_OF_WEEK: "{}; no nodes the rest of the time", "{}；其余时间无节点";
    ENDS: "{} · done on {}", "{} · 完成于 {}";
    DOES_NOT_END: "the work never ends: the changes of nodes take the time that they are given", "无法完成：启停损耗占满了各时段";
    CHANGES: "changes", "扩缩容";
    CHANGES_OF: "{} of {} each: {} of {} ({})", "{} 次，每次 {}：共 {}，占总时长 {} 的 {}";
    NODE_HOURS: "node-hours", "节点小时";
    BASELINE: "baseline", "包月基线";
    BASELINE_OF: "{} nodes by the month, the rest by the hour", "{} 节点包月，其余按需";
    ALL_HOURLY: "none: every node by the hour is cheapest", "无：全部按需最便宜";
    NO_MONTHLY: "none: no monthly price is stated; --price CLUSTER=AMOUNT/month adds one",
        "无：没有包月价；可用 --price CLUSTER=AMOUNT/month 添加";
    STATED_BASELINE: "{} nodes by the month, as stated", "{} 节点包月（用户指定）";
    SIZES: "Each number of nodes by itself", "各固定规模对比";
    NODES: "nodes", "节点数";
    WHOLE_JOB: "whole job", "整个任务";
    COST_ALONE: "cost ({})", "费用（{}）";
    THIS_SCHEDULE: "schedule", "本排程";
    BASELINES: "Baselines", "包月基线比较";
    COMMITTED: "by the month ({})", "包月费用（{}）";
    BURST_HOURS: "burst node-hours", "按需节点小时";
    BURST: "by the hour ({})", "按需费用（{}）";
    TOTAL: "total ({})", "合计（{}）";
    USED: "of the month used", "包月利用率";
    COURSE: "Course", "过程";
    FROM: "from", "开始";
    TO: "to", "结束";
    LOST: "stopping and starting", "启停损耗";
    DONE: "done", "完成度";
    MORE_ROWS: "{} more changes; --format json has every hour", "另有 {} 次变更；--format json 给出每小时数据";
    STOCK_NOT_CHECKED: "stock and quota for {} nodes at once are not checked", "未核实同时开通 {} 节点的库存与配额";
    MONTH_WHOLE: "started months are paid whole; other work can use what is left of them", "不足一月按整月计费；剩余时间可用于其他任务";
    CHECKPOINT_FITS: "each change needs a checkpoint that another number of GPUs can read; converting one took a published run 45 min",
        "每次变更需可由不同 GPU 数读取的检查点；有公开案例的转换耗时 45 分钟";
    CHANGE_ASSUMED: "a change costs a checkpoint write, a restart and a start-up; --scale-cost states it", "每次变更按写检查点、重启与启动计；可用 --scale-cost 指定";
    PER_MONTH: "{} per node-month, {}", "每节点月 {}，{}";
}
