// The matrix product in FP16, every GPU from sm_70.
#include "gemm.cuh"

GEMM(gemm_f16_nn, Half, false, false)
GEMM(gemm_f16_nt, Half, false, true)
GEMM(gemm_f16_tn, Half, true, false)
