#!/bin/sh
# Installs the system packages that are missing, and says what it did.
#
#   Scripts/setup.sh build    libraries and tools to build and run pippin
#   Scripts/setup.sh test     those, and what the tests hold pippin against: programs of PyPI in .build/judges, and a browser
#                             with its driver in .build/browser, clients for pippin mcp in .build/agents and .build/agentsbefore
set -eu

packages="python3-minimal libcurl4-openssl-dev libxml2-dev libsqlite3-dev libicu-dev zlib1g-dev libdeflate-dev libpsl-dev libcld2-dev libstemmer-dev libmimalloc-dev publicsuffix pkg-config openssl ca-certificates"
[ "${1:-build}" = test ] && packages="$packages nginx-light brotli zstd python3 python3-venv python3-jsonschema python3-yaml python3-prometheus-client wget systemd chromium-headless-shell bubblewrap util-linux libvips-tools strace jq fonts-roboto-unhinted fonts-vlgothic"

# Programs that judge our files; versions are fixed so that a verdict stays the same.
judges() {
    [ "${1:-build}" = test ] || return 0
    environment judges \
        'warcio cdxj_indexer networkx duckdb_cli jsonpath_rfc9535 mf2py markdown_it pre_commit osmem_server http_message_signatures' \
        warcio==1.7.5 cdxj-indexer==1.5.0 networkx==3.4.2 duckdb-cli==1.5.6 jsonpath-rfc9535==1.0.1 mf2py==2.0.2 markdown-it-py==4.3.0 \
        pre-commit==4.7.0 osmem-server==0.1.6 http-message-signatures==3.0.0
    # A program that its package puts beside its modules.
    ln -sf "$("$venv/bin/python3" -c 'import os, osmem_server, sys
print(os.path.relpath(os.path.dirname(osmem_server.__file__), sys.prefix + "/bin"))')/bin/osmem-server" "$venv/bin/osmem-server"
    # The official client of the Model Context Protocol, in its newest version and in that of the revision before.
    environment agents 'mcp' mcp==2.3.0
    environment agentsbefore 'mcp' mcp==1.30.0
    # The second has the rules of axe-core, by Deque, and nothing else that we use.
    environment browser 'playwright axe_playwright_python' playwright==1.65.2 axe-playwright-python==0.1.8
}

# environment NAME MODULES PACKAGE…: a Python of its own in .build/NAME
environment() {
    venv=$(dirname "$0")/../.build/$1
    modules=$2
    shift 2
    for module in $modules; do
        "$venv/bin/python3" -c "import $module" 2>/dev/null && continue
        echo "setup: installing $* into $venv"
        python3 -m venv "$venv"
        "$venv/bin/python3" -m pip install -q --disable-pip-version-check "$@"
        return
    done
}

missing=
for package in $packages; do
    case $package in
        nginx-light) command -v nginx >/dev/null && continue ;;
        python3-minimal) command -v python3 >/dev/null && continue ;;
        python3-venv) python3 -c 'import ensurepip' 2>/dev/null && continue ;;
        python3-yaml) python3 -c "import yaml" 2>/dev/null && continue ;;
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
case $missing in *chromium-headless-shell*)
    # Ubuntu has Chromium only as a snap.
    apt-cache show chromium-headless-shell >/dev/null 2>&1 || {
        echo "setup: there is no package chromium-headless-shell here: rendering is not tested, and the tests of pages need a chromium of yours" >&2
        missing=$(echo "$missing" | sed 's/chromium-headless-shell//')
    } ;;
esac
# shellcheck disable=SC2086 # a list of package names
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
judges "$@"
echo "setup: done"
