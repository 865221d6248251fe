// The matrix product in BF16 and TF32, from sm_80.
#include "gemm.cuh"
#include <cuda_bf16.h>

struct Bfloat {
    typedef __nv_bfloat16 Stored;
    typedef __nv_bfloat16 Fragment;
    static constexpr int K = 16, TILE_K = 32, PER_CHUNK = 8;
    static __device__ __forceinline__ Stored from(float x) { return __float2bfloat16_rn(x); }
    template <class F> static __device__ __forceinline__ void ready(F&) {}
};

struct Tensor32 {
    typedef float Stored;
    typedef wmma::precision::tf32 Fragment;
    static constexpr int K = 8, TILE_K = 16, PER_CHUNK = 4;
    static __device__ __forceinline__ Stored from(float x) { return x; }
    template <class F> static __device__ __forceinline__ void ready(F& f) {
#pragma unroll
        for (int e = 0; e < f.num_elements; ++e) f.x[e] = wmma::__float_to_tf32(f.x[e]);
    }
};

GEMM(gemm_bf16_nn, Bfloat, false, false)
GEMM(gemm_bf16_nt, Bfloat, false, true)
GEMM(gemm_bf16_tn, Bfloat, true, false)
GEMM(gemm_tf32_nn, Tensor32, false, false)
GEMM(gemm_tf32_nt, Tensor32, false, true)
GEMM(gemm_tf32_tn, Tensor32, true, false)
