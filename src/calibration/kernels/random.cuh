// Reproducible data: element `i` of a buffer is a function of `i` and a seed, on the device and on the host.
//
// Four 16-bit uniforms of one 64-bit hash, summed and centred: near normal, exact in a float, and the same bits
// everywhere. `unit` carries the scale: standard deviation / 37837.2 (that of the sum). The host's copy is
// `src/calibration/cuda/data.rs`.
#pragma once

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

static __device__ __forceinline__ u64 mixed(u64 x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static __device__ __forceinline__ int normal_steps(u64 index, u64 seed) {
    u64 h = mixed(index ^ mixed(seed));
    int sum = int(h & 0xffff) + int((h >> 16) & 0xffff) + int((h >> 32) & 0xffff) + int(h >> 48);
    return sum - 131070;
}

static __device__ __forceinline__ float normal_f32(u64 index, u64 seed, float unit) {
    return __fmul_rn(float(normal_steps(index, seed)), unit);
}

static __device__ __forceinline__ u16 f16_bits(float x) {
    u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

// Round to nearest even, by hand: the instruction exists only from sm_80.
static __device__ __forceinline__ u16 bf16_bits(float x) {
    u32 bits = __float_as_uint(x);
    return u16((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// E4M3 by truncation of the magnitude, without subnormals: the instruction exists only from sm_89.
static __device__ __forceinline__ u8 e4m3_bits(float x) {
    u32 bits = __float_as_uint(x);
    int exponent = int((bits >> 23) & 0xff) - 127 + 7;
    u32 sign = (bits >> 24) & 0x80u;
    if (exponent <= 0) return u8(sign);
    if (exponent > 15) return u8(sign | 0x7eu);
    u32 magnitude = (u32(exponent) << 3) | ((bits >> 20) & 7u);
    return u8(sign | (magnitude > 0x7eu ? 0x7eu : magnitude));
}
