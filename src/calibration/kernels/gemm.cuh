// A matrix product of our own, for machines without cuBLAS: row-major C = op(A) op(B) on tensor cores.
//
// Tile 128 x 128 x 32, eight warps of 64 x 32, the next tile fetched into registers while the current one is
// multiplied. Rows that are not a multiple of 16 bytes, and edges, are read element by element. Every result of it
// is labelled `builtin`: it is a lower bound of what a tuned library reaches.
#pragma once
#include "random.cuh"
#include <mma.h>

using namespace nvcuda;

#define TILE_M 128
#define TILE_N 128
#define THREADS 256

// How a type is stored, multiplied and written.
struct Half {
    typedef half Stored;
    typedef half Fragment;
    static constexpr int K = 16, TILE_K = 32, PER_CHUNK = 8;
    static __device__ __forceinline__ Stored from(float x) { return __float2half_rn(x); }
    template <class F> static __device__ __forceinline__ void ready(F&) {}
};

// One 16-byte chunk of a row-major matrix with `rows` x `cols` elements, zero outside.
template <class T>
static __device__ __forceinline__ uint4 chunk(const typename T::Stored* matrix, u32 row, u32 col, u32 rows, u32 cols) {
    uint4 v = make_uint4(0, 0, 0, 0);
    if (row >= rows || col >= cols) return v;
    const typename T::Stored* at = matrix + u64(row) * cols + col;
    if (cols % T::PER_CHUNK == 0) return *reinterpret_cast<const uint4*>(at);
    typename T::Stored* part = reinterpret_cast<typename T::Stored*>(&v);
#pragma unroll
    for (int e = 0; e < T::PER_CHUNK; ++e)
        if (col + e < cols) part[e] = at[e];
    return v;
}

// A tile of WIDE x TALL elements as it lies in memory: TALL rows of WIDE contiguous elements.
template <class T, int TALL, int WIDE>
struct Tile {
    static constexpr int PITCH = WIDE + T::PER_CHUNK;
    static constexpr int CHUNKS = TALL * WIDE / T::PER_CHUNK / THREADS;
    uint4 held[CHUNKS];
    __device__ __forceinline__ void fetch(const typename T::Stored* matrix, u32 row, u32 col, u32 rows, u32 cols) {
#pragma unroll
        for (int c = 0; c < CHUNKS; ++c) {
            u32 i = threadIdx.x + c * THREADS;
            held[c] = chunk<T>(matrix, row + i / (WIDE / T::PER_CHUNK),
                               col + i % (WIDE / T::PER_CHUNK) * T::PER_CHUNK, rows, cols);
        }
    }
    __device__ __forceinline__ void put(typename T::Stored* shared) {
#pragma unroll
        for (int c = 0; c < CHUNKS; ++c) {
            u32 i = threadIdx.x + c * THREADS;
            u32 row = i / (WIDE / T::PER_CHUNK), col = i % (WIDE / T::PER_CHUNK) * T::PER_CHUNK;
            *reinterpret_cast<uint4*>(shared + row * PITCH + col) = held[c];
        }
    }
};

template <bool CONDITION, class A, class B> struct Either { typedef A type; };
template <class A, class B> struct Either<false, A, B> { typedef B type; };

// TRANSPOSED_A: A is stored K x M; TRANSPOSED_B: B is stored N x K. All row major.
template <class T, bool TRANSPOSED_A, bool TRANSPOSED_B>
static __device__ __forceinline__ void gemm(const typename T::Stored* a, const typename T::Stored* b,
                                            typename T::Stored* out, u32 m, u32 n, u32 k) {
    typedef typename Either<TRANSPOSED_A, Tile<T, T::TILE_K, TILE_M>, Tile<T, TILE_M, T::TILE_K>>::type TileA;
    typedef typename Either<TRANSPOSED_B, Tile<T, TILE_N, T::TILE_K>, Tile<T, T::TILE_K, TILE_N>>::type TileB;
    typedef typename Either<TRANSPOSED_A, wmma::col_major, wmma::row_major>::type LayoutA;
    typedef typename Either<TRANSPOSED_B, wmma::col_major, wmma::row_major>::type LayoutB;
    constexpr int SIZE_A = (TRANSPOSED_A ? T::TILE_K : TILE_M) * TileA::PITCH;
    constexpr int SIZE_B = (TRANSPOSED_B ? TILE_N : T::TILE_K) * TileB::PITCH;
    __shared__ __align__(32) typename T::Stored shared_a[SIZE_A];
    __shared__ __align__(32) typename T::Stored shared_b[SIZE_B];
    __shared__ __align__(32) float corner[THREADS / 32][256];

    const u32 row0 = blockIdx.y * TILE_M, col0 = blockIdx.x * TILE_N;
    const u32 warp = threadIdx.x / 32, warp_row = warp / 4 * 64, warp_col = warp % 4 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, T::K, float> acc[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.0f);

    TileA next_a;
    TileB next_b;
    auto fetch = [&](u32 at) {
        if (TRANSPOSED_A) next_a.fetch(a, at, row0, k, m); else next_a.fetch(a, row0, at, m, k);
        if (TRANSPOSED_B) next_b.fetch(b, col0, at, n, k); else next_b.fetch(b, at, col0, k, n);
    };
    fetch(0);
    for (u32 at = 0; at < k; at += T::TILE_K) {
        __syncthreads();
        next_a.put(shared_a);
        next_b.put(shared_b);
        __syncthreads();
        if (at + T::TILE_K < k) fetch(at + T::TILE_K);
#pragma unroll
        for (int kk = 0; kk < T::TILE_K; kk += T::K) {
            wmma::fragment<wmma::matrix_a, 16, 16, T::K, typename T::Fragment, LayoutA> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, T::K, typename T::Fragment, LayoutB> fb[2];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                u32 row = warp_row + i * 16;
                wmma::load_matrix_sync(fa[i], shared_a + (TRANSPOSED_A ? kk * TileA::PITCH + row : row * TileA::PITCH + kk),
                                       TileA::PITCH);
                T::ready(fa[i]);
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                u32 col = warp_col + j * 16;
                wmma::load_matrix_sync(fb[j], shared_b + (TRANSPOSED_B ? col * TileB::PITCH + kk : kk * TileB::PITCH + col),
                                       TileB::PITCH);
                T::ready(fb[j]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            wmma::store_matrix_sync(corner[warp], acc[i][j], 16, wmma::mem_row_major);
            __syncwarp();
            for (u32 e = threadIdx.x % 32; e < 256; e += 32) {
                u32 row = row0 + warp_row + i * 16 + e / 16, col = col0 + warp_col + j * 16 + e % 16;
                if (row < m && col < n) out[u64(row) * n + col] = T::from(corner[warp][e]);
            }
            __syncwarp();
        }
    }
}

#define GEMM(name, T, transposed_a, transposed_b)                                                                   \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                           \
        name(const T::Stored* a, const T::Stored* b, T::Stored* out, u32 m, u32 n, u32 k) {                         \
        gemm<T, transposed_a, transposed_b>(a, b, out, m, n, k);                                                    \
    }
