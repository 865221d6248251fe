// Chains of mma.sync. Operands are 32-bit words, 4 of `a` and 2 of `b` per lane, the same for every warp: word w of
// lane l is a[w * 32 + l]. Eight independent accumulators per warp, each fed `loops` * UNROLLED times; the sum of the
// eight is stored, 4 words per lane: out[(warp * 4 + w) * 32 + l].
// FLOP per warp: 2 * m * n * k * ACCUMULATORS * UNROLLED * loops.
#pragma once
#include "random.cuh"

#define ACCUMULATORS 8
#define UNROLLED 4

#define MMA_CHAIN(name, instruction, type, constraint)                                                             \
    extern "C" __global__ void name(const u32* a, const u32* b, type* out, u32 loops) {                            \
        u32 lane = threadIdx.x % 32;                                                                               \
        u64 warp = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / 32;                                              \
        u32 x[4], y[2];                                                                                            \
        type acc[ACCUMULATORS][4];                                                                                 \
        _Pragma("unroll") for (int w = 0; w < 4; ++w) x[w] = a[w * 32 + lane];                                     \
        _Pragma("unroll") for (int w = 0; w < 2; ++w) y[w] = b[w * 32 + lane];                                     \
        _Pragma("unroll") for (int c = 0; c < ACCUMULATORS; ++c)                                                   \
            _Pragma("unroll") for (int w = 0; w < 4; ++w) acc[c][w] = 0;                                           \
        _Pragma("unroll 1") for (u32 n = 0; n < loops; ++n) {                                                      \
            _Pragma("unroll") for (int u = 0; u < UNROLLED; ++u) {                                                 \
                _Pragma("unroll") for (int c = 0; c < ACCUMULATORS; ++c)                                           \
                    asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"              \
                                 : "+" constraint(acc[c][0]), "+" constraint(acc[c][1]),                           \
                                   "+" constraint(acc[c][2]), "+" constraint(acc[c][3])                            \
                                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));              \
            }                                                                                                      \
        }                                                                                                          \
        _Pragma("unroll") for (int w = 0; w < 4; ++w) {                                                            \
            type sum = 0;                                                                                          \
            _Pragma("unroll") for (int c = 0; c < ACCUMULATORS; ++c) sum += acc[c][w];                             \
            out[(warp * 4 + w) * 32 + lane] = sum;                                                                 \
        }                                                                                                          \
    }

// TF32 on m16n8k8 also has 4 words of `a` and 2 of `b`, so one macro serves all shapes.
#define MMA_CHAIN_F32(name, instruction) MMA_CHAIN(name, instruction, float, "f")
#define MMA_CHAIN_S32(name, instruction) MMA_CHAIN(name, instruction, int, "r")
