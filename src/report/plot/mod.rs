//! Plots, rendered into memory as SVG or PNG with an embedded font and no system library.
//!
//! A [`PlotModel`] says what is shown. It becomes a list of shapes in pixels, which both back ends draw, so that
//! an SVG and a PNG of the same model are the same picture. Groups and curves differ in marker and line pattern
//! as well as in colour and survive a black-and-white printer.

mod axis;
mod bars;
mod canvas;
mod cost_time;
mod drawing;
pub(in crate::report) mod font;
mod frame;
mod label;
mod layers;
mod marker;
mod model;
mod pattern;
mod roofline;
mod scaling;
mod scene;
mod sweep;
mod timeline;

#[cfg(test)]
mod bar_tests;
#[cfg(test)]
mod tests;

pub use model::{
    BandwidthRoof, BarsPlot, CostTimePlot, CostTimePoint, Interval, LayersColumn, LayersPlot, NamedBar,
    PlotModel, RateRoof, RooflinePlot, RooflinePoint, ScalingPlot, ScalingPoint, ScalingSeries,
    SensitivityBar, SensitivityPlot, SweepCurve, SweepPlot, TimelinePlot, TimelineStretch,
};

pub(in crate::report) use drawing::{Drawing, Piece, Rgb, Stroke, drawing};

use super::Language;
use scene::{Area, Scene};

/// Size of a picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlotSize {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl PlotSize {
    /// Smallest picture in which the text has room.
    pub const SMALLEST: Self = Self { width: 480, height: 320 };
    /// Largest picture.
    pub const LARGEST: Self = Self { width: 8000, height: 8000 };

    /// A plot inside a document: text of a tenth of an inch on A4.
    pub const IN_DOCUMENT: Self = Self { width: 760, height: 340 };

    /// The usual size for a model: 1000 x 640, so often as high as there are plots.
    pub fn usual(model: &PlotModel) -> Self {
        let plots = u32::try_from(plots(model)).unwrap_or(1).min(Self::LARGEST.height / 640);
        Self { width: 1000, height: 640 * plots }
    }
}

/// Why a plot could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// Too small for its text, or absurdly large.
    #[error("a plot of {} x {} pixels is not possible: use 480 x 320 to 8000 x 8000", .0.width, .0.height)]
    Size(PlotSize),
    /// The embedded font cannot be read, which is a mistake of the build.
    #[error("the embedded font of the plots cannot be read")]
    Font,
    /// The drawing library failed.
    #[error("failed to draw the plot: {0}")]
    Draw(String),
    /// The PNG encoder failed.
    #[error("failed to encode the plot as PNG: {0}")]
    Encode(#[from] png::EncodingError),
}

/// The plot as an SVG document; the same model always gives the same text.
///
/// # Errors
/// When the size is out of range or the drawing library fails.
pub fn render_svg(model: &PlotModel, language: Language, size: PlotSize) -> Result<String, PlotError> {
    canvas::svg(&scene(model, language, size)?, size)
}

/// The plot as a PNG file, 8 bits per channel.
///
/// # Errors
/// When the size is out of range or drawing or encoding fails.
pub fn render_png(model: &PlotModel, language: Language, size: PlotSize) -> Result<Vec<u8>, PlotError> {
    canvas::png(&scene(model, language, size)?, size)
}

/// How many plots a model has one below the other.
fn plots(model: &PlotModel) -> usize {
    match model {
        PlotModel::Both(..) => 2,
        PlotModel::Several(models) => models.iter().map(plots).sum::<usize>().max(1),
        _ => 1,
    }
}

fn scene(model: &PlotModel, language: Language, size: PlotSize) -> Result<Scene, PlotError> {
    let (least, most) = (PlotSize::SMALLEST, PlotSize::LARGEST);
    let plots = u32::try_from(plots(model)).unwrap_or(u32::MAX);
    if !(least.width..=most.width).contains(&size.width)
        || !(least.height.saturating_mul(plots)..=most.height).contains(&size.height)
    {
        return Err(PlotError::Size(size));
    }
    font::check()?;
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let mut scene = Scene::new(width, height);
    let whole = Area { left: 0.0, top: 0.0, right: width, bottom: height };
    draw(model, language, whole, &mut scene);
    Ok(scene)
}

fn draw(model: &PlotModel, language: Language, area: Area, scene: &mut Scene) {
    match model {
        PlotModel::CostTime(plot) => cost_time::draw(plot, language, area, scene),
        PlotModel::Scaling(plot) => scaling::draw(plot, language, area, scene),
        PlotModel::Sweep(plot) => sweep::draw(plot, language, area, scene),
        PlotModel::Roofline(plot) => roofline::draw(plot, language, area, scene),
        PlotModel::Layers(plot) => layers::draw(plot, language, area, scene),
        PlotModel::Bars(plot) => bars::draw(plot, language, area, scene),
        PlotModel::Sensitivity(plot) => bars::draw_sensitivity(plot, language, area, scene),
        PlotModel::Timeline(plot) => timeline::draw(plot, language, area, scene),
        PlotModel::Both(upper, lower) => {
            let middle = f64::midpoint(area.top, area.bottom).round();
            cost_time::draw(upper, language, Area { bottom: middle, ..area }, scene);
            scaling::draw(lower, language, Area { top: middle, ..area }, scene);
        }
        PlotModel::Several(models) => {
            let each = area.height() / plots(model) as f64;
            let mut top = area.top;
            for model in models {
                let bottom = (top + each * plots(model) as f64).round();
                draw(model, language, Area { top, bottom, ..area }, scene);
                top = bottom;
            }
        }
    }
}
