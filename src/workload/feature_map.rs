//! The size of what flows between the layers of a convolutional network.

/// Channels, height and width of one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FeatureMap {
    /// Channels.
    pub channels: u32,
    /// Height.
    pub height: u32,
    /// Width.
    pub width: u32,
}

impl FeatureMap {
    /// Height times width.
    pub fn positions(self) -> f64 {
        f64::from(self.height) * f64::from(self.width)
    }

    /// Channels times positions.
    pub fn elements(self) -> f64 {
        f64::from(self.channels) * self.positions()
    }
}

/// Positions along one side after a kernel of `kernel` moves by `stride` with padding (kernel - 1) / 2.
fn side(size: u32, kernel: u32, stride: u32) -> Result<u32, String> {
    if kernel == 0 || stride == 0 {
        return Err(format!("kernel {kernel} and stride {stride} must be at least 1"));
    }
    let padded = u64::from(size) + 2 * u64::from((kernel - 1) / 2);
    let room = padded
        .checked_sub(u64::from(kernel))
        .ok_or_else(|| format!("kernel {kernel} is wider than the map of {size}"))?;
    u32::try_from(room / u64::from(stride) + 1).map_err(|_| format!("a map of {size} is too large"))
}

/// The map after a square max pooling.
pub(super) fn pooled(map: FeatureMap, kernel: u32, stride: u32) -> Result<FeatureMap, String> {
    Ok(FeatureMap {
        height: side(map.height, kernel, stride)?,
        width: side(map.width, kernel, stride)?,
        ..map
    })
}

/// The map after a square convolution.
pub(super) fn convolved(
    map: FeatureMap,
    out: u32,
    kernel: u32,
    stride: u32,
    groups: u32,
) -> Result<FeatureMap, String> {
    if out == 0 || groups == 0 {
        return Err(format!("{out} output channels in {groups} groups; both must be at least 1"));
    }
    if !map.channels.is_multiple_of(groups) || !out.is_multiple_of(groups) {
        return Err(format!(
            "{groups} groups do not divide {} input and {out} output channels",
            map.channels
        ));
    }
    Ok(FeatureMap { channels: out, ..pooled(map, kernel, stride)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_follow_the_usual_padding() {
        assert_eq!(side(224, 7, 2), Ok(112));
        assert_eq!(side(112, 3, 2), Ok(56));
        assert_eq!(side(56, 1, 2), Ok(28));
        assert_eq!(side(75, 2, 2), Ok(37));
    }

    #[test]
    fn groups_must_divide_both_channel_counts() {
        let map = FeatureMap { channels: 6, height: 8, width: 8 };
        assert!(convolved(map, 6, 3, 1, 3).is_ok());
        assert!(convolved(map, 8, 3, 1, 3).unwrap_err().contains("do not divide 6 input and 8 output"));
        assert!(convolved(map, 6, 3, 0, 1).is_err());
    }
}
