#!/bin/sh
# Fits the weights of guesses to pages of which people wrote down the answers, and prints what that would gain. Nothing is changed.
#
#   Scripts/fit-weights.sh [--effects] FOLDER …
#
# A FOLDER has gold.json and its pages, unpacked or as pages.tar.xz. gold.json is a list of {"file", "url"} and of what is known of the
# page: title, author, date, description, sitename, lang, image, text (the main text), without (sentences that are not its own).
# With --effects: what each weight is worth, as the table in Docs/Record.md.
set -eu
[ $# -gt 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=$#
number=0
while [ "$number" -lt "$count" ]; do
    argument=$1
    shift
    number=$((number + 1))
    if [ "$argument" = --effects ]; then
        set -- "$@" --effects
    elif [ -f "$argument/pages.tar.xz" ]; then
        mkdir "$work/$number"
        tar -xJf "$argument/pages.tar.xz" -C "$work/$number"
        set -- "$@" "$argument/gold.json" "$work/$number"
    else
        set -- "$@" "$argument/gold.json" "$argument"
    fi
done
touch "$root/Benchmarks/Package.swift" # or it does not notice new files of the package around it
swift run -c release --package-path "$root/Benchmarks" GuessWeightsBenchmark "$@"
