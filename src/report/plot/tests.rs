//! Pictures as a whole.

use std::collections::BTreeSet;

use super::scene::{Marker, Shape};
use super::*;

fn days(days: f64, spread: f64) -> Interval {
    let seconds = crate::units::Seconds::from_days(days).get();
    Interval::new(seconds / spread, seconds, seconds * spread)
}

fn point(label: &str, group: usize, time: f64, cost: f64) -> CostTimePoint {
    CostTimePoint {
        label: label.to_owned(),
        group,
        time_s: days(time, 1.2),
        cost: Interval::new(cost / 1.2, cost, cost * 1.2),
        ..CostTimePoint::default()
    }
}

fn cost_time() -> CostTimePlot {
    let mut points = vec![
        point("cloud/a8.24x*8", 0, 6.0, 310_000.0),
        point("cloud/a8.24x*4", 0, 11.0, 250_000.0),
        point("cloud/a8.24x*2", 0, 21.0, 235_000.0),
        point("other/big-40*16", 0, 3.4, 420_000.0),
        point("cloud/v8.16x*16", 1, 19.0, 640_000.0),
        point("cloud/v8.16x*8", 1, 36.0, 600_000.0),
        point("other/v4*64", 1, 9.0, 900_000.0),
        point("other/v4*32", 1, 15.5, 660_000.0),
    ];
    for (i, pareto) in [true, true, true, true].into_iter().enumerate() {
        points[i].pareto = pareto;
    }
    points[1].winner = true;
    CostTimePlot {
        title: "7B on 300B tokens: cost against time".to_owned(),
        currency: "USD".to_owned(),
        points,
        groups: vec!["newer GPU".to_owned(), "older GPU".to_owned()],
        deadline_s: Some(days(30.0, 1.0).p50),
        budget: Some(700_000.0),
        ringed: None,
        footer:
            "Profile 2026-11, grade B; prices as of 2026-11-28, on demand; disk, egress and tax left out."
                .to_owned(),
    }
}

fn scaling() -> ScalingPlot {
    let curve = |name: &str, base: f64, loss: f64| ScalingSeries {
        name: name.to_owned(),
        points: (3..=9)
            .map(|k| {
                let value = base * 2f64.powi(k) * loss.powi(k - 3);
                ScalingPoint {
                    gpus: 1 << k,
                    value: Interval::new(value * 0.85, value, value * 1.1),
                    efficiency: None,
                }
            })
            .collect(),
    };
    ScalingPlot {
        title: "Scaling".to_owned(),
        y_label: "throughput (tokens/s)".to_owned(),
        series: vec![
            curve("newer GPU, 8 x 200 Gb/s", 3000.0, 0.95),
            curve("older GPU", 900.0, 0.9),
            curve("third", 500.0, 0.8),
        ],
        ideal: true,
        footer: "Profile 2026-11, grade B.".to_owned(),
    }
}

fn crowded() -> CostTimePlot {
    let mut crowded = cost_time();
    crowded.points = (0..60)
        .map(|i| {
            let t = 2.0 + f64::from(i % 10) * 0.4;
            point(
                &format!("provider/instance-type.{i}xlarge*{}", i + 1),
                i as usize % 12,
                t,
                1e5 + f64::from(i) * 2e3,
            )
        })
        .collect();
    crowded.groups =
        (0..12).map(|i| format!("group {i} with a rather long name that has to be cut somewhere")).collect();
    crowded.title = "a long title ".repeat(30);
    crowded.footer = "provenance ".repeat(60);
    crowded
}

pub(super) fn scene_of(model: &PlotModel) -> Scene {
    scene(model, Language::English, PlotSize::usual(model)).unwrap()
}

/// Every text of a scene lies inside the picture and covers no other text.
pub(super) fn assert_texts_apart(scene: &Scene) {
    let areas: Vec<(Area, &str)> = scene
        .shapes
        .iter()
        .filter_map(
            |shape| if let Shape::Text(t) = shape { Some((t.area(), t.content.as_str())) } else { None },
        )
        .collect();
    let picture = Area { left: 0.0, top: 0.0, right: scene.width, bottom: scene.height };
    for (i, (area, text)) in areas.iter().enumerate() {
        assert!(picture.contains(*area), "{text:?} is clipped: {area:?}");
        for (other, other_text) in &areas[i + 1..] {
            assert!(!area.overlaps(*other), "{text:?} and {other_text:?} overlap");
        }
    }
}

#[test]
fn texts_never_overlap_and_are_never_clipped() {
    for model in [
        PlotModel::CostTime(cost_time()),
        PlotModel::Scaling(scaling()),
        PlotModel::Both(cost_time(), scaling()),
        PlotModel::CostTime(crowded()),
    ] {
        assert_texts_apart(&scene_of(&model));
    }
}

#[test]
fn an_svg_is_the_same_twice_and_holds_only_numbers() {
    let model = PlotModel::Both(cost_time(), scaling());
    let svg = render_svg(&model, Language::Chinese, PlotSize::usual(&model)).unwrap();
    assert_eq!(svg, render_svg(&model, Language::Chinese, PlotSize::usual(&model)).unwrap());
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert!(svg.contains("训练时长") && svg.contains("cloud/a8.24x*4"));
    assert_eq!(svg.matches("<text ").count(), svg.matches("textLength=").count());
}

#[test]
fn a_png_has_the_size_asked_for_and_something_on_white() {
    let size = PlotSize { width: 800, height: 500 };
    let file = render_png(&PlotModel::CostTime(cost_time()), Language::English, size).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (800, 500));
    let dark = pixels.chunks_exact(3).filter(|rgb| rgb[0] < 128).count();
    assert!((2000..40_000).contains(&dark), "{dark} of {}", pixels.len() / 3);
}

#[test]
fn groups_differ_in_shape_without_colour() {
    let drawn = |model: &PlotModel| -> BTreeSet<Marker> {
        let marker =
            |shape: &Shape| if let Shape::Marker { marker, .. } = shape { Some(*marker) } else { None };
        scene_of(model).shapes.iter().filter_map(marker).collect()
    };
    assert_eq!(drawn(&PlotModel::CostTime(cost_time())).len(), 2);
    assert_eq!(drawn(&PlotModel::Scaling(scaling())).len(), 3);
    assert_eq!(Marker::ALL.iter().collect::<BTreeSet<_>>().len(), Marker::ALL.len());
}

#[test]
fn nothing_to_plot_says_so_and_odd_values_are_left_out() {
    let says = |plot: CostTimePlot, text: &str| {
        let model = PlotModel::CostTime(plot);
        let svg = render_svg(&model, Language::English, PlotSize::usual(&model)).unwrap();
        assert!(svg.contains(text) && !svg.contains("NaN"), "{svg}");
    };
    says(CostTimePlot::default(), "no data to plot");
    let mut odd = cost_time();
    odd.points[0].cost = Interval::exact(f64::NAN);
    odd.points[1].time_s = Interval::exact(f64::INFINITY);
    odd.points[2].cost.p90 = f64::INFINITY;
    odd.deadline_s = Some(f64::NAN);
    says(odd, "2 points left out");
    let mut one = cost_time();
    one.points.truncate(1);
    says(one, "cloud/a8.24x*8");
    let mut same = cost_time();
    same.points = vec![point("twin", 0, 5.0, 100.0); 5];
    says(same, "twin");
    let model = PlotModel::Scaling(ScalingPlot::default());
    assert!(
        render_svg(&model, Language::Chinese, PlotSize::usual(&model)).unwrap().contains("没有可绘制的数据")
    );
}

#[test]
fn a_picture_without_room_for_its_text_is_an_error() {
    let small = PlotSize { width: 100, height: 100 };
    let error = render_png(&PlotModel::CostTime(cost_time()), Language::English, small).unwrap_err();
    assert!(error.to_string().contains("480 x 320"), "{error}");
    let half = PlotSize { width: 1000, height: 400 };
    assert!(render_svg(&PlotModel::Both(cost_time(), scaling()), Language::English, half).is_err());
    for (width, height) in [(480, 320), (2000, 500)] {
        let model = PlotModel::CostTime(cost_time());
        let drawn = scene(&model, Language::English, PlotSize { width, height }).unwrap();
        assert_texts_apart(&drawn);
    }
}
