// Tensor cores of sm_90a through wgmma: one warp group multiplies 64 x 256 from shared memory.
//
// Rows of A (64) and of B (256, that is B transposed) hold 128 bytes each: four steps along K. `a` and `b` give them
// row by row; they are stored with the 128-byte swizzle that the descriptors announce (16-byte chunk c of row r lies
// at chunk c ^ (r % 8)). Both warp groups of a block use the same operands and their own accumulators, each fed
// `loops` times with the whole 128 bytes of K. FLOP per warp group: 2 * 64 * 256 * K * loops, K = 64 for 16-bit
// operands, 128 for 8-bit ones. Stored: out[(group * 128 + register) * 128 + thread of the group].
// Needs (64 + 256) * 128 bytes of dynamic shared memory plus 1024 for alignment.
#include "random.cuh"

static __device__ __forceinline__ u64 descriptor(u32 shared_address) {
    u64 d = (shared_address & 0x3ffffu) >> 4;
    d |= u64(1) << 16;            // leading offset: unused with this swizzle
    d |= u64(1024 >> 4) << 32;    // eight rows of 128 bytes
    d |= u64(1) << 62;            // 128-byte swizzle
    return d;
}

// One step along K. The three differ in the instruction and in what follows the scales: 16-bit operands say that
// neither is transposed.
#define REGISTERS                                                                                                     \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                          \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                                \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                                \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "                                \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                                \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                                \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "                    \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define EIGHT(i)                                                                                                      \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]),       \
        "+f"(d[i + 7])
#define STEP(name, instruction, transposed)                                                                           \
    struct Step_##name {                                                                                              \
        static __device__ __forceinline__ void run(float (&d)[128], u64 descriptor_a, u64 descriptor_b) {             \
            asm volatile("{\n.reg .pred p;\nsetp.eq.b32 p, 0, 0;\n"                                                   \
                         "wgmma.mma_async.sync.aligned." instruction " {" REGISTERS "}, "                             \
                         "%128, %129, p, 1, 1" transposed ";\n}\n"                                                    \
                         : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56),      \
                           EIGHT(64), EIGHT(72), EIGHT(80), EIGHT(88), EIGHT(96), EIGHT(104), EIGHT(112), EIGHT(120)  \
                         : "l"(descriptor_a), "l"(descriptor_b));                                                     \
        }                                                                                                             \
    }
STEP(f16, "m64n256k16.f32.f16.f16", ", 0, 0");
STEP(bf16, "m64n256k16.f32.bf16.bf16", ", 0, 0");
STEP(e4m3, "m64n256k32.f32.e4m3.e4m3", "");

template <class Step>
static __device__ __forceinline__ void chain(const uint4* a, const uint4* b, float* out, u32 loops) {
    extern __shared__ char raw[];
    u32 base = (u32(__cvta_generic_to_shared(raw)) + 1023u) & ~1023u;
    char* tile = raw + (base - u32(__cvta_generic_to_shared(raw)));
    for (u32 i = threadIdx.x; i < 320 * 8; i += blockDim.x) {
        u32 row = i / 8, chunk = i % 8;
        uint4 v = row < 64 ? a[i] : b[i - 64 * 8];
        *reinterpret_cast<uint4*>(tile + row * 128 + ((chunk ^ (row % 8)) * 16)) = v;
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();

    float d[128];
#pragma unroll
    for (int r = 0; r < 128; ++r) d[r] = 0.0f;
    const u64 da = descriptor(base), db = descriptor(base + 64 * 128);
#pragma unroll 1
    for (u32 n = 0; n < loops; ++n) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        // 32 bytes along K a step: 2 in units of the descriptor.
        Step::run(d, da, db);
        Step::run(d, da + 2, db + 2);
        Step::run(d, da + 4, db + 4);
        Step::run(d, da + 6, db + 6);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    u64 group = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / 128;
#pragma unroll
    for (int r = 0; r < 128; ++r) out[(group * 128 + r) * 128 + threadIdx.x % 128] = d[r];
}

#define CHAIN(name)                                                                                        \
    extern "C" __global__ void __launch_bounds__(256) wgmma_##name(const uint4* a, const uint4* b, float* out, \
                                                                   u32 loops) {                           \
        chain<Step_##name>(a, b, out, loops);                                                              \
    }
CHAIN(f16)
CHAIN(bf16)
CHAIN(e4m3)
