//! Pictures of bars, layers and schedules.

use super::scene::Shape;
use super::tests::{assert_texts_apart, scene_of};
use super::*;

/// One of each of the plots of bars.
fn of_bars() -> Vec<PlotModel> {
    let layers = LayersPlot {
        title: "Memory".to_owned(),
        y_label: "memory (GiB)".to_owned(),
        layers: ["weights", "gradients", "nothing"].map(str::to_owned).to_vec(),
        columns: vec![
            LayersColumn {
                label: "stage 1".to_owned(),
                values: vec![10.0, 5.0, 0.0],
                total: "15 GiB".to_owned(),
            },
            LayersColumn {
                label: "stage 2".to_owned(),
                values: vec![8.0, 4.0, 0.0],
                total: "12 GiB".to_owned(),
            },
        ],
        limit: Some(("usable: 20 GiB".to_owned(), 20.0)),
        footer: "test".to_owned(),
    };
    let bar = |label: &str, group, value| NamedBar {
        label: label.to_owned(),
        group,
        value,
        text: format!("{value} s"),
    };
    let bars = BarsPlot {
        title: "Step".to_owned(),
        x_label: "time".to_owned(),
        time: true,
        bars: vec![bar("products", 0, 3.0), bar("reduction", 1, 1.0)],
        groups: ["compute", "network"].map(str::to_owned).to_vec(),
        footer: String::new(),
    };
    let assumption = |label: &str, low: f64, high: f64| SensitivityBar {
        label: label.to_owned(),
        low: (low, "less".to_owned()),
        high: (high, "more".to_owned()),
    };
    let sensitivity = SensitivityPlot {
        title: "Cost".to_owned(),
        x_label: "cost (USD)".to_owned(),
        time: false,
        base: 100.0,
        bars: vec![
            assumption("narrow", 95.0, 105.0),
            assumption("wide", 60.0, 180.0),
            SensitivityBar {
                label: "an input with a name that is rather long for its column".to_owned(),
                low: (55.0, "one way to buy, another way to buy, and a third one beside them".to_owned()),
                high: (
                    101.0,
                    "what else it could be, told in far more words than there is room for".to_owned(),
                ),
            },
        ],
        footer: String::new(),
    };
    let stretch =
        |from_s, to_s, nodes, done| TimelineStretch { from_s, to_s, changing_s: 3000.0, nodes, done };
    let timeline = TimelinePlot {
        title: "Schedule".to_owned(),
        stretches: vec![stretch(0.0, 40_000.0, 2, 0.2), stretch(40_000.0, 90_000.0, 8, 1.0)],
        baseline: 2,
        end_s: Interval::new(85_000.0, 90_000.0, 95_000.0),
        footer: String::new(),
    };
    vec![
        PlotModel::Layers(layers),
        PlotModel::Bars(bars),
        PlotModel::Sensitivity(sensitivity),
        PlotModel::Timeline(timeline),
    ]
}

#[test]
fn no_text_of_bars_covers_another_and_all_of_it_is_inside_the_picture() {
    for model in of_bars() {
        assert_texts_apart(&scene_of(&model));
    }
}

#[test]
fn bars_differ_in_pattern_and_the_widest_assumption_stands_on_top() {
    let patterns = |model: &PlotModel| {
        let drawn = scene_of(model).shapes;
        let mut found = Vec::new();
        for shape in drawn {
            if let Shape::Bar { pattern, .. } = shape
                && !found.contains(&pattern)
            {
                found.push(pattern);
            }
        }
        found.len()
    };
    for model in of_bars() {
        assert!(patterns(&model) >= 2, "{model:?}");
    }
    let height = |name: &str| {
        let drawn = scene_of(&of_bars()[2]).shapes;
        let found = drawn.into_iter().find_map(|s| match s {
            Shape::Text(t) if t.content == name => Some(t.at.1),
            _ => None,
        });
        found.unwrap()
    };
    assert!(height("wide") < height("narrow"));
}

#[test]
fn several_plots_are_as_high_as_each_of_them_together() {
    let model = PlotModel::Several(of_bars());
    assert_eq!(PlotSize::usual(&model), PlotSize { width: 1000, height: 2560 });
    let svg = render_svg(&model, Language::Chinese, PlotSize::usual(&model)).unwrap();
    assert_eq!(svg, render_svg(&model, Language::Chinese, PlotSize::usual(&model)).unwrap());
    assert!(svg.contains("包月基线") && svg.contains("结果更高"));
}
