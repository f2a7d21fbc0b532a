#!/usr/bin/env bash
# Runs all tests. Of a failed run, what failed is told again at the end: whoever reads the last lines only must see it.
set -uo pipefail
cd "$(dirname "$0")/.."
# Without a bound all tests begin at once, and those with a limit of time wait for minutes behind the others.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-12}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift test "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
    echo "What failed:"
    grep -E '^✘ |error: |Fatal error|[Cc]rash' "$log" | grep -v '^✘ Test run with' | cut -c 1-400 | sort -u | head -n 40
    grep -E '^✘ Test run with' "$log" || tail -n 1 "$log"
fi
exit "$status"
