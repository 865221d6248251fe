//! Which items a device is asked for: `PROTOCOL` steps by what it can do.

use std::collections::BTreeSet;

use super::device::{DeviceFacts, DeviceKind};
use super::fit::on_curve;
use super::item_text::sides;
use super::measurement::{
    Collective, Cores, Direction, Format, HostMemory, Item, Launch, Layout, SWEEP, Shape, Stream,
};

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// As little as shows every parameter: for tests and demonstrations.
    Minimal,
    /// At most a minute.
    Quick,
    /// About five minutes.
    Thorough,
}

impl Effort {
    /// The name in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Quick => "quick",
            Self::Thorough => "thorough",
        }
    }
}

/// Squares, training-like tall products, skinny ones, odd sides, one long sum: about 20 shapes fix three parameters.
const SHAPES: &str = "256x256x256 512x512x512 1024x1024x1024 2048x2048x2048 4096x4096x4096 8192x8192x8192 \
    2048x4096x4096 2048x768x768 8192x768x3072 8192x1024x4096 8192x4096x1024 2048x11008x4096 \
    8192x4096x11008 32768x768x768 4096x16x4096 4096x64x4096 4096x128x4096 1023x1023x1023 \
    2047x4095x1021 1024x1024x32768";

/// Those of [`SHAPES`] that are measured as gradients too.
const GRADIENTS: &str = "1024x1024x1024 4096x4096x4096 8192x1024x4096 2048x4096x4096";

/// Rows of batches and widths of models, for more shapes.
const ROWS: &str = "1024 4096 8192 16384";
const WIDTHS: &str = "1280 2048 4096 5120 8192";

/// The shapes of a list.
fn shapes(list: &str) -> Vec<Shape> {
    list.split_whitespace().filter_map(sides).collect()
}

const fn shape(m: u32, n: u32, k: u32) -> Shape {
    Shape { m, n, k }
}

/// Formats that get all shapes; later ones get every second.
const FULL_FORMATS: usize = 2;
/// Largest array of a stream, and the same on a CPU.
const LARGEST_ARRAY: u64 = 1 << 30;
const LARGEST_CPU_ARRAY: u64 = 1 << 27;
/// Array sizes are whole multiples of this.
const GRAIN: u64 = 1 << 16;

/// Everything to measure on this device, cheap items of a kind before dear ones.
pub fn items(facts: &DeviceFacts, effort: Effort, own_shapes: &[Shape]) -> Vec<Item> {
    let mut items = Vec::new();
    let kinds: &[Launch] = if facts.launch_kinds { &Launch::ALL } else { &[Launch::Stream] };
    items.extend(kinds.iter().map(|&kind| Item::Launch(kind)));
    let sizes = stream_sizes(facts, effort);
    for &bytes in &sizes {
        items.extend(Stream::ALL.into_iter().map(|kind| Item::Stream { kind, bytes }));
    }
    if let (true, Some(l2)) = (facts.l2_read, facts.l2) {
        let parts: &[u64] = if effort == Effort::Minimal { &[4] } else { &[1, 2, 4, 6, 8, 12] };
        items
            .extend(parts.iter().map(|part| Item::L2Read { bytes: (l2 * part / 16).max(GRAIN) / 256 * 256 }));
    }
    let middle = sizes[sizes.len() / 2];
    let steps = sweep(facts, effort);
    items.extend(steps.into_iter().map(|fma| Item::Intensity { fma, bytes: middle }));
    let ceiling = |cores| move |&format: &Format| Item::Ceiling { format, cores };
    items.extend(facts.vector.iter().map(ceiling(Cores::Vector)));
    items.extend(facts.matrix.iter().map(ceiling(Cores::Matrix)));
    products(facts, effort, own_shapes, &mut items);
    if facts.host_copies {
        host_copies(effort, &mut items);
    }
    groups(facts, &mut items);
    let mut seen = BTreeSet::new();
    items.retain(|item| seen.insert(*item));
    items
}

/// Points of the sweep and products that carry their fits with a little to spare.
const LEAST_SWEEP: usize = 5;
const LEAST_PRODUCTS: usize = 8;

/// What no profile can lack, and few of each: the launch, the largest copy, points of the sweep, the smallest products of the first
/// format that belong on its curve.
pub(super) fn essentials(items: &[Item]) -> BTreeSet<Item> {
    let of = |wanted: &dyn Fn(&Item) -> bool| items.iter().copied().filter(wanted).collect::<Vec<Item>>();
    let copies = of(&|i| matches!(i, Item::Stream { kind: Stream::Copy, .. }));
    let largest = copies.into_iter().max_by(|a, b| a.traffic().get().total_cmp(&b.traffic().get()));
    let sweep = of(&|i| matches!(i, Item::Intensity { .. }));
    let format = items.iter().find_map(|i| match i {
        Item::Product { format, .. } => Some(*format),
        _ => None,
    });
    let products = of(&|i| format.is_some_and(|f| on_curve(i, f).is_some()));
    let launch = [Item::Launch(Launch::Stream)].into_iter().chain(largest);
    launch.chain(spread(&sweep, LEAST_SWEEP)).chain(products.into_iter().take(LEAST_PRODUCTS)).collect()
}

/// `count` of a list from its first to its last, evenly; all where it has no more.
fn spread(list: &[Item], count: usize) -> impl Iterator<Item = Item> + '_ {
    let count = count.min(list.len());
    (0..count).map(move |i| list[i * (list.len() - 1) / (count - 1).max(1)])
}

/// Four and sixteen times L2, and as much as memory allows.
fn stream_sizes(facts: &DeviceFacts, effort: Effort) -> Vec<u64> {
    let cpu = facts.kind == DeviceKind::Cpu;
    let most = if cpu { LARGEST_CPU_ARRAY } else { LARGEST_ARRAY };
    let free = facts.usable_memory().map_or(most, |b| (b.get() * 0.2) as u64);
    let minimal = if cpu { 1 << 22 } else { 1 << 25 };
    let largest = if effort == Effort::Minimal { free.min(minimal) } else { most.min(free) };
    let l2 = facts.l2.unwrap_or(1 << 24);
    let mut sizes: Vec<u64> =
        [4 * l2, 16 * l2, largest].into_iter().map(|s| s.min(largest).max(GRAIN) / GRAIN * GRAIN).collect();
    if effort == Effort::Minimal {
        sizes.drain(..2);
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Nine intensities around the ridge point, which lies near 8 to 20 FLOP per byte on GPUs and CPUs alike.
fn sweep(facts: &DeviceFacts, effort: Effort) -> Vec<u32> {
    let most = if facts.kind == DeviceKind::Cpu { 128 } else { 512 };
    let steps: &[u32] =
        if effort == Effort::Minimal { &[1, 4, 16, 32, 128] } else { &[2, 4, 8, 16, 24, 32, 64, 128, 256] };
    steps.iter().copied().filter(|f| SWEEP.contains(f) && *f <= most).collect()
}

fn products(facts: &DeviceFacts, effort: Effort, own_shapes: &[Shape], items: &mut Vec<Item>) {
    // A CPU is some hundred times slower: a quarter of each side keeps the same proportions.
    let divisor = if facts.kind == DeviceKind::Cpu { 4 } else { 1 };
    let scaled = |s: &Shape| shape((s.m / divisor).max(16), (s.n / divisor).max(16), (s.k / divisor).max(16));
    for (place, &format) in facts.products.iter().enumerate() {
        let every = match effort {
            Effort::Minimal => 3,
            _ if place >= FULL_FORMATS => 2,
            _ => 1,
        };
        let mut chosen: Vec<Shape> = shapes(SHAPES).iter().step_by(every).map(scaled).collect();
        if effort == Effort::Thorough && place < FULL_FORMATS {
            chosen.extend(more_shapes().iter().map(scaled));
        }
        chosen.extend(own_shapes);
        chosen.sort_by(|a, b| a.work().get().total_cmp(&b.work().get()));
        let layout = format.first_layout();
        chosen.retain(|&shape| format.has_product(shape, layout));
        items.extend(chosen.into_iter().map(|shape| Item::Product { shape, format, layout }));
        if place < FULL_FORMATS && effort != Effort::Minimal {
            let gradients = shapes(GRADIENTS);
            let turned = gradients.iter().map(scaled).chain(own_shapes.iter().copied());
            let products = turned.flat_map(|shape| {
                [Layout::Nt, Layout::Tn].map(|layout| Item::Product { shape, format, layout })
            });
            items.extend(products.filter(exists));
        }
    }
}

/// False for a product that its format lacks.
fn exists(item: &Item) -> bool {
    match item {
        Item::Product { shape, format, layout } => format.has_product(*shape, *layout),
        _ => true,
    }
}

/// Forty more shapes: rows of batches by widths of models, to themselves and to the usual width.
fn more_shapes() -> Vec<Shape> {
    let numbers = |list: &str| list.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<u32>>();
    let rows = numbers(ROWS);
    let pairs = numbers(WIDTHS).into_iter().flat_map(|n| [(n, n), (n, 4096)]);
    pairs.flat_map(|(n, k)| rows.iter().map(move |&m| shape(m, n, k)).collect::<Vec<_>>()).collect()
}

fn host_copies(effort: Effort, items: &mut Vec<Item>) {
    let exponents: &[u32] =
        if effort == Effort::Minimal { &[12, 20, 26] } else { &[12, 14, 16, 18, 20, 22, 24, 26, 28] };
    for memory in [HostMemory::Pinned, HostMemory::Pageable] {
        for direction in [Direction::H2d, Direction::D2h] {
            items.extend(exponents.iter().map(|e| Item::HostCopy { memory, direction, bytes: 1 << e }));
        }
    }
    items.push(Item::HostCopy { memory: HostMemory::Pinned, direction: Direction::Both, bytes: 1 << 26 });
}

/// Sizes of collectives: 1 KiB to 256 MiB by four, in whole floats for each of the ranks.
pub(super) fn collective_bytes(ranks: u32) -> impl Iterator<Item = u64> {
    (10..=28).step_by(2).map(move |e| (1_u64 << e).next_multiple_of(4 * u64::from(ranks.max(1))))
}

/// Peer copies and collectives.
fn groups(facts: &DeviceFacts, items: &mut Vec<Item>) {
    for &to in &facts.peers {
        items.extend([20, 28].map(|e| Item::PeerCopy { from: facts.ordinal, to, bytes: 1_u64 << e }));
    }
    for &ranks in &facts.collective_ranks {
        for operation in Collective::ALL {
            let sizes = collective_bytes(ranks);
            items.extend(sizes.map(|bytes| Item::Collective { operation, ranks, bytes }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_can_do_little_is_asked_for_little() {
        let facts = DeviceFacts::new(DeviceKind::Cuda, "x");
        let items = items(&facts, Effort::Quick, &[]);
        assert!(items.iter().all(|i| !matches!(i, Item::L2Read { .. } | Item::HostCopy { .. })));
        let products = items.iter().filter(|i| matches!(i, Item::Product { .. })).count();
        assert_eq!(products, 20 + 2 * 4);
    }

    #[test]
    fn essentials_are_few_and_reach_from_end_to_end() {
        let items = items(&DeviceFacts::new(DeviceKind::Cpu, "x"), Effort::Quick, &[]);
        let needed = essentials(&items);
        // The launch, the largest copy, five points and eight products.
        assert_eq!(needed.len(), 1 + 1 + 5 + 8);
        let ends = items.iter().filter(|i| matches!(i, Item::Intensity { .. }));
        let ends: Vec<&Item> = ends.collect();
        assert!(needed.contains(ends[0]) && needed.contains(ends[ends.len() - 1]));
    }

    #[test]
    fn own_shapes_are_measured_in_all_layouts_and_none_twice() {
        let facts = DeviceFacts::new(DeviceKind::Cuda, "x");
        let own = [shape(4096, 4096, 4096), shape(3, 5, 7)];
        let items = items(&facts, Effort::Quick, &own);
        let of = |s: Shape| {
            items.iter().filter(|i| matches!(i, Item::Product { shape, .. } if *shape == s)).count()
        };
        assert_eq!((of(own[0]), of(own[1])), (3, 3));
    }

    #[test]
    fn products_that_a_format_lacks_are_not_asked_for() {
        let facts = DeviceFacts { products: vec![Format::Fp8], ..DeviceFacts::new(DeviceKind::Cuda, "x") };
        let own = [shape(4096, 4096, 4096), shape(100, 64, 64)];
        let items = items(&facts, Effort::Quick, &own);
        let products: Vec<&Item> = items.iter().filter(|i| matches!(i, Item::Product { .. })).collect();
        // Twenty shapes less two with odd sides; the user's own is one of them, or has a side that does not fit.
        assert_eq!(products.len(), 18);
        assert!(products.iter().all(|i| matches!(i, Item::Product { layout: Layout::Tn, .. })));
    }

    #[test]
    fn collectives_give_every_rank_whole_floats() {
        assert_eq!(collective_bytes(8).next(), Some(1024));
        // 24 ranks: 96 bytes are a float each.
        assert_eq!(collective_bytes(24).next(), Some(1056));
        assert!(collective_bytes(24).all(|bytes| bytes % 96 == 0) && collective_bytes(24).count() == 10);
    }

    #[test]
    fn arrays_leave_four_fifths_of_the_memory_free() {
        let facts = DeviceFacts { memory_free: Some(1 << 30), ..DeviceFacts::new(DeviceKind::Cuda, "x") };
        let largest = stream_sizes(&facts, Effort::Quick).pop().unwrap();
        assert!(largest <= (1 << 30) / 5 && largest > (1 << 30) / 6);
    }
}
