#!/usr/bin/env bash
# Writes the measured accuracy in LIMITS.md anew, from the runs and coefficients in this tree. Run it after a change of
# the physics, the coefficients or the runs; a test fails while the document differs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

accuracy=$(mktemp)
document=$(mktemp)
trap 'rm -f "$accuracy" "$document"' EXIT
# The title is the section's own.
XDG_CONFIG_HOME=/nonexistent cargo run --quiet --bin gpu-advisor -- validate --format markdown | tail -n +3 >"$accuracy"
awk -v accuracy="$accuracy" '
    /^<!-- validate:end -->/ { inside = 0 }
    !inside { print }
    /^<!-- validate:begin -->/ { inside = 1; while ((getline line < accuracy) > 0) print line }
' LIMITS.md >"$document"
cat "$document" >LIMITS.md
