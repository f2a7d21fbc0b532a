#!/bin/sh
# Proves a package of Scripts/deb.sh in a fresh Debian: lintian, install from a repository of Scripts/apt-repo.sh, use, upgrade, remove,
# install again, purge.
#
#   Scripts/check-deb.sh PACKAGE.deb
#
# Needs root, debootstrap, lintian, gpg and the mirror that apt uses here. The root is kept as an archive in
# ${TMPDIR:-/tmp}/pippin-deb-root.tar, so that the next check begins at once; MIRROR and SUITE choose another.
set -eu
package=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
SUITE=${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
MIRROR=${MIRROR:-http://deb.debian.org/debian}
kept=${TMPDIR:-/tmp}/pippin-deb-root.tar
[ "$(id -u)" -eq 0 ] || { echo "check-deb: needs root, for chroot" >&2; exit 2; }
for tool in debootstrap lintian dpkg-deb; do
    command -v $tool >/dev/null || { echo "check-deb: apt-get install debootstrap lintian" >&2; exit 2; }
done

say() { echo "check-deb: $*"; }
fail() { echo "check-deb: FAILED: $*" >&2; exit 1; }

say "lintian"
lintian --allow-root --fail-on error "$package" || fail "lintian found errors"

work=$(mktemp -d)
root=$work/root
clean() {
    umount "$root/proc" "$root/dev" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM
# A day apart, in two folders, from the program beside the package.
built=$(dirname "$package")
if [ -x "$built/pippin" ] && [ -d "$built/checkouts" ]; then
    say "the same program gives the same package"
    for time in 1 2; do
        mkdir "$work/$time"
        cp "$built/pippin" "$work/$time/"
        ln -s "$built/checkouts" "$work/$time/"
        [ "$time" = 1 ] || find "$work/$time/pippin" -exec touch -d yesterday {} +
        "$here/deb.sh" "$work/$time/pippin" > "$work/log" || { cat "$work/log"; fail "deb.sh"; }
    done
    cmp "$work"/1/pippin_*.deb "$work"/2/pippin_*.deb || fail "two packages of one program differ"
fi
mkdir "$root"
if [ ! -f "$kept" ]; then
    say "debootstrap $SUITE"
    debootstrap --variant=minbase "$SUITE" "$root" "$MIRROR" > "$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "debootstrap"; }
    tar -C "$root" -cf "$kept.new" . && mv "$kept.new" "$kept"
else
    tar -C "$root" -xf "$kept"
fi
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

# in_root COMMAND…: with a clean environment
in_root() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# apt COMMAND…
apt() { in_root apt-get -qq -y -o Dpkg::Use-Pty=0 "$@" > "$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "apt-get $*"; }; }
# All files that the system has, without those that apt and dpkg keep for themselves; systemd's are of its helper.
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./run -o -path ./tmp -o -path ./root \
        -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log \) -prune -o -print) | LC_ALL=C sort
}
accounts() { cat "$root/etc/passwd" "$root/etc/group"; }

# What the package needs comes first, so that afterwards only the package's own files differ.
apt update
needs=$(dpkg-deb -f "$package" Depends Recommends | sed 's/^[A-Za-z]*://; s/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
# shellcheck disable=SC2086 # a list of package names
apt install --no-install-recommends systemd $needs
say "a signed repository"
"$here/apt-repo.sh" "$work/repository" "$package" > "$work/log" || { cat "$work/log"; fail "apt-repo.sh"; }
mv "$work/repository" "$root/tmp/repository"
install -D -m 644 "$root/tmp/repository/pippin-archive-keyring.gpg" "$root/usr/share/keyrings/pippin-archive-keyring.gpg"
echo 'deb [signed-by=/usr/share/keyrings/pippin-archive-keyring.gpg] file:/tmp/repository stable main' \
    > "$root/etc/apt/sources.list.d/pippin.list"
apt update
files > "$work/before"
accounts > "$work/accounts"

say "install"
cp "$package" "$root/tmp/pippin.deb"
apt install --no-install-recommends pippin
in_root apt-cache policy pippin | grep -q 'file:/tmp/repository stable/main' || fail "it did not come from the repository"
[ -s "$root/usr/share/doc/pippin/pippin.spdx.json" ] || fail "the list of what it consists of is missing"
in_root dpkg --verify pippin || fail "dpkg --verify"
[ "$(in_root stat -c '%U:%G %a' /var/lib/pippin)" = "pippin:pippin 750" ] || fail "rights of /var/lib/pippin"
in_root getent passwd pippin | grep -q ':/var/lib/pippin:/usr/sbin/nologin$' || fail "the user pippin"
if [ -L "$root/etc/systemd/system/timers.target.wants/pippin.timer" ]; then fail "the timer is enabled before there is a contact"; fi
if [ -L "$root/etc/systemd/system/multi-user.target.wants/pippin-serve.service" ]; then fail "the server is enabled before there is a token"; fi

say "use: $(in_root pippin --version), linked with $(in_root ldd /usr/bin/pippin | grep -c '=>') libraries"
if in_root ldd /usr/bin/pippin | grep -E 'not found|swift'; then fail "a library is missing, or Swift's is not in the program"; fi
for file in usr/share/man/man1/pippin.1.gz usr/share/man/man1/pippin-crawl.1.gz \
    usr/share/bash-completion/completions/pippin usr/share/zsh/vendor-completions/_pippin \
    usr/share/fish/vendor_completions.d/pippin.fish lib/systemd/system/pippin.timer; do
    [ -s "$root/$file" ] || fail "$file is missing"
done
in_root bash -n /usr/share/bash-completion/completions/pippin || fail "the completion for bash"
# The job of the package says what is missing: a contact and seeds.
status=0
in_root su -s /bin/sh pippin -c 'cd /var/lib/pippin && pippin crawl --config /etc/pippin/crawl-config.yaml' > "$work/job" 2>&1 || status=$?
[ $status -eq 2 ] && grep -q '/etc/pippin/seeds.txt: holds no seed' "$work/job" || { cat "$work/job"; fail "the job without seeds"; }
# The demo as the package's user, in the folder of its data: it finds its pages without a checkout.
in_root su -s /bin/sh pippin -c 'cd /var/lib/pippin && pippin demo --crawl --port 0 --http-port 0' > "$work/demo" 2>&1 \
    || { cat "$work/demo"; fail "pippin demo --crawl"; }
grep -E '^The [0-9]+ records' "$work/demo" || fail "the demo gave no records"
in_root su -s /bin/sh pippin -c 'cd /var/lib/pippin && pippin search mug --config pippin-demo/crawl-config.yaml' | head -n 3
in_root pippin validate /usr/share/pippin/demo-site/shop.example/products/mug.html --url https://shop.example/products/mug.html \
    > "$work/card" || [ $? -eq 1 ] || { cat "$work/card"; fail "pippin validate"; }
[ -s "$work/card" ] || fail "the report card is empty"
in_root systemd-analyze verify --man=no pippin.timer pippin.service pippin-serve.service > "$work/units" 2>&1 || { cat "$work/units"; fail "systemd-analyze verify"; }

say "upgrade, with a changed configuration"
echo '# changed by the operator' >> "$root/etc/pippin/crawl-config.yaml"
newer=$work/newer
dpkg-deb -R "$package" "$newer"
sed -i 's/^Version: .*/&+check1/' "$newer/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$newer" "$root/tmp/newer.deb" >/dev/null
rm -rf "$newer"
apt install --no-install-recommends /tmp/newer.deb
in_root dpkg-query -W pippin | grep -q '+check1$' || fail "the version after the upgrade"
grep -q '^# changed by the operator' "$root/etc/pippin/crawl-config.yaml" || fail "the upgrade lost the configuration"
[ -f "$root/var/lib/pippin/pippin-demo/records.ndjson" ] || fail "the upgrade lost the data"

say "remove: the data stays"
apt remove pippin
[ ! -e "$root/usr/bin/pippin" ] || fail "the program is still there"
[ -f "$root/var/lib/pippin/pippin-demo/records.ndjson" ] && [ -f "$root/etc/pippin/crawl-config.yaml" ] || fail "removal took data"

say "install again, and purge: nothing stays"
apt install --no-install-recommends /tmp/pippin.deb
in_root systemctl -q enable pippin.timer pippin-serve.service
[ -L "$root/etc/systemd/system/timers.target.wants/pippin.timer" ] || fail "the timer cannot be enabled"
apt purge pippin
files > "$work/after"
diff "$work/before" "$work/after" || fail "the purge left files"
accounts | diff "$work/accounts" - || fail "the purge left the user"
if grep -rls pippin "$root/var/lib/dpkg" "$root/var/lib/systemd" 2>/dev/null | grep -v '/status-old$\|/available'; then
    fail "the purge left traces in the system's own files"
fi
say "all is well: $(basename "$package"), $SUITE"
