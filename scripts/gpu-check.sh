#!/usr/bin/env bash
# Everything that only a GPU shows, in one command and under 8 minutes: what is found, three quick calibrations, the replay
# of a trace, and a comparison with a matrix product and a copy that this program did not write. Needs the built binary and
# the driver; Python (its standard library alone) for the comparison, which says so when it did not run.
#
#   scripts/gpu-check.sh [FOLDER] [-- MORE ARGUMENTS FOR calibrate run]
#
# The binary is $GPU_ADVISOR, else target/release/gpu-advisor, else target/debug/gpu-advisor, else the one on PATH.
# Ends with 0 when every check held, 5 without a GPU, 6 when a figure is outside its tolerance, 1 for all else.
#
# Not yet run on hardware: only on the stand-in driver of tests/standin-driver, which is no measurement.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=gpu-check-$(date -u +%Y%m%d-%H%M%S)
if [ $# -gt 0 ] && [ "$1" != -- ]; then
    folder=$1
    shift
fi
[ "${1:-}" = -- ] && shift
more=("$@")

binary=${GPU_ADVISOR:-}
for candidate in "$here/../target/release/gpu-advisor" "$here/../target/debug/gpu-advisor" "$(command -v gpu-advisor)"; do
    if [ -z "$binary" ] && [ -x "$candidate" ]; then binary=$candidate; fi
done
[ -x "$binary" ] || { echo "error: no binary; build one with cargo build --release, or set GPU_ADVISOR" >&2; exit 1; }

mkdir -p "$folder" || exit 1
summary=$folder/summary.txt
: >"$summary"
say() { echo "$*" | tee -a "$summary"; }
began=$SECONDS
verdict=0
fails() { say "FAILED: $1"; [ "$verdict" -ne 0 ] || verdict=$2; }

say "gpu-advisor: $("$binary" --version)"
say "host: $(uname -sr), $(nproc) cores, $(date -u +%FT%TZ)"
if command -v nvidia-smi >/dev/null; then
    timeout 20 nvidia-smi >"$folder/nvidia-smi.txt" 2>&1
    timeout 20 nvidia-smi -q >"$folder/nvidia-smi-q.txt" 2>&1
else
    say "did not run: nvidia-smi is not here"
fi

timeout 30 "$binary" calibrate check >"$folder/check.txt" 2>&1
status=$?
timeout 30 "$binary" calibrate check --format json >"$folder/check.json" 2>/dev/null
if [ "$status" -ne 0 ]; then
    cat "$folder/check.txt"
    say "no GPU can be used (exit $status); nothing was measured"
    exit "$status"
fi
say "check: a GPU can be used"

effort=${GPU_CHECK_EFFORT:---quick}
for run in 1 2 3; do
    start=$SECONDS
    timeout 90 "$binary" calibrate run "$effort" --seed "$run" --output "$folder/run-$run.toml" ${more[@]+"${more[@]}"} \
        >"$folder/run-$run.txt" 2>"$folder/run-$run.log"
    status=$?
    took=$((SECONDS - start))
    say "run $run: exit $status after $took s"
    if [ "$status" -ne 0 ]; then
        tail -n 3 "$folder/run-$run.log"
        fails "run $run ended with $status" "$([ "$status" -eq 5 ] || [ "$status" -eq 6 ] && echo "$status" || echo 1)"
    elif [ "$took" -gt 75 ]; then
        fails "run $run took $took s; 60 s and the start are promised" 6
    fi
done

if [ -s "$folder/run-1.jsonl" ]; then
    timeout 40 "$binary" calibrate run --replay "$folder/run-1.jsonl" --output "$folder/replay.toml" \
        ${more[@]+"${more[@]}"} >"$folder/replay.txt" 2>"$folder/replay.log"
    if cmp -s "$folder/run-1.toml" "$folder/replay.toml"; then
        say "replay: the profile of run 1, byte by byte"
    else
        fails "the replay of run 1 gives another profile" 6
    fi
    timeout 20 "$binary" roofline --profile "$folder/run-1.toml" --plot "$folder/roofline.svg" \
        >"$folder/roofline.txt" 2>&1 || say "did not run: the plot (see roofline.txt)"
fi

if command -v python3 >/dev/null; then
    timeout 80 python3 "$here/independent-check.py" "$folder" 2>&1 | tee -a "$summary"
    status=${PIPESTATUS[0]}
    [ "$status" -eq 0 ] || fails "comparison with an independent product and copy (exit $status)" "$status"
else
    say "did not run: the independent comparison needs python3"
fi

say "took $((SECONDS - began)) s; everything is in $folder"
[ "$verdict" -eq 0 ] && say "all checks held"
exit "$verdict"
