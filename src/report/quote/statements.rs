//! What a quote says below its prices.

use super::super::phrases::assumption::said;
use super::super::phrases::{quote as say, recommend, simulation};
use super::super::sentences::assumption;
use super::super::{Block, Cell, Column, Language, Phrase, Row, Table};
use super::{amount, picture, tables, words};
use crate::cost::StoppedBilling;
use crate::cost::quote::{
    Alternative, Basis, BudgetaryReason, Condition, Exclusion, Prediction, Quote, QuoteLine, Verdict,
};
use crate::units::{Seconds, text};

/// Everything below the prices.
pub(super) fn blocks(quote: &Quote, language: Language) -> Vec<Block> {
    let mut blocks = Vec::new();
    let t = |phrase: Phrase| phrase.text(language);
    let section = |phrase: Phrase| Block::heading(2, phrase.text(language));
    if !quote.budgetary_reasons.is_empty() {
        blocks.push(section(say::WHY_BUDGETARY));
        blocks.push(Block::list(reasons(quote, language)));
    }
    if let Some(prediction) = &quote.prediction {
        blocks.push(section(say::PREDICTION));
        blocks.push(predicted(prediction, quote, language));
    }
    if let Some(test) = quote.acceptance {
        blocks.push(section(say::ACCEPTANCE));
        let most = text::duration(Seconds::new(test.step_time_s * (1.0 + test.tolerance)), 3);
        let above = text::percent(test.tolerance);
        blocks.push(Block::paragraph(say::ACCEPTANCE_TEXT.fill(language, &[&most, &above])));
    }
    if !quote.alternatives.is_empty() {
        blocks.push(section(say::ALTERNATIVES));
        blocks.push(alternatives(quote, language).into());
        blocks.extend(picture::alternatives(quote, language));
    }
    blocks.extend(tables::ways_to_buy(quote, language).map(Block::from));
    blocks.extend(picture::ways(quote, language));
    blocks.push(section(say::EXCLUDED));
    blocks.push(Block::list(quote.exclusions.iter().map(|&e| exclusion(e).text(language))));
    blocks.push(section(say::CONDITIONS));
    blocks.push(Block::list(quote.conditions.iter().map(|c| condition(c, language))));
    if !quote.assumptions.is_empty() {
        blocks.push(section(say::ASSUMPTIONS));
        let lines = quote.assumptions.iter().map(|a| assumption(&a.name, &a.value, &a.reason, language));
        blocks.push(Block::list(lines));
    }
    blocks.push(section(say::PRICE_DATES));
    blocks.push(prices(quote, language).into());
    if !quote.exchange_rates.is_empty() {
        let rates = quote.exchange_rates.iter().map(|r| {
            say::RATE.fill(language, &[&r.per_usd.to_string(), &r.currency.to_string(), &r.date.to_string()])
        });
        blocks.push(Block::heading(3, t(say::RATES)));
        blocks.push(Block::list(rates));
    }
    let line = "_".repeat(48);
    blocks.push(Block::Rule);
    blocks.push(Block::fields([(t(say::FOR_THE_SELLER), line.clone()), (t(say::FOR_THE_CUSTOMER), line)]));
    blocks.push(Block::fields([
        (t(say::NUMBER), quote.number.clone()),
        (t(say::HASH), quote.content_hash.clone()),
    ]));
    blocks
}

/// Why the quote is an estimate only, in words.
pub(in crate::report) fn reasons(quote: &Quote, language: Language) -> Vec<String> {
    quote.budgetary_reasons.iter().map(|r| reason(r, language)).collect()
}

fn reason(reason: &BudgetaryReason, language: Language) -> String {
    match reason {
        BudgetaryReason::NotFirm { code } => say::REASON_NOT_FIRM.fill(language, &[code]),
        BudgetaryReason::OldPrice { code, as_of } => {
            say::REASON_OLD.fill(language, &[code, &as_of.to_string()])
        }
        BudgetaryReason::FuturePrice { code, as_of } => {
            say::REASON_FUTURE.fill(language, &[code, &as_of.to_string()])
        }
        BudgetaryReason::ImplausiblePrice { code } => say::REASON_IMPLAUSIBLE.fill(language, &[code]),
        BudgetaryReason::ZeroTotal => say::REASON_ZERO.owned(language),
        BudgetaryReason::Unconfirmed => say::REASON_UNCONFIRMED.owned(language),
        BudgetaryReason::HoursTooFew { percent } => say::REASON_HOURS.fill(language, &[&percent.to_string()]),
        BudgetaryReason::OldRate { currency, as_of } => {
            say::REASON_OLD_RATE.fill(language, &[&currency.to_string(), &as_of.to_string()])
        }
        BudgetaryReason::UndatedPrice { code } => say::REASON_UNDATED.fill(language, &[code]),
        BudgetaryReason::Porting { vendor, software } => {
            say::REASON_PORTING.fill(language, &[software, vendor])
        }
        BudgetaryReason::WeakEvidence => say::REASON_WEAK.owned(language),
        BudgetaryReason::Sample => say::REASON_SAMPLE.owned(language),
        BudgetaryReason::Asked => say::REASON_ASKED.owned(language),
    }
}

/// Evidence in words, not in letters.
pub(in crate::report) fn evidence(grade: &str) -> Phrase {
    match grade {
        "A" => say::EVIDENCE_A,
        "B" => say::EVIDENCE_B,
        "C" => say::EVIDENCE_C,
        _ => say::EVIDENCE_D,
    }
}

/// The job in one line.
fn workload(p: &Prediction, language: Language) -> String {
    let count = text::count(p.length);
    let length = match p.length_unit.as_str() {
        "tokens" => recommend::TOKENS.fill(language, &[&count]),
        "samples" => recommend::SAMPLES.fill(language, &[&count]),
        "steps" => recommend::STEPS.fill(language, &[&count]),
        _ => say::EPOCHS.fill(language, &[&text::significant(p.length, 3)]),
    };
    let size = simulation::PARAMETERS_OF.fill(language, &[&text::count(p.parameters)]);
    let batch = text::grouped(&format!("{:.0}", p.global_batch));
    let batch = match p.sequence_length {
        Some(tokens) => say::BATCH_OF.fill(language, &[&batch, &tokens.to_string()]),
        None => say::BATCH.fill(language, &[&batch]),
    };
    let adapters = p.adapters.as_ref().map_or_else(String::new, |note| {
        let phrase = if note.method == "qlora" { recommend::WITH_QLORA } else { recommend::WITH_LORA };
        let targets = said(&note.targets, language);
        format!(" · {}", phrase.fill(language, &[&note.rank.to_string(), &targets]))
    });
    format!("{} ({size}) · {length} · {batch} · {} · {}{adapters}", p.model, p.precision, p.software)
}

fn cluster(p: &Prediction, language: Language) -> String {
    let counts = [p.nodes.to_string(), p.gpus_per_node.to_string()];
    let nodes = simulation::NODES_LINE.fill(language, &[&counts[0], &counts[1], &p.gpu]);
    format!("{} · {nodes}", p.cluster)
}

fn predicted(p: &Prediction, quote: &Quote, language: Language) -> Block {
    let digits = if p.grade == "D" { 2 } else { 3 };
    let time = |seconds: f64| text::duration(Seconds::new(seconds), digits);
    let q = &p.total_time_s;
    let quantiles = |texts: [String; 3]| say::QUANTILES.fill(language, &[&texts[0], &texts[1], &texts[2]]);
    let steps = text::grouped(&format!("{:.0}", p.steps));
    let mut fields = vec![(say::WORKLOAD, workload(p, language)), (say::CLUSTER, cluster(p, language))];
    let mut sizes = Vec::new();
    if let Some(schedule) = &p.schedule {
        let baseline = schedule.baseline_nodes.to_string();
        let text = say::SCHEDULE_OF.fill(language, &[&schedule.text, &schedule.start, &baseline]);
        fields.push((say::SCHEDULE, text));
        sizes.extend(schedule.sizes.iter().map(|size| {
            let label = say::SIZE_OF_SCHEDULE.fill(language, &[&size.nodes.to_string()]);
            (label, say::STEP_AND_PLAN.fill(language, &[&time(size.step_time_s), &size.plan]))
        }));
    } else {
        fields.push((say::PLAN, p.plan.clone()));
        fields.push((say::STEP, say::STEPS_TIMES.fill(language, &[&steps, &time(p.step_time_s)])));
    }
    fields.push((say::TRAINING_TIME, quantiles([q.p10, q.p50, q.p90].map(time))));
    if let Some(jobs) = p.jobs {
        let number = jobs.to_string();
        let text = if p.schedule.is_some() {
            say::JOBS_OF_SCHEDULE.fill(language, &[&number])
        } else {
            let (whole, one) = (time(q.p50 * f64::from(jobs)), time(q.p50));
            say::JOBS_IN_TURN.fill(language, &[&number, &whole, &one])
        };
        fields.push((say::JOBS, text));
    }
    if let Some(c) = &p.compute {
        let money = |value| format!("{} {}", amount(value), quote.currency);
        fields.push((say::COMPUTE_COST, quantiles([c.p10, c.p50, c.p90].map(money))));
    }
    fields.push((say::GPU_HOURS, text::significant(p.gpu_hours, digits)));
    fields.push((say::EVIDENCE, evidence(&p.grade).owned(language)));
    let fields = fields.into_iter().map(|(label, text)| (label.owned(language), text));
    Block::fields(fields.chain(sizes))
}

fn alternatives(quote: &Quote, language: Language) -> Table {
    let t = |phrase: Phrase| phrase.text(language);
    let columns = vec![
        Column::left(t(say::ALTERNATIVE), "alternative"),
        Column::right(t(say::TRAINING_TIME), "time_s"),
        Column::right(format!("{} ({})", t(say::NET), quote.currency), "compute"),
        Column::left(t(say::VERDICT), "verdict"),
    ];
    let row = |a: &Alternative| {
        let time =
            a.time_s.map_or_else(Cell::absent, |s| Cell::number(text::duration(Seconds::new(s), 3), s));
        let cost = a.compute.map_or_else(Cell::absent, |c| Cell::exact(amount(c), c.to_string()));
        let compared = t(words::verdict(a.verdict));
        let verdict = match &a.reason {
            None => compared.to_owned(),
            Some(why) if a.verdict == Verdict::Better => say::BETTER_BUT.fill(language, &[why]),
            Some(why) => format!("{compared} · {why}"),
        };
        Row::new([Cell::text(&a.name), time, cost, Cell::text(verdict)])
    };
    Table::new(columns, quote.alternatives.iter().map(row)).noted(at_which_quantile(quote, language))
}

/// The quantile of the alternatives.
pub(super) fn quantile(quote: &Quote) -> Basis {
    quote.alternatives.iter().find_map(|a| a.at).unwrap_or(Basis::P50)
}

/// At which quantile the table compares, and what is quoted there.
fn at_which_quantile(quote: &Quote, language: Language) -> Option<String> {
    let prediction = quote.prediction.as_ref()?;
    let at = quantile(quote);
    let time = text::duration(Seconds::new(prediction.total_time_s.at(at)), 3);
    let cost = prediction.compute.map_or_else(|| "-".to_owned(), |c| amount(c.at(at)));
    let phrase = if at == Basis::P90 { say::AT_THE_P90 } else { say::AT_THE_MEDIAN };
    let own = match &prediction.schedule {
        Some(_) => say::SCHEDULE.owned(language),
        None => prediction.cluster.clone(),
    };
    Some(phrase.fill(language, &[&own, &time, &format!("{cost} {}", quote.currency)]))
}

const fn exclusion(exclusion: Exclusion) -> Phrase {
    match exclusion {
        Exclusion::Storage => say::EXCLUDED_STORAGE,
        Exclusion::PublicIp => say::EXCLUDED_PUBLIC_IP,
        Exclusion::Egress => say::EXCLUDED_EGRESS,
        Exclusion::Support => say::EXCLUDED_SUPPORT,
        Exclusion::Tax => say::EXCLUDED_TAX,
    }
}

/// A time of whole seconds, in the largest unit of which it is a whole number.
fn whole(seconds: u64) -> String {
    let hour = Seconds::from_hours(1.0).get() as u64;
    let units = [(hour, "h"), (60, "min")];
    let found = units.into_iter().find(|(size, _)| seconds >= *size && seconds.is_multiple_of(*size));
    found.map_or_else(|| format!("{seconds} s"), |(size, name)| format!("{} {name}", seconds / size))
}

fn condition(condition: &Condition, language: Language) -> String {
    match condition {
        Condition::StockAndQuota { checked: None } => say::NOT_CHECKED.owned(language),
        Condition::StockAndQuota { checked: Some(day) } => {
            say::CHECKED_ON.fill(language, &[&day.to_string()])
        }
        Condition::Place { place } => say::PLACE.fill(language, &[place]),
        Condition::PriceEnds { code, until } => say::PRICE_ENDS.fill(language, &[code, &until.to_string()]),
        Condition::PlaceUnstated => say::PLACE_UNSTATED.owned(language),
        Condition::EndOfSale { status } => {
            say::END_OF_SALE.fill(language, &[words::status(status).text(language)])
        }
        Condition::MonthlyMayPay { hours } => say::MONTHLY_MAY_PAY.fill(language, &[&hours.to_string()]),
        Condition::ExportClearance => say::EXPORT.owned(language),
        Condition::SpotInterruptions { notice_s: None } => say::SPOT.owned(language),
        Condition::SpotInterruptions { notice_s: Some(notice) } => {
            say::SPOT_NOTICE.fill(language, &[&whole(*notice)])
        }
        Condition::Billing { known: false, .. } => say::BILLING_UNKNOWN.owned(language),
        Condition::Billing { granularity_s, minimum_s, stopped, .. } => {
            let least = (*minimum_s).max(*granularity_s);
            let unit = say::BILLING.fill(language, &[&whole(*granularity_s), &whole(least)]);
            match stopped {
                None => unit,
                Some(StoppedBilling::NotBilled) => format!("{unit} {}", say::STOPPED_FREE.text(language)),
                Some(StoppedBilling::Billed) => format!("{unit} {}", say::STOPPED_BILLED.text(language)),
                Some(StoppedBilling::BilledWithLocalDisk) => {
                    format!("{unit} {}", say::STOPPED_LOCAL.text(language))
                }
            }
        }
        Condition::ElasticNodes { most, changes, change_s } => {
            let time = text::duration(Seconds::new(*change_s as f64), 2);
            say::ELASTIC_NODES.fill(language, &[&most.to_string(), &changes.to_string(), &time])
        }
        Condition::Commitment { months } => say::COMMITMENT.fill(language, &[&months.to_string()]),
    }
}

fn prices(quote: &Quote, language: Language) -> Table {
    let t = |phrase: Phrase| phrase.text(language);
    let columns = vec![
        Column::left(t(say::CODE), "code"),
        Column::left(t(say::PRICE_DATE), "price_as_of"),
        Column::left(t(say::FIRM), "firm"),
        Column::left(t(say::SOURCE), "source"),
    ];
    let row = |line: &QuoteLine| {
        let old = quote
            .budgetary_reasons
            .iter()
            .any(|r| matches!(r, BudgetaryReason::OldPrice { code, .. } if *code == line.product.code));
        let date = match line.price_as_of {
            None => t(say::UNDATED).to_owned(),
            Some(day) if old => say::OLDER.fill(language, &[&day.to_string()]),
            Some(day) => day.to_string(),
        };
        let origin = if line.price_source.is_some() { say::CATALOG_PRICE } else { say::OUR_PRICE };
        let source = line.price_source.as_ref().map_or_else(String::new, |s| format!(": {s}"));
        Row::new([
            Cell::text(&line.product.code),
            Cell::text(date),
            Cell::text(t(if line.firm { say::BINDING } else { say::INDICATIVE })),
            Cell::text(format!("{}{source}", t(origin))),
        ])
    };
    Table::new(columns, quote.lines.iter().map(row))
}
