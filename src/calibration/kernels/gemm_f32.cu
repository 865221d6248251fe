// The matrix product in FP32 without tensor cores, every GPU from sm_70: 64 x 64 x 16 tiles, 4 x 4 per thread.
// A is read at row * a_row + k * a_k, B at k * b_k + col * b_col: one kernel for every layout. C is row major.
#include "random.cuh"

#define TILE 64
#define DEPTH 16

extern "C" __global__ void __launch_bounds__(256)
    gemm_f32(const float* a, const float* b, float* out, u32 m, u32 n, u32 k, u32 a_row, u32 a_k, u32 b_k, u32 b_col) {
    __shared__ float tile_a[DEPTH][TILE + 4];
    __shared__ float tile_b[DEPTH][TILE + 4];
    const u32 row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    const u32 ty = threadIdx.x / 16 * 4, tx = threadIdx.x % 16 * 4;
    float acc[4][4] = {};
    for (u32 at = 0; at < k; at += DEPTH) {
#pragma unroll
        for (u32 i = threadIdx.x; i < TILE * DEPTH; i += 256) {
            // Neighbouring threads read neighbouring addresses in either layout.
            u32 ra = a_k == 1 ? i / DEPTH : i % TILE, ka = a_k == 1 ? i % DEPTH : i / TILE;
            u32 cb = b_k == 1 ? i / DEPTH : i % TILE, kb = b_k == 1 ? i % DEPTH : i / TILE;
            tile_a[ka][ra] = row0 + ra < m && at + ka < k ? a[u64(row0 + ra) * a_row + u64(at + ka) * a_k] : 0.0f;
            tile_b[kb][cb] = col0 + cb < n && at + kb < k ? b[u64(at + kb) * b_k + u64(col0 + cb) * b_col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            float4 x = *reinterpret_cast<const float4*>(&tile_a[d][ty]);
            float4 y = *reinterpret_cast<const float4*>(&tile_b[d][tx]);
            const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] = __fmaf_rn(xs[i], ys[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (row0 + ty + i < m && col0 + tx + j < n) out[u64(row0 + ty + i) * n + col0 + tx + j] = acc[i][j];
}
