//! The numbers kernels work on, written from the kernels' sources and independently of the program under test.

fn scrambled(value: u64) -> u64 {
    let mut x = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x ^= x >> 30;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A number between 0 and 1 that depends on its arguments only.
pub fn uniform(a: u64, b: u64) -> f64 {
    (scrambled(a ^ scrambled(b)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Stands for the exclusive-or of a range of generated words.
pub fn fold(seed: u64, base: u64, count: u64) -> u32 {
    scrambled(seed ^ scrambled(base ^ scrambled(count))) as u32
}

/// Type of an element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    F64,
    F32,
    F16,
    Bf16,
    E4m3,
    S8,
}

impl Kind {
    pub fn bytes(self) -> u64 {
        match self {
            Kind::F64 => 8,
            Kind::F32 => 4,
            Kind::F16 | Kind::Bf16 => 2,
            Kind::E4m3 | Kind::S8 => 1,
        }
    }

    /// The bytes that hold a number.
    pub fn encode(self, x: f64) -> Vec<u8> {
        match self {
            Kind::F64 => x.to_le_bytes().to_vec(),
            Kind::F32 => (x as f32).to_le_bytes().to_vec(),
            Kind::F16 => half(x).to_le_bytes().to_vec(),
            Kind::Bf16 => bfloat(x as f32).to_le_bytes().to_vec(),
            Kind::E4m3 => vec![e4m3(x as f32)],
            Kind::S8 => vec![x as i8 as u8],
        }
    }

    /// The number as it is after storing it.
    pub fn rounded(self, x: f64) -> f64 {
        match self {
            Kind::F64 => x,
            Kind::F32 => f64::from(x as f32),
            Kind::F16 => half_value(half(x)),
            Kind::Bf16 => f64::from(f32::from_bits(u32::from(bfloat(x as f32)) << 16)),
            Kind::E4m3 => e4m3_value(e4m3(x as f32)),
            Kind::S8 => f64::from(x as i8),
        }
    }
}

/// Generated data: element `base + i` of a sequence.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sequence {
    pub kind: Kind,
    pub seed: u64,
    pub unit: f32,
    pub base: u64,
}

impl Sequence {
    /// Before rounding to the kind.
    pub fn raw(&self, i: u64) -> f32 {
        let h = scrambled(i.wrapping_add(self.base) ^ scrambled(self.seed));
        let sum: i64 = h.to_le_bytes().chunks(2).map(|p| i64::from(u16::from_le_bytes([p[0], p[1]]))).sum();
        (sum - 131_070) as f32 * self.unit
    }

    pub fn stored(&self, i: u64) -> f64 {
        self.kind.rounded(f64::from(self.raw(i)))
    }
}

/// FP16, to nearest even, by searching the two neighbours.
pub fn half(x: f64) -> u16 {
    let sign = if x < 0.0 { 0x8000 } else { 0 };
    let size = x.abs();
    let (mut low, mut high) = (0u16, 0x7c00u16);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if half_value(middle) <= size { low = middle } else { high = middle }
    }
    let top = if high == 0x7c00 { 65_536.0 } else { half_value(high) };
    let (below, above) = (size - half_value(low), top - size);
    let up = above < below || (above == below && low & 1 == 1);
    sign | if up { high } else { low }
}

/// The number of FP16 bits.
pub fn half_value(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (e, m) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    sign * if e == 0 { m * 2f64.powi(-24) } else { (1.0 + m / 1024.0) * 2f64.powi(e - 15) }
}

fn bfloat(x: f32) -> u16 {
    let bits = x.to_bits();
    let (whole, rest) = (bits >> 16, bits & 0xffff);
    let up = rest > 0x8000 || (rest == 0x8000 && whole & 1 == 1);
    (whole + u32::from(up)) as u16
}

fn e4m3(x: f32) -> u8 {
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let size = x.abs();
    // The greatest number that is not above, subnormals left out.
    let (mut low, mut high) = (7u8, 0x7fu8);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if e4m3_value(middle) <= f64::from(size) { low = middle } else { high = middle }
    }
    sign | if low == 7 { 0 } else { low }
}

fn e4m3_value(bits: u8) -> f64 {
    let sign = if bits >> 7 == 1 { -1.0 } else { 1.0 };
    let (e, m) = (i32::from(bits >> 3 & 15), f64::from(bits & 7));
    if e == 0 { 0.0 } else { sign * (1.0 + m / 8.0) * 2f64.powi(e - 7) }
}
