#!/bin/sh
# Builds the fuzz targets, and runs each for a number of seconds:
#
#   Scripts/fuzz.sh build
#   Scripts/fuzz.sh run [SECONDS [TARGET…]]
#
# SANITIZER=address looks for memory errors too, libxml2's included, at half the speed.
# A crash leaves its input in Fuzz/.build/findings and ends the script with an error.
set -eu
cd "$(dirname "$0")/.."

# A nested package does not notice new files of the one around it unless its manifest is newer.
touch Fuzz/Package.swift
# The fuzzer instruments the library too: without feedback from inside it finds nothing.
build=Fuzz/.build${SANITIZER:+-$SANITIZER}
swift build --package-path Fuzz --scratch-path "$build" -c release --sanitize=fuzzer ${SANITIZER:+--sanitize="$SANITIZER"}
[ "${1:-run}" = build ] && exit 0

seconds=${2:-60}
[ $# -gt 2 ] && shift 2 && targets="$*" || targets=$(cd Fuzz/Sources && ls -d Fuzz*)
findings=$PWD/Fuzz/.build/findings
# Swift would print its own backtrace in place of libFuzzer keeping the input.
export SWIFT_BACKTRACE=enable=no
mkdir -p "$findings"
for target in $targets; do
    corpus=Fuzz/.build/corpus/$target
    mkdir -p "$corpus"
    # The golden pages and the demo site's are where page parsers start from.
    seeds=
    case $target in FuzzHTML | FuzzPage | FuzzMicrodata | FuzzRDFa | FuzzJSONLD)
        seeds="$(echo Tests/PippinPageTests/Fixtures/*/) $(find Examples/demo-site -type d | tr '\n' ' ')" ;;
    esac
    echo "fuzz: $target for $seconds s"
    # shellcheck disable=SC2086 # a list of folders
    "$build"/release/"$target" "$corpus" $seeds -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=4096 \
        -print_final_stats=1 -artifact_prefix="$findings/$target-" 2>"$findings/$target.log" || {
        tail -20 "$findings/$target.log" >&2
        exit 1
    }
    grep -E 'stat::(number_of_executed_units|average_exec_per_sec)' "$findings/$target.log"
done
