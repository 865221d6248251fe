//! The size of what flows between the layers of a network.

use crate::catalog::{Padding, Sides};

/// Channels and size of one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FeatureMap {
    /// Channels.
    pub channels: u32,
    /// Depth, height, width; sizes that a network lacks are 1.
    pub size: Sides,
}

impl FeatureMap {
    /// Product of the sizes.
    pub fn positions(self) -> f64 {
        self.size.into_iter().map(f64::from).product()
    }

    /// Channels times positions.
    pub fn elements(self) -> f64 {
        f64::from(self.channels) * self.positions()
    }

    /// The same size with other channels.
    pub const fn with_channels(self, channels: u32) -> Self {
        Self { channels, size: self.size }
    }
}

/// Positions along one side after a kernel of `kernel` moves by `stride`.
fn side(size: u32, kernel: u32, stride: u32, padding: Padding) -> Result<u32, String> {
    if kernel == 0 || stride == 0 {
        return Err(format!("kernel {kernel} and stride {stride} must be at least 1"));
    }
    let around = match padding {
        Padding::Same => return Ok(size.div_ceil(stride)),
        Padding::Half => 2 * u64::from((kernel - 1) / 2),
        Padding::Valid => 0,
    };
    let room = (u64::from(size) + around)
        .checked_sub(u64::from(kernel))
        .ok_or_else(|| format!("kernel {kernel} is wider than the map of {size}"))?;
    u32::try_from(room / u64::from(stride) + 1).map_err(|_| format!("a map of {size} is too large"))
}

/// The map after pooling.
pub(super) fn pooled(
    map: FeatureMap,
    kernel: Sides,
    stride: Sides,
    padding: Padding,
) -> Result<FeatureMap, String> {
    let mut size = map.size;
    for (i, side_size) in size.iter_mut().enumerate() {
        *side_size = side(*side_size, kernel[i], stride[i], padding)?;
    }
    Ok(FeatureMap { size, ..map })
}

/// The map after a transposed convolution: every side grows by its stride.
pub(super) fn grown(map: FeatureMap, factor: Sides) -> Result<FeatureMap, String> {
    let mut size = map.size;
    for (i, side_size) in size.iter_mut().enumerate() {
        *side_size = side_size
            .checked_mul(factor[i])
            .filter(|&s| s > 0)
            .ok_or_else(|| format!("a map of {} cannot grow by {}", map.size[i], factor[i]))?;
    }
    Ok(FeatureMap { size, ..map })
}

/// Refuses channels that the groups do not divide.
pub(super) fn check_groups(inputs: u32, out: u32, groups: u32) -> Result<(), String> {
    if out == 0 || groups == 0 {
        return Err(format!("{out} output channels in {groups} groups; both must be at least 1"));
    }
    if !inputs.is_multiple_of(groups) || !out.is_multiple_of(groups) {
        return Err(format!("{groups} groups do not divide {inputs} input and {out} output channels"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_follow_the_usual_padding() {
        assert_eq!(side(224, 7, 2, Padding::Half), Ok(112));
        assert_eq!(side(112, 3, 2, Padding::Half), Ok(56));
        assert_eq!(side(56, 1, 2, Padding::Half), Ok(28));
        assert_eq!(side(75, 2, 2, Padding::Half), Ok(37));
        assert_eq!(side(75, 3, 2, Padding::Same), Ok(38));
        assert_eq!(side(75, 3, 1, Padding::Valid), Ok(73));
    }

    #[test]
    fn groups_must_divide_both_channel_counts() {
        assert_eq!(check_groups(6, 6, 3), Ok(()));
        assert!(check_groups(6, 8, 3).unwrap_err().contains("do not divide 6 input and 8 output"));
    }

    #[test]
    fn a_volume_grows_along_every_side() {
        let map = FeatureMap { channels: 4, size: [1, 3, 5] };
        assert_eq!(grown(map, [1, 2, 2]).unwrap().size, [1, 6, 10]);
        assert!(grown(map, [1, 0, 2]).is_err());
    }
}
