#!/usr/bin/env bash
# The gate: everything that must pass before a change is merged. Run from anywhere; needs no GPU and no network
# once the dependencies are fetched. Uses cargo-nextest when it is installed, else cargo's own test runner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() { printf '\n== %s\n' "$*"; "$@" </dev/null; }

step cargo fmt --all --check
step cargo clippy --locked --all-targets --all-features -- -D warnings
if cargo nextest --version >/dev/null 2>&1; then
    step cargo nextest run --no-fail-fast
else
    echo "cargo-nextest is not installed; using cargo test (cargo install --locked cargo-nextest)" >&2
    step cargo test --lib --bins --tests --no-fail-fast
fi
step cargo test --doc
step env RUSTDOCFLAGS=-Dwarnings cargo doc --no-deps
printf '\nthe gate passed\n'
