#!/bin/sh
# Two runs of the demo's job an hour apart, on a copy of the demo site in which meanwhile a page is edited and another one
# removed: 304s, one changed page, one deletion. The hour is libfaketime's (Debian: faketime), everything else is real.
#
#   Scripts/coming-back.sh [PIPPIN]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
pippin=$(realpath "${1:-$root/.build/release/pippin}")
command -v faketime > /dev/null || { echo "coming-back: faketime is missing: apt-get install faketime" >&2; exit 2; }
work=$(mktemp -d)
demo=
trap 'test -z "$demo" || kill -9 "$demo" 2> /dev/null; rm -rf "$work"' EXIT
cd "$work"
cp -r "$root/Examples/demo-site" site
config=pippin-demo/crawl-config.yaml

serve() {
    : > served
    "$pippin" demo --port 0 --http-port 0 --site site > served & demo=$!
    until grep -q '^Try:' served; do
        kill -0 "$demo" || exit 1
        sleep 0.2
    done
}
# 3 says that a seed failed: one of the demo's does, for show.
crawl() { "$@" crawl --config "$config" 2>&1 || test $? = 3; }

serve
echo "== The first run"
crawl "$pippin"
cursor=$("$pippin" export --config "$config" | sed -n 's/^{"cursor":"\(.*\)"}$/\1/p')
kill -9 "$demo"
wait "$demo" 2> /dev/null || true

echo
echo "== A page is edited, a page is removed"
sed -i 's|</title>| (sold out)</title>|' site/clownfair.example/events/tightrope.html
rm site/shop.example/products/umbrella.html
serve
echo "== The second run, an hour later"
# The hour is one of the calendar; timers go by the real clock.
FAKETIME_DONT_FAKE_MONOTONIC=1 crawl faketime '+1 hour' "$pippin"
echo
echo "== pippin export --since $cursor"
"$pippin" export --config "$config" --since "$cursor" | tee changes | cut -c 1-150

test "$(grep -c '"deleted":true' changes)" = 1 && test "$(wc -l < changes)" = 3 || {
    echo "coming-back: expected one changed page, one deletion and a cursor" >&2
    exit 1
}
