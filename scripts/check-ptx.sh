#!/usr/bin/env bash
# Checks the embedded PTX: the committed text is what the sources give today, and `ptxas` assembles it for every GPU
# architecture it is meant for. Beside the gate, not in it: it needs Python wheels. No GPU is used.
#
#   scripts/check-ptx.sh [PYTHON]      default: a virtual environment under target/, made on the first run
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${1:-target/ptx-venv/bin/python}
if [ $# -eq 0 ] && [ ! -x "$python" ]; then
    python3 -m venv target/ptx-venv
    target/ptx-venv/bin/pip install --quiet nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79 \
        nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-nvcc==13.* nvidia-cuda-nvdisasm==13.*
fi
wheels=$("$python" -c 'import site; print(site.getsitepackages()[0])')/nvidia
committed=src/calibration/kernels/ptx
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

"$python" tools/regenerate-ptx.py "$fresh" >/dev/null
if ! diff -rq "$committed" "$fresh"; then
    echo "error: the committed PTX is not what the sources give; run tools/regenerate-ptx.py and commit" >&2
    exit 1
fi
echo "the committed text equals the regenerated text ($(cat "$committed"/*.ptx | wc -c) bytes)"

# Text of one architecture runs on it and on every newer one; a letter in the name ties it to that one.
assembled=0
assemble() { # ptxas unit architectures...
    local ptxas=$1 unit=$2 arch log
    shift 2
    for arch in "$@"; do
        log=$("$ptxas" -v -arch="sm_$arch" "$committed/$unit.ptx" -o "$fresh/$unit.$arch.cubin" 2>&1) || {
            echo "error: $ptxas refuses $unit.ptx for sm_$arch" >&2
            echo "$log" >&2
            exit 1
        }
        if grep -Eq 'serializ|[1-9][0-9]* bytes (stack frame|spill)' <<<"$log"; then
            echo "note: $unit for sm_$arch: $(grep -E 'serializ|[1-9][0-9]* bytes (stack frame|spill)' <<<"$log" | head -3)"
        fi
        assembled=$((assembled + 1))
    done
}
base="stream arithmetic wmma_sm70 gemm_sm70 gemm_f32"
twelve=$wheels/cuda_nvcc/bin/ptxas
for unit in $base; do assemble "$twelve" "$unit" 70 75 80 86 89 90 100 120; done
for unit in mma_sm80 gemm_sm80; do assemble "$twelve" "$unit" 80 86 89 90 100 120; done
assemble "$twelve" mma_sm89 89
assemble "$twelve" wgmma_sm90a 90a
echo "$("$twelve" --version | grep -o 'release [0-9.]*'): $assembled assemblies"

thirteen=$wheels/cu13/bin/ptxas
if [ -x "$thirteen" ]; then
    assembled=0
    for unit in $base; do assemble "$thirteen" "$unit" 75 80 86 89 90 100 120; done
    for unit in mma_sm80 gemm_sm80; do assemble "$thirteen" "$unit" 80 86 89 90 100 120; done
    assemble "$thirteen" mma_sm89 89
    assemble "$thirteen" wgmma_sm90a 90a
    echo "$("$thirteen" --version | grep -o 'release [0-9.]*'): $assembled assemblies"
fi

# Nothing was optimised away: the instructions of each unit, counted in the machine code.
nvdisasm=$wheels/cu13/bin/nvdisasm
expect() { # cubin pattern at-least
    local found
    found=$("$nvdisasm" -c "$fresh/$1" | grep -cE "$2" || true)
    echo "$1: $found x $2"
    if [ "$found" -lt "$3" ]; then
        echo "error: at least $3 expected in $1" >&2
        exit 1
    fi
}
if [ -x "$nvdisasm" ]; then
    # Volta's machine code is beyond this disassembler: Turing stands for it.
    expect arithmetic.80.cubin ' FFMA' 2000
    expect arithmetic.80.cubin ' DFMA' 128
    expect arithmetic.80.cubin ' HFMA2' 128
    expect stream.80.cubin ' LDG.E.128' 16
    expect stream.80.cubin ' STG.E.128' 8
    expect wmma_sm70.75.cubin ' HMMA' 16
    expect gemm_sm70.80.cubin ' HMMA' 48
    expect mma_sm80.80.cubin ' HMMA.16816' 64
    expect mma_sm80.80.cubin ' HMMA.1688.F32.TF32' 32
    expect mma_sm80.80.cubin ' IMMA' 32
    expect mma_sm89.89.cubin ' QMMA' 32
    expect wgmma_sm90a.90a.cubin ' HGMMA' 8
    expect wgmma_sm90a.90a.cubin ' QGMMA' 4
fi
echo "the PTX is in order"
