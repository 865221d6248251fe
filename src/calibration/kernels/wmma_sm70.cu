// Tensor cores through warp-wide matrices, as they exist from sm_70: FP16 in, FP32 accumulators.
#include "random.cuh"
#include <mma.h>

using namespace nvcuda;

#define ACCUMULATORS 4
#define UNROLLED 4

// Every warp multiplies the same 16 x 16 pair (from `a` and `b`, 256 FP16 each, row major) into four accumulators,
// `loops` * UNROLLED times each. FLOP per warp: 2 * 16^3 * ACCUMULATORS * UNROLLED * loops. Each warp stores the
// sum of its accumulators: 256 floats, row major, that are ACCUMULATORS * UNROLLED * loops times a * b.
extern "C" __global__ void wmma_f16(const half* a, const half* b, float* out, u32 loops) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[ACCUMULATORS];
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
#pragma unroll
    for (int c = 0; c < ACCUMULATORS; ++c) wmma::fill_fragment(acc[c], 0.0f);
#pragma unroll 1
    for (u32 n = 0; n < loops; ++n) {
#pragma unroll
        for (int u = 0; u < UNROLLED; ++u) {
#pragma unroll
            for (int c = 0; c < ACCUMULATORS; ++c) wmma::mma_sync(acc[c], fa, fb, acc[c]);
        }
    }
#pragma unroll
    for (int c = 1; c < ACCUMULATORS; ++c)
        for (int e = 0; e < acc[0].num_elements; ++e) acc[0].x[e] += acc[c].x[e];
    u64 warp = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    wmma::store_matrix_sync(out + warp * 256, acc[0], 16, wmma::mem_row_major);
}
