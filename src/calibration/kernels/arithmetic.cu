// FMA chains, and reads with a number of FMA per element. Every GPU from sm_70.
//
// Each step is x = offset - x: an FMA with the factor -1 given at run time, so that values stay as random as the
// input, never overflow, and the host can repeat the chain bit by bit.
#include "random.cuh"

#define GLOBAL_INDEX (u64(blockIdx.x) * blockDim.x + threadIdx.x)
#define GLOBAL_STRIDE (u64(gridDim.x) * blockDim.x)
#define CHAINS 8
#define UNROLLED 16

// FLOP per thread: 2 * CHAINS * UNROLLED * loops, twice that for pairs.
extern "C" __global__ void fma_f32(float* out, u32 loops, u64 seed, float unit, float factor, float offset) {
    float x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = normal_f32(GLOBAL_INDEX * CHAINS + c, seed, unit);
#pragma unroll 1
    for (u32 n = 0; n < loops; ++n) {
#pragma unroll
        for (int u = 0; u < UNROLLED; ++u) {
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) x[c] = __fmaf_rn(x[c], factor, offset);
        }
    }
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) out[GLOBAL_INDEX * CHAINS + c] = x[c];
}

extern "C" __global__ void fma_f64(double* out, u32 loops, u64 seed, float unit, double factor, double offset) {
    double x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = double(normal_f32(GLOBAL_INDEX * CHAINS + c, seed, unit));
#pragma unroll 1
    for (u32 n = 0; n < loops; ++n) {
#pragma unroll
        for (int u = 0; u < UNROLLED; ++u) {
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) x[c] = __fma_rn(x[c], factor, offset);
        }
    }
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) out[GLOBAL_INDEX * CHAINS + c] = x[c];
}

// Pairs of FP16 in one register; `factor` and `offset` hold the same number twice.
extern "C" __global__ void fma_f16x2(u32* out, u32 loops, u64 seed, float unit, u32 factor, u32 offset) {
    u32 x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) {
        u64 at = (GLOBAL_INDEX * CHAINS + c) * 2;
        x[c] = u32(f16_bits(normal_f32(at, seed, unit))) | (u32(f16_bits(normal_f32(at + 1, seed, unit))) << 16);
    }
#pragma unroll 1
    for (u32 n = 0; n < loops; ++n) {
#pragma unroll
        for (int u = 0; u < UNROLLED; ++u) {
#pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[c]) : "r"(factor), "r"(offset));
        }
    }
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) out[GLOBAL_INDEX * CHAINS + c] = x[c];
}

// Every float of a large array is read once and gets STEPS FMA: STEPS / 2 FLOP per byte. The element enters as the
// addend of the first one, so that nothing but FMA is executed. Eight chains per thread; up to 48 steps are unrolled
// whole, more in blocks of 32, so that long chains share one small loop overhead (3 in 256 instructions). Each thread
// stores the sum of its chains, which the host repeats for some threads.
template <int STEPS>
static __device__ __forceinline__ void intensity(const float4* in, float* out, u64 count, float factor, float offset) {
    constexpr bool WHOLE = STEPS <= 48;
    constexpr int BLOCK = WHOLE ? STEPS : 32;
    static_assert(STEPS % BLOCK == 0, "whole blocks");
    float4 x = make_float4(0.0f, 0.0f, 0.0f, 0.0f), y = x;
    auto step = [&](float4& v) {
        v.x = __fmaf_rn(v.x, factor, offset);
        v.y = __fmaf_rn(v.y, factor, offset);
        v.z = __fmaf_rn(v.z, factor, offset);
        v.w = __fmaf_rn(v.w, factor, offset);
    };
    auto enter = [&](float4& v, const float4& e) {
        v.x = __fmaf_rn(v.x, factor, e.x);
        v.y = __fmaf_rn(v.y, factor, e.y);
        v.z = __fmaf_rn(v.z, factor, e.z);
        v.w = __fmaf_rn(v.w, factor, e.w);
    };
    const u64 stride = GLOBAL_STRIDE;
    for (u64 i = GLOBAL_INDEX; i < count; i += 2 * stride) {
        float4 v = in[i];
        float4 w = i + stride < count ? in[i + stride] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        enter(x, v);
        enter(y, w);
#pragma unroll
        for (int s = 1; s < BLOCK; ++s) {
            step(x);
            step(y);
        }
#pragma unroll 1
        for (int block = 1; block < STEPS / BLOCK; ++block) {
#pragma unroll
            for (int s = 0; s < BLOCK; ++s) {
                step(x);
                step(y);
            }
        }
    }
    out[GLOBAL_INDEX] = ((x.x + x.y) + (x.z + x.w)) + ((y.x + y.y) + (y.z + y.w));
}
#define INTENSITY(steps)                                                                                  \
    extern "C" __global__ void intensity_##steps(const float4* in, float* out, u64 count, float factor, \
                                                 float offset) {                                          \
        intensity<steps>(in, out, count, factor, offset);                                                 \
    }
INTENSITY(1)
INTENSITY(2)
INTENSITY(3)
INTENSITY(4)
INTENSITY(6)
INTENSITY(8)
INTENSITY(12)
INTENSITY(16)
INTENSITY(24)
INTENSITY(32)
INTENSITY(48)
INTENSITY(64)
INTENSITY(96)
INTENSITY(128)
INTENSITY(192)
INTENSITY(256)
INTENSITY(384)
INTENSITY(512)
