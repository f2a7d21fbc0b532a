#!/bin/sh
# Builds a Debian package of a built pippin.
#
#   Scripts/deb.sh PROGRAM [VERSION]    writes pippin_VERSION_ARCHITECTURE.deb beside the program
#
# Needs dpkg-dev and python3. Packaging/debian has the control files; the dependencies are what dpkg-shlibdeps finds the program linked with.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "$1")
version=${2:-$("$program" --version)}
# As other tools for packages have it: DEBFULLNAME and DEBEMAIL.
maintainer="${DEBFULLNAME:-The Pippin authors} <${DEBEMAIL:-pippin@example.org}>"
architecture=$(dpkg --print-architecture)
for tool in dpkg-deb dpkg-shlibdeps strip; do
    command -v $tool >/dev/null || { echo "deb: $tool is missing: apt-get install dpkg-dev binutils" >&2; exit 2; }
done
# The time in the package: of the last commit, so that a commit gives the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
tree=$work/pippin
chmod 755 "$work"

PREFIX=/usr DESTDIR=$tree UNITDIR=/lib/systemd/system ZSHDIR=/usr/share/zsh/vendor-completions SYSCONFDIR=/etc \
    "$root/Scripts/install.sh" install "$program" >/dev/null
# The package has a user of its own, who also may read credentials in /etc/pippin.
for unit in pippin.service pippin-serve.service; do
    sed -i -e '/^User=/d' -e 's/^DynamicUser=yes/User=pippin\nGroup=pippin/' "$tree/lib/systemd/system/$unit"
    grep -q '^Group=pippin' "$tree/lib/systemd/system/$unit"
done
install -D -m 644 "$root/Examples/deploy/crawl-config.yaml" "$tree/etc/pippin/crawl-config.yaml"
install -D -m 644 "$root/Packaging/debian/seeds.txt" "$tree/etc/pippin/seeds.txt"
sed 's/su root root/su pippin pippin/' "$root/Examples/deploy/pippin.logrotate" > "$work/logrotate"
install -D -m 644 "$work/logrotate" "$tree/etc/logrotate.d/pippin"

doc=$tree/usr/share/doc/pippin
rm -r "$doc/examples/crawl-config.yaml" "$doc/examples/seeds.txt" "$doc/examples/pippin.logrotate" # they are in /etc
find "$doc/Docs" -type f -exec gzip -9n {} +
mkdir -p "$tree/usr/share/lintian/overrides"
{ cat "$root/Packaging/debian/copyright"; echo; echo 'License: Expat'; sed -e '1,4d' -e 's/^$/./' -e 's/^/ /' "$root/LICENSE"; } > "$doc/copyright"
# licences: those of all that is linked in, from the checkouts of the build and from the compiler's own folder
licences() {
    checkouts=$(dirname "$program")/checkouts
    swift=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")/share/swift/LICENSE.txt
    for file in "$swift" "$checkouts"/*/LICENSE* "$checkouts"/*/NOTICE*; do
        [ -f "$file" ] || continue
        [ "$file" = "$swift" ] || grep -q "\"name\": \"$(basename "$(dirname "$file")")\"" "$doc/pippin.spdx.json" || continue
        printf '======== %s\n\n' "$(basename "$(dirname "$file")")/$(basename "$file")"
        cat "$file"
        printf '\n\n'
    done
}
changelog() {
    printf 'pippin (%s) unstable; urgency=medium\n\n' "$version"
    printf '  * CHANGELOG.md in this folder says what is new.\n\n'
    printf ' -- %s  %s\n' "$maintainer" "$(date -uR -d "@$SOURCE_DATE_EPOCH")"
}
changelog | gzip -9n > "$doc/changelog.gz"
gzip -9nc "$root/CHANGELOG.md" > "$doc/CHANGELOG.md.gz"
"$root/Scripts/sbom.py" "$program" "$version" "$(dirname "$program")/checkouts" "$root/Package.resolved" > "$doc/pippin.spdx.json"
licences | gzip -9n > "$doc/third-party.txt.gz"
install -m 644 "$root/Packaging/debian/lintian-overrides" "$tree/usr/share/lintian/overrides/pippin"

# dpkg-shlibdeps wants a source package around it.
mkdir -p "$work/debian" "$tree/DEBIAN"
printf 'Source: pippin\n\nPackage: pippin\nArchitecture: any\n' > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$tree/usr/bin/pippin" | sed 's/^shlibs:Depends=//')
# libcurl is loaded when it is needed, so that the program does not name it; CURLOPT_QUICK_EXIT is of 7.87.
curl=$(dpkg-query -S '*/libcurl.so.4' | head -n 1 | cut -d : -f 1)
[ -n "$curl" ] || { echo "deb: no package has libcurl.so.4: apt-get install libcurl4-openssl-dev" >&2; exit 2; }
depends="$curl (>= 7.87), $depends"
size=$(du -sk --exclude=DEBIAN "$tree" | cut -f 1)
sed -e "s/@MAINTAINER@/$maintainer/" -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@SIZE@/$size/" -e "s/@DEPENDS@/$depends/" \
    "$root/Packaging/debian/control" > "$tree/DEBIAN/control"
install -m 644 "$root/Packaging/debian/conffiles" "$tree/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "$root/Packaging/debian/$script" "$tree/DEBIAN/$script"; done
(cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\n' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 md5sum) > "$tree/DEBIAN/md5sums"
find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

package=$(dirname "$program")/pippin_${version}_$architecture.deb
rm -f "$(dirname "$program")"/pippin_*_"$architecture".deb
dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >/dev/null
echo "deb: $package, $(wc -c < "$package" | awk '{printf "%.1f MB", $1 / 1e6}'); depends on $depends"
