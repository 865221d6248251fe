//! Items as text: the keys of a trace, written by `Display` and read back here.

use std::str::FromStr;

use super::measurement::{
    Collective, Cores, Direction, Format, HostMemory, Item, Launch, Layout, Shape, Stream,
};

/// A text that names no item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no measurement, such as \"stream copy 1048576\" or \"product fp16 NN 4096x4096x4096\"")]
pub struct ParseItemError(String);

impl FromStr for Item {
    type Err = ParseItemError;

    fn from_str(text: &str) -> Result<Self, ParseItemError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        item(&words).ok_or_else(|| ParseItemError(text.to_owned()))
    }
}

fn item(words: &[&str]) -> Option<Item> {
    Some(match *words {
        ["stream", kind, bytes] => {
            Item::Stream { kind: named(&Stream::ALL, Stream::name, kind)?, bytes: bytes.parse().ok()? }
        }
        ["l2-read", bytes] => Item::L2Read { bytes: bytes.parse().ok()? },
        ["intensity", fma, bytes] => Item::Intensity { fma: fma.parse().ok()?, bytes: bytes.parse().ok()? },
        ["ceiling", format, cores] => Item::Ceiling {
            format: format_named(format)?,
            cores: match cores {
                "vector" => Cores::Vector,
                "matrix" => Cores::Matrix,
                _ => return None,
            },
        },
        ["product", format, layout, shape] => Item::Product {
            shape: sides(shape)?,
            format: format_named(format)?,
            layout: named(&Layout::ALL, Layout::name, layout)?,
        },
        ["sustained", format, shape] => {
            Item::Sustained { shape: sides(shape)?, format: format_named(format)? }
        }
        ["launch", kind] => Item::Launch(named(&Launch::ALL, Launch::name, kind)?),
        ["host-copy", memory, direction, bytes] => Item::HostCopy {
            memory: match memory {
                "pinned" => HostMemory::Pinned,
                "pageable" => HostMemory::Pageable,
                _ => return None,
            },
            direction: match direction {
                "h2d" => Direction::H2d,
                "d2h" => Direction::D2h,
                "both" => Direction::Both,
                _ => return None,
            },
            bytes: bytes.parse().ok()?,
        },
        ["peer-copy", from, to, bytes] => {
            Item::PeerCopy { from: from.parse().ok()?, to: to.parse().ok()?, bytes: bytes.parse().ok()? }
        }
        ["collective", operation, ranks, bytes] => Item::Collective {
            operation: named(&Collective::ALL, Collective::name, operation)?,
            ranks: ranks.parse().ok()?,
            bytes: bytes.parse().ok()?,
        },
        _ => return None,
    })
}

fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, text: &str) -> Option<T> {
    all.iter().copied().find(|&t| name(t) == text)
}

fn format_named(text: &str) -> Option<Format> {
    named(&Format::ALL, Format::name, text)
}

/// Sides as `MxNxK`.
pub(super) fn sides(text: &str) -> Option<Shape> {
    let mut sides = text.split('x').map(|side| side.parse().ok().filter(|&s: &u32| s > 0));
    let shape = Shape { m: sides.next()??, n: sides.next()??, k: sides.next()?? };
    sides.next().is_none().then_some(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_item_is_read_back_as_written() {
        let shape = Shape { m: 1, n: 20, k: 300 };
        let items = [
            Item::Stream { kind: Stream::Triad, bytes: 64 },
            Item::L2Read { bytes: 8 },
            Item::Intensity { fma: 16, bytes: 4096 },
            Item::Ceiling { format: Format::Fp16, cores: Cores::Matrix },
            Item::Product { shape, format: Format::Fp8, layout: Layout::Tn },
            Item::Sustained { shape, format: Format::Bf16 },
            Item::Launch(Launch::HostCall),
            Item::HostCopy { memory: HostMemory::Pinned, direction: Direction::D2h, bytes: 5 },
            Item::PeerCopy { from: 0, to: 3, bytes: 7 },
            Item::Collective { operation: Collective::AllToAll, ranks: 8, bytes: 9 },
        ];
        for item in items {
            assert_eq!(item.to_string().parse(), Ok(item));
        }
        assert!("product fp16 NN 4x4".parse::<Item>().is_err());
        assert!("product fp16 NN 4x4x0".parse::<Item>().is_err());
    }
}
