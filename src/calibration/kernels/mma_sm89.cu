// Tensor cores with FP8 operands through mma.sync: native on sm_89, emulated elsewhere, so used on sm_89 only.
#include "mma.cuh"

MMA_CHAIN_F32(mma_e4m3, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
