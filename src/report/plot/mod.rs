//! Plots, rendered into memory as SVG or PNG with an embedded font and no system library.
//!
//! A [`PlotModel`] says what is shown. It becomes a list of shapes in pixels, which both back ends draw, so that
//! an SVG and a PNG of the same model are the same picture. Groups and curves differ in marker and line pattern
//! as well as in colour and survive a black-and-white printer.

mod axis;
mod canvas;
mod cost_time;
pub(in crate::report) mod font;
mod frame;
mod label;
mod model;
mod roofline;
mod scaling;
mod scene;

#[cfg(test)]
mod tests;

pub use model::{
    BandwidthRoof, CostTimePlot, CostTimePoint, Interval, PlotModel, RateRoof, RooflinePlot, RooflinePoint,
    ScalingPlot, ScalingPoint, ScalingSeries,
};

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

    /// The usual size for a model: 1000 x 640, twice as high for two plots.
    pub const fn usual(model: &PlotModel) -> Self {
        match model {
            PlotModel::CostTime(_) | PlotModel::Scaling(_) | PlotModel::Roofline(_) => {
                Self { width: 1000, height: 640 }
            }
            PlotModel::Both(..) => Self { width: 1000, height: 1280 },
        }
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

fn scene(model: &PlotModel, language: Language, size: PlotSize) -> Result<Scene, PlotError> {
    let (least, most) = (PlotSize::SMALLEST, PlotSize::LARGEST);
    let halves = if matches!(model, PlotModel::Both(..)) { 2 } else { 1 };
    if !(least.width..=most.width).contains(&size.width)
        || !(least.height * halves..=most.height).contains(&size.height)
    {
        return Err(PlotError::Size(size));
    }
    font::check()?;
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let mut scene = Scene::new(width, height);
    let whole = Area { left: 0.0, top: 0.0, right: width, bottom: height };
    match model {
        PlotModel::CostTime(plot) => cost_time::draw(plot, language, whole, &mut scene),
        PlotModel::Scaling(plot) => scaling::draw(plot, language, whole, &mut scene),
        PlotModel::Roofline(plot) => roofline::draw(plot, language, whole, &mut scene),
        PlotModel::Both(upper, lower) => {
            let middle = (height / 2.0).round();
            cost_time::draw(upper, language, Area { bottom: middle, ..whole }, &mut scene);
            scaling::draw(lower, language, Area { top: middle, ..whole }, &mut scene);
        }
    }
    Ok(scene)
}
