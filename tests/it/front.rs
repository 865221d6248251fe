//! The Pareto front over four axes, and rows that differ in kind.

use gpu_advisor::advisor::front::{Point, dominates, non_dominated};
use proptest::prelude::*;
use serde_json::Value;

use crate::program::{json, succeeds, words};

/// Values of few levels, so that ties on single axes and equal points are common.
fn points() -> impl Strategy<Value = Vec<Point>> {
    let level = || (1..6_u32).prop_map(f64::from);
    prop::collection::vec([level(), level(), level(), level()], 0..60)
}

proptest! {
    #[test]
    fn no_member_of_the_front_is_dominated_and_all_else_is(points in points()) {
        let on = non_dominated(&points);
        for (i, point) in points.iter().enumerate() {
            let mut members = points.iter().zip(&on).filter(|(_, on)| **on).map(|(p, _)| p);
            prop_assert_eq!(on[i], !points.iter().any(|other| dominates(other, point)));
            prop_assert!(on[i] || members.any(|member| dominates(member, point)));
        }
    }

    #[test]
    fn the_front_does_not_depend_on_the_order(
        (points, shuffled) in points().prop_flat_map(|p| (Just(p.clone()), Just(p).prop_shuffle()))
    ) {
        let front = |points: &[Point]| {
            let mut front: Vec<String> = points
                .iter()
                .zip(non_dominated(points))
                .filter(|(_, on)| *on)
                .map(|(p, _)| format!("{p:?}"))
                .collect();
            front.sort();
            front
        };
        prop_assert_eq!(front(&points), front(&shuffled));
    }
}

fn member(value: &Value) -> Point {
    let number = |key: &str| value[key].as_f64().expect("a number");
    let risk = (number("risk_share") * 100.0).round() / 100.0;
    [number("total_time_p50_s"), number("cost_p50"), number("gpus"), 1.0 + risk]
}

#[test]
fn the_front_of_an_answer_spans_four_axes_with_a_member_for_each_end_and_a_knee() {
    let (code, answer) = json("recommend --params 7B --tokens 100B --gpu a100,v100 --as-of 2026-11-30");
    assert_eq!(code, 0);
    let front = answer["front"].as_array().expect("a front");
    let points: Vec<Point> = front.iter().map(member).collect();
    assert!(points.len() > 5, "{}", points.len());
    assert!(non_dominated(&points).iter().all(|on| *on));
    let at = |role: &str| {
        let held = |m: &Value| m["roles"].as_array().expect("roles").iter().any(|r| r == role);
        points[front.iter().position(held).unwrap_or_else(|| panic!("{role}"))]
    };
    for (axis, role) in ["fastest", "cheapest", "fewest_gpus", "surest"].into_iter().enumerate() {
        assert!(points.iter().all(|p| p[axis] >= at(role)[axis]), "{role}");
    }
    // The knee is at neither end of time and cost.
    let knee = at("knee");
    assert!(knee[0] > at("fastest")[0] && knee[1] > at("cheapest")[1], "{knee:?}");
    // The cheapest on sale is the winner of the ranking by cost.
    assert_eq!(answer["candidates"][0]["cluster"], front[0]["cluster"]);
}

#[test]
fn interruptible_nodes_are_riskier_than_the_same_nodes_on_demand() {
    let risk = |purchase: &str| {
        let line = format!(
            "recommend --params 7B --tokens 100B --gpu a100 --provider aws --purchase {purchase} --as-of 2026-11-30"
        );
        let (_, answer) = json(&line);
        let front = answer["front"].as_array().expect("a front").clone();
        let largest = front.iter().filter_map(|m| m["risk_share"].as_f64()).fold(0.0, f64::max);
        assert!(!front.is_empty(), "{purchase}");
        largest
    };
    let (spot, on_demand) = (risk("spot"), risk("on-demand"));
    assert!(spot > on_demand, "{spot} {on_demand}");
}

#[test]
fn rows_shown_differ_in_kind_and_not_in_the_seller_alone() {
    let line = "recommend --params 7B --tokens 100B --gpu h100 --details --top 3 --as-of 2026-11-30";
    let text = succeeds(&words(line));
    // GPUs and their model: two columns that no two rows share.
    let kinds: Vec<(String, String)> = text
        .lines()
        .skip_while(|l| !l.starts_with("A  "))
        .take_while(|l| !l.starts_with("B  "))
        .filter_map(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let gpu = cells.iter().position(|c| ["h100-sxm", "h100-pcie", "h100-nvl"].contains(c))?;
            Some((cells[gpu - 1].to_owned(), cells[gpu].to_owned()))
        })
        .collect();
    assert_eq!(kinds.len(), 3);
    assert!(kinds[0] != kinds[1] && kinds[1] != kinds[2] && kinds[0] != kinds[2], "{kinds:?}\n{text}");
}
