#!/bin/sh
# Installs the system packages that are missing, and says what it did.
#
#   Scripts/setup.sh build    libraries and tools to build and run pippin
#   Scripts/setup.sh test     those, and what the tests hold pippin against (programs of PyPI in .build/judges)
set -eu

packages="libcurl4-openssl-dev libssl-dev libxml2-dev libsqlite3-dev libicu-dev zlib1g-dev libpsl-dev libcld2-dev libstemmer-dev libmimalloc-dev publicsuffix pkg-config openssl ca-certificates"
[ "${1:-build}" = test ] && packages="$packages nginx-light brotli zstd python3 python3-venv python3-jsonschema python3-prometheus-client systemd"

# Programs that judge our files; versions are fixed so that a verdict stays the same.
judges() {
    [ "${1:-build}" = test ] || return 0
    venv=$(dirname "$0")/../.build/judges
    "$venv/bin/python3" -c 'import warcio, networkx' 2>/dev/null && return 0
    echo "setup: installing warcio and networkx into .build/judges"
    python3 -m venv "$venv"
    "$venv/bin/python3" -m pip install -q --disable-pip-version-check warcio==1.7.5 networkx==3.4.2
}

missing=
for package in $packages; do
    case $package in
        nginx-light) command -v nginx >/dev/null && continue ;;
        python3-venv) python3 -c 'import ensurepip' 2>/dev/null && continue ;;
        python3-jsonschema) python3 -c 'import jsonschema' 2>/dev/null && continue ;;
        systemd) command -v systemd-analyze >/dev/null && continue ;;
    esac
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "setup: every system package is there"
    judges "$@"
    exit 0
fi

root=
[ "$(id -u)" -eq 0 ] || root=sudo
echo "setup: installing$missing"
$root apt-get update -qq
# shellcheck disable=SC2086 # a list of package names
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
judges "$@"
echo "setup: done"
