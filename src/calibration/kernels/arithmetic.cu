// FMA chains and the mix of FMA with memory. Every GPU from sm_70.
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

// STEPS FMA per float, 8 bytes moved per float: STEPS / 4 FLOP per byte. Up to 64 steps are unrolled whole; more
// are a whole number of such blocks, so that every intensity has the same loop overhead per step (< 1 %).
template <int STEPS>
static __device__ __forceinline__ void mix(const float4* in, float4* out, u64 count, float factor, float offset) {
    constexpr int BLOCK = STEPS < 64 ? STEPS : 64;
    static_assert(STEPS % BLOCK == 0, "whole blocks");
    for (u64 i = GLOBAL_INDEX; i < count; i += GLOBAL_STRIDE) {
        float4 v = in[i];
#pragma unroll 1
        for (int block = 0; block < STEPS / BLOCK; ++block) {
#pragma unroll
            for (int s = 0; s < BLOCK; ++s) {
                v.x = __fmaf_rn(v.x, factor, offset);
                v.y = __fmaf_rn(v.y, factor, offset);
                v.z = __fmaf_rn(v.z, factor, offset);
                v.w = __fmaf_rn(v.w, factor, offset);
            }
        }
        out[i] = v;
    }
}
#define MIX(steps)                                                                                            \
    extern "C" __global__ void mix_##steps(const float4* in, float4* out, u64 count, float factor, float offset) { \
        mix<steps>(in, out, count, factor, offset);                                                           \
    }
MIX(1)
MIX(2)
MIX(4)
MIX(8)
MIX(16)
MIX(24)
MIX(32)
MIX(48)
MIX(64)
MIX(128)
MIX(192)
MIX(256)
MIX(384)
MIX(512)
MIX(1024)
MIX(2048)
MIX(4096)
