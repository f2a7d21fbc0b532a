#!/bin/sh
# Type-checks Benchmarks, Fuzz and Simulation against the modules of the debug build, in seconds: a change of the library that breaks them is
# seen by every test run. `make check` builds them in full, which takes minutes.
#
#   Scripts/check-packages.sh      after swift build --build-tests
set -eu
cd "$(dirname "$0")/.."
build=$(swift build --show-bin-path)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The modules of C that our own modules and the two packages import.
set -- -swift-version 6 -I "$build/Modules" -Xcc -I/usr/include/libxml2
for map in Sources/C*/module.modulemap "$build"/*.build/module.modulemap \
    .build/checkouts/*/Sources/CYaml/include/module.modulemap .build/checkouts/*/Sources/GRDBSQLite/module.modulemap; do
    [ -f "$map" ] && set -- "$@" -Xcc "-fmodule-map-file=$map"
done
# SwiftPM makes this map itself.
echo "module CYardsticks { umbrella \"$PWD/Benchmarks/Sources/CYardsticks/include\" export * }" >"$work/CYardsticks.modulemap"
set -- "$@" -Xcc "-fmodule-map-file=$work/CYardsticks.modulemap"

swiftc -emit-module -module-name OutputChecks -parse-as-library "$@" \
    -emit-module-path "$work/OutputChecks.swiftmodule" Fuzz/Sources/OutputChecks/*.swift
swiftc -emit-module -module-name SearchYardsticks -parse-as-library "$@" \
    -emit-module-path "$work/SearchYardsticks.swiftmodule" Benchmarks/Sources/SearchYardsticks/*.swift
failed=""
for target in Fuzz/Sources/Fuzz* Benchmarks/Sources/*Benchmark Simulation/Sources/simulate; do
    mode=""
    case $target in Fuzz/* | Simulation/*) mode=-parse-as-library ;; esac
    # shellcheck disable=SC2086 # no mode is no argument
    swiftc -typecheck $mode "$@" -I "$work" "$target"/*.swift 2>"$work/said" || {
        grep -E 'error' "$work/said" >&2 || cat "$work/said" >&2
        failed="$failed $target"
    }
done
[ -z "$failed" ] || { echo "These do not build:$failed" >&2; exit 1; }
