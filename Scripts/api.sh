#!/bin/sh
# Holds the server's API against its own description: schemathesis makes requests of it, valid and broken ones, and judges the answers.
#
#   Scripts/api.sh PIPPIN [EXAMPLES]    crawls the demo, serves its records, sends requests (100 for each operation)
set -eu

pippin=$1
examples=${2:-100}
venv=$(dirname "$0")/../.build/judges
# Fixed, so that a verdict stays the same.
version=4.32.5

"$venv/bin/schemathesis" --version 2>/dev/null | grep -q "version $version" || {
    echo "api: installing schemathesis into .build/judges"
    [ -d "$venv" ] || python3 -m venv "$venv"
    "$venv/bin/python3" -m pip install -q --disable-pip-version-check "schemathesis==$version"
}

folder=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT INT TERM

"$pippin" demo --crawl --port 0 --http-port 0 --folder "$folder/demo" >"$folder/demo.log" 2>&1 || {
    cat "$folder/demo.log"
    exit 1
}
token=$(openssl rand -hex 32)
for access in open token; do
    if [ "$access" = token ]; then export PIPPIN_TOKEN="$token"; fi
    log=$folder/serve-$access.log
    : >"$log"
    "$pippin" serve --storage "$folder/demo/storage" --port 0 >"$log" 2>&1 &
    server=$!
    address=
    while [ -z "$address" ]; do
        kill -0 "$server" 2>/dev/null || { cat "$log"; exit 1; }
        address=$(sed -n 's/^Serving at \(http[^ ]*\) .*/\1/p' "$log")
        [ -n "$address" ] || sleep 0.1
    done
    echo "api: $access"
    if [ "$access" = token ]; then set -- -H "Authorization: Bearer $token"; else set --; fi
    set -- "${address}openapi.json" --checks all "$@"
    "$venv/bin/schemathesis" run "$@" --max-examples "$examples" --exclude-path-regex '/api/v1/(card|search|changes)$'
    # Not every text of the right form is a cursor that was given.
    "$venv/bin/schemathesis" run "$@" --max-examples "$examples" --include-path-regex '/api/v1/(search|changes)$' \
        --exclude-checks positive_data_acceptance
    # Not every text is the URL of a page. Without agent.contact no public host is asked, so nothing leaves this machine.
    "$venv/bin/schemathesis" run "$@" --max-examples 10 --include-path /api/v1/card --exclude-checks positive_data_acceptance
    kill "$server"
    wait "$server"
    server=
done
