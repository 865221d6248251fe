#!/usr/bin/env python3
"""Compiles the CUDA kernels to the PTX text that the binary embeds. Needs no GPU and no CUDA toolkit.

    python3 -m venv .venv && .venv/bin/pip install nvidia-cuda-nvrtc-cu12==12.9.86 \
        nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-nvcc-cu12==12.9.86
    .venv/bin/python tools/regenerate-ptx.py [OUTPUT_FOLDER]

NVRTC stamps its own release into the header, and a driver refuses PTX newer than itself. The bodies need less, so the
`.version` line is lowered to the oldest that `ptxas` accepts for that code; `scripts/check-ptx.sh` proves it.
"""

import ctypes
import pathlib
import re
import site
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "src/calibration/kernels"

# Source, virtual architecture, PTX version to stamp. 6.3 is CUDA 10.0, 7.0 is 11.0, 8.0 is 12.0, 8.4 is 12.4.
UNITS = [
    ("stream", "compute_70", "6.3"),
    ("arithmetic", "compute_70", "6.3"),
    ("wmma_sm70", "compute_70", "6.3"),
    ("gemm_sm70", "compute_70", "6.3"),
    ("gemm_f32", "compute_70", "6.3"),
    ("mma_sm80", "compute_80", "7.0"),
    ("gemm_sm80", "compute_80", "7.0"),
    ("mma_sm89", "compute_89", "8.4"),
    ("wgmma_sm90a", "compute_90a", "8.0"),
]


def package(name):
    """Folder of an installed NVIDIA wheel."""
    for base in [*site.getsitepackages(), site.getusersitepackages()]:
        folder = pathlib.Path(base) / "nvidia" / name
        if folder.is_dir():
            return folder
    sys.exit(f"error: the wheel with nvidia/{name} is not installed; see the top of this file")


def compile_ptx(nvrtc, source, architecture, includes):
    """PTX text of one source, or ends the program with the compiler's log."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    text = source.read_bytes()
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, source.name.encode(), 0, None, None) != 0:
        sys.exit("error: nvrtcCreateProgram failed")
    options = [f"--gpu-architecture={architecture}", "--std=c++17", "--device-as-default-execution-space"]
    options += [f"--include-path={folder}" for folder in includes]
    array = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    failed = nvrtc.nvrtcCompileProgram(program, len(options), array) != 0
    get = ("nvrtcGetProgramLogSize", "nvrtcGetProgramLog") if failed else ("nvrtcGetPTXSize", "nvrtcGetPTX")
    getattr(nvrtc, get[0])(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, get[1])(program, buffer)
    result = buffer.value.decode()
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if failed:
        sys.exit(f"error: {source.name} for {architecture}:\n{result}")
    return result


def lowered(ptx, version):
    """The text with its `.version` lowered, without the generator's comments and blank lines."""
    lines = [line.rstrip() for line in ptx.splitlines() if line.strip() and not line.lstrip().startswith("//")]
    body = "\n".join(line for line in lines if not line.startswith(".version"))
    stamped, count = re.subn(r"\A", f".version {version}\n", body)
    assert count == 1
    return stamped + "\n"


def main():
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else KERNELS / "ptx"
    output.mkdir(parents=True, exist_ok=True)
    folder = package("cuda_nvrtc") / "lib"
    ctypes.CDLL(str(folder / "libnvrtc-builtins.so.12.9"), mode=ctypes.RTLD_GLOBAL)
    nvrtc = ctypes.CDLL(str(folder / "libnvrtc.so.12"))
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    if (major.value, minor.value) != (12, 9):
        sys.exit(f"error: NVRTC {major.value}.{minor.value} is installed; 12.9 is expected, so that the text repeats")
    includes = [KERNELS, package("cuda_runtime") / "include", package("cuda_nvcc") / "include"]
    for name, architecture, version in UNITS:
        ptx = lowered(compile_ptx(nvrtc, KERNELS / f"{name}.cu", architecture, includes), version)
        target = output / f"{name}.ptx"
        target.write_text(ptx)
        print(f"{target.name}: {architecture}, PTX {version}, {ptx.count('.entry ')} kernels, {len(ptx)} bytes")


if __name__ == "__main__":
    main()
