// Tensor cores through mma.sync, from sm_80: FP16, BF16, TF32, INT8.
#include "mma.cuh"

MMA_CHAIN_F32(mma_f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
MMA_CHAIN_F32(mma_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_CHAIN_F32(mma_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_CHAIN_S32(mma_s8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
