#!/bin/sh
# Builds the fuzz targets, and runs each for a number of seconds:
#
#   Scripts/fuzz.sh build
#   Scripts/fuzz.sh run [SECONDS [TARGET…]]
#
# SANITIZER=address looks for memory errors too, libxml2's included, at half the speed.
# What fails leaves its input in Fuzz/.build/findings and ends the script with an error.
set -eu
cd "$(dirname "$0")/.."

# A nested package does not notice new files of the one around it unless its manifest is newer.
touch Fuzz/Package.swift
# The fuzzer instruments the library too: without feedback from inside it finds nothing. What a server says around a body is read
# inside PippinCrawl, so testing is enabled.
build=Fuzz/.build${SANITIZER:+-$SANITIZER}
swift build --package-path Fuzz --scratch-path "$build" -c release --sanitize=fuzzer ${SANITIZER:+--sanitize="$SANITIZER"} \
    -Xswiftc -enable-testing
[ "${1:-run}" = build ] && exit 0

seconds=${2:-60}
[ $# -gt 2 ] && shift 2 || set --
exec python3 Scripts/fuzz.py --build "$build/release" --sanitizer "${SANITIZER:-}" --seconds "$seconds" "$@"
