#!/bin/sh
# Installs a built pippin with everything around it, or removes it again.
#
#   Scripts/install.sh install PROGRAM    copies, under DESTDIR (a staging folder, empty by default):
#       PREFIX/bin/pippin                 the program
#       PREFIX/share/pippin/demo-site     the pages of pippin demo
#       PREFIX/share/man                  manual pages
#       PREFIX/share/…                    completions for bash, zsh and fish
#       PREFIX/share/doc/pippin           the licence, Docs, and a configuration and seeds to begin with
#       UNITDIR                           systemd's units, for PREFIX/bin/pippin and SYSCONFDIR/pippin
#   Scripts/install.sh uninstall          removes exactly these
#
# Variables: PREFIX (/usr/local), DESTDIR, SYSCONFDIR (/etc), UNITDIR (PREFIX/lib/systemd/system),
# ZSHDIR (PREFIX/share/zsh/site-functions).
set -eu
PREFIX=${PREFIX:-/usr/local}
SYSCONFDIR=${SYSCONFDIR:-/etc}
UNITDIR=${UNITDIR:-$PREFIX/lib/systemd/system}
ZSHDIR=${ZSHDIR:-$PREFIX/share/zsh/site-functions}
root=$(cd "$(dirname "$0")/.." && pwd)
to=${DESTDIR:-}$PREFIX
man=$to/share/man
bash=$to/share/bash-completion/completions
zsh=${DESTDIR:-}$ZSHDIR
fish=$to/share/fish/vendor_completions.d
units=${DESTDIR:-}$UNITDIR
doc=$to/share/doc/pippin

case "$PREFIX$SYSCONFDIR$UNITDIR" in *[!A-Za-z0-9/._+@-]*)
    # They are written into systemd's units, where other characters mean something.
    echo "install: PREFIX, SYSCONFDIR and UNITDIR must be plain paths" >&2
    exit 2 ;;
esac
case "$PREFIX" in /*) ;; *)
    echo "install: PREFIX must be an absolute path, not $PREFIX" >&2
    exit 2 ;;
esac

# put MODE SOURCE TARGET: a copy with these rights
put() { install -D -m "$1" "$2" "$3"; }

# unit NAME: a unit of Examples/deploy with the paths of this installation
unit() {
    sed -e "s|/usr/local/bin/pippin|$PREFIX/bin/pippin|g" -e "s|/etc/pippin/|$SYSCONFDIR/pippin/|g" \
        -e '/^Documentation=https:\/\/example\.org/s|=.*|=man:pippin-crawl(1)|' "$root/Examples/deploy/$1" > "$work/$1"
    put 644 "$work/$1" "$units/$1"
}

install_all() {
    program=$1
    "$program" --version >/dev/null || { echo "install: $program does not run here" >&2; exit 1; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # Before anything is copied, so that a failure leaves nothing half done.
    "$root/Scripts/man-pages.py" "$program" "$work/man" >/dev/null
    for shell in bash zsh fish; do "$program" --generate-completion-script "$shell" > "$work/$shell"; done

    put 755 "$program" "$to/bin/pippin"
    for page in "$work"/man/*.1.gz; do put 644 "$page" "$man/man1/$(basename "$page")"; done
    for page in "$work"/man/*.5.gz; do put 644 "$page" "$man/man5/$(basename "$page")"; done
    put 644 "$work/bash" "$bash/pippin"
    put 644 "$work/zsh" "$zsh/_pippin"
    put 644 "$work/fish" "$fish/pippin.fish"
    unit pippin.service
    unit pippin.timer
    unit pippin-serve.service
    put 644 "$root/LICENSE" "$doc/copyright"
    for file in crawl-config.yaml pippin.cron pippin.logrotate pippin-render.conf pippin-serve.nginx.conf; do
        sed "s|/usr/local/bin/pippin|$PREFIX/bin/pippin|g" "$root/Examples/deploy/$file" > "$work/$file"
        put 644 "$work/$file" "$doc/examples/$file"
    done
    put 644 "$root/seeds.txt" "$doc/examples/seeds.txt"
    for file in "$root"/Docs/*.md "$root"/Docs/*.json; do put 644 "$file" "$doc/Docs/$(basename "$file")"; done
    rm -rf "$to/share/pippin"
    (cd "$root/Examples" && find demo-site -type f) | while IFS= read -r file; do
        put 644 "$root/Examples/$file" "$to/share/pippin/$file"
    done
    echo "install: pippin $("$program" --version) is in $to/bin ($(wc -c < "$program" | awk '{printf "%.1f MB", $1 / 1e6}'))"
}

uninstall_all() {
    rm -rf "$to/share/pippin" "$doc"
    rm -f "$to/bin/pippin" "$man"/man1/pippin.1.gz "$man"/man1/pippin-*.1.gz "$man/man5/pippin-config.5.gz" "$bash/pippin" "$zsh/_pippin" "$fish/pippin.fish" \
        "$units/pippin.service" "$units/pippin.timer" "$units/pippin-serve.service"
    # What is empty now was made for us, or is made again by whoever needs it.
    for folder in "$to/bin" "$man/man1" "$man/man5" "$man" "$bash" "$to/share/bash-completion" "$zsh" "$to/share/zsh" "$fish" \
        "$to/share/fish" "$units" "$to/lib/systemd" "$to/lib" "$to/share/doc" "$to/share"; do
        rmdir "$folder" 2>/dev/null || true
    done
    echo "install: pippin is removed; $SYSCONFDIR/pippin and the data of crawls stay"
}

case ${1:-} in
    install) install_all "${2:?which program?}" ;;
    uninstall) uninstall_all ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
