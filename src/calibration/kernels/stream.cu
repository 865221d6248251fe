// Memory: fill, read, copy, triad, write; reads served by L2; checks; the empty kernel. Every GPU from sm_70.
#include "random.cuh"

#define GLOBAL_INDEX (u64(blockIdx.x) * blockDim.x + threadIdx.x)
#define GLOBAL_STRIDE (u64(gridDim.x) * blockDim.x)

extern "C" __global__ void empty() {}

#define FILL(name, type, convert)                                                             \
    extern "C" __global__ void name(type* out, u64 count, u64 seed, float unit) {             \
        for (u64 i = GLOBAL_INDEX; i < count; i += GLOBAL_STRIDE)                             \
            out[i] = convert(normal_f32(i, seed, unit));                                      \
    }
static __device__ __forceinline__ float as_f32(float x) { return x; }
static __device__ __forceinline__ double as_f64(float x) { return double(x); }
static __device__ __forceinline__ signed char as_s8(float x) { return (signed char)(__float2int_rz(x)); }
FILL(fill_f32, float, as_f32)
FILL(fill_f64, double, as_f64)
FILL(fill_f16, u16, f16_bits)
FILL(fill_bf16, u16, bf16_bits)
FILL(fill_e4m3, u8, e4m3_bits)
FILL(fill_s8, signed char, as_s8)

// `count` is in float4. Four independent accesses in flight per thread; the tail runs one by one.
#define STREAM(body)                                                  \
    u64 i = GLOBAL_INDEX;                                             \
    const u64 stride = GLOBAL_STRIDE;                                 \
    for (; i + 3 * stride < count; i += 4 * stride) {                 \
        _Pragma("unroll") for (int j = 0; j < 4; ++j) {               \
            const u64 at = i + j * stride;                            \
            body                                                      \
        }                                                             \
    }                                                                 \
    for (; i < count; i += stride) {                                  \
        const u64 at = i;                                             \
        body                                                          \
    }

// Each thread stores the exclusive-or of its share: the whole array's is the same in any order, and costs no rounding.
extern "C" __global__ void stream_read(const uint4* in, u32* out, u64 count) {
    u32 bits = 0;
    STREAM({
        uint4 v = in[at];
        bits ^= (v.x ^ v.y) ^ (v.z ^ v.w);
    })
    out[GLOBAL_INDEX] = bits;
}

extern "C" __global__ void stream_copy(const float4* in, float4* out, u64 count) {
    STREAM({ out[at] = in[at]; })
}

// out = a + scalar * b, one rounding.
extern "C" __global__ void stream_triad(const float4* a, const float4* b, float4* out, u64 count, float scalar) {
    STREAM({
        float4 x = a[at];
        float4 y = b[at];
        out[at] = make_float4(__fmaf_rn(scalar, y.x, x.x), __fmaf_rn(scalar, y.y, x.y),
                              __fmaf_rn(scalar, y.z, x.z), __fmaf_rn(scalar, y.w, x.w));
    })
}

extern "C" __global__ void stream_write(float4* out, u64 count, float value) {
    STREAM({ out[at] = make_float4(value, value, value, value); })
}

// Reads `count` 16-byte words `passes` times past the L1 caches.
extern "C" __global__ void l2_read(const uint4* in, u32* out, u64 count, u32 passes) {
    u32 bits = 0;
    for (u32 pass = 0; pass < passes; ++pass) {
#pragma unroll 4
        for (u64 i = GLOBAL_INDEX; i < count; i += GLOBAL_STRIDE) {
            uint4 v;
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(in + i));
            bits ^= (v.x ^ v.y) ^ (v.z ^ v.w);
        }
    }
    out[GLOBAL_INDEX] = bits;
}

// The exclusive-or of the generator's first `count` words: what a read of them must give.
extern "C" __global__ void expected_bits(u32* total, u64 count, u64 base, u64 seed, float unit) {
    u32 bits = 0;
    for (u64 i = GLOBAL_INDEX; i < count; i += GLOBAL_STRIDE)
        bits ^= __float_as_uint(normal_f32(base + i, seed, unit));
    atomicXor(total, bits);
}

// Counts words that differ from the generator's from place `base` on: the fill itself, or a copy of it.
extern "C" __global__ void verify_f32(const float* in, u64* wrong, u64 count, u64 base, u64 seed, float unit) {
    u64 bad = 0;
    for (u64 i = GLOBAL_INDEX; i < count; i += GLOBAL_STRIDE)
        bad += __float_as_uint(in[i]) != __float_as_uint(normal_f32(base + i, seed, unit));
    if (bad) atomicAdd(wrong, bad);
}

// Counts words that differ from a + scalar * b, where both are the generator's from places `base_a` and `base_b` on.
extern "C" __global__ void verify_triad(const float* in, u64* wrong, u64 count, u64 base_a, u64 base_b, u64 seed,
                                        float unit, float scalar) {
    u64 bad = 0;
    for (u64 i = GLOBAL_INDEX; i < count; i += GLOBAL_STRIDE) {
        float want = __fmaf_rn(scalar, normal_f32(base_b + i, seed, unit), normal_f32(base_a + i, seed, unit));
        bad += __float_as_uint(in[i]) != __float_as_uint(want);
    }
    if (bad) atomicAdd(wrong, bad);
}

// Counts words that are not `value`.
extern "C" __global__ void verify_write(const float* in, u64* wrong, u64 count, float value) {
    u64 bad = 0;
    for (u64 i = GLOBAL_INDEX; i < count; i += GLOBAL_STRIDE)
        bad += __float_as_uint(in[i]) != __float_as_uint(value);
    if (bad) atomicAdd(wrong, bad);
}
