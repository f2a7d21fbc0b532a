#!/bin/sh
# Makes a signed apt repository of packages, as files for any web server.
#
#   Scripts/apt-repo.sh FOLDER PACKAGE.deb…
#
#   FOLDER/pool/main/*.deb                          the packages; those that are there already stay
#   FOLDER/dists/stable/InRelease, Release.gpg …    their index, signed
#   FOLDER/pippin-archive-keyring.gpg               the key that users trust
#
# APT_KEY names the signing key in GNUPGHOME. Without it one is made in FOLDER.key, beside the repository: keep it, and do not publish it.
# Needs dpkg-dev and gpg.
set -eu
[ $# -ge 2 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
for tool in dpkg-scanpackages gpg; do
    command -v $tool >/dev/null || { echo "apt-repo: $tool is missing: apt-get install dpkg-dev gpg" >&2; exit 2; }
done
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
suite=stable
# Moments of the files, so that the same packages give the same index.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)}

if [ -z "${APT_KEY:-}" ]; then
    GNUPGHOME=$folder.key
    export GNUPGHOME
    APT_KEY=pippin-archive
    if [ ! -d "$GNUPGHOME" ]; then
        (umask 077 && mkdir "$GNUPGHOME")
        gpg --batch --quiet --passphrase '' --quick-generate-key "$APT_KEY" ed25519 sign never
        echo "apt-repo: made a signing key in $GNUPGHOME"
    fi
fi

mkdir -p "$folder/pool/main"
for package in "$@"; do
    [ "$(dpkg-deb -f "$package" Package)" ] || exit 1
    cp "$package" "$folder/pool/main/"
done
cd "$folder"
architectures=$(for package in pool/main/*.deb; do dpkg-deb -f "$package" Architecture; done | sort -u)
# What is there stays valid until the new index is whole.
new=$(mktemp -d "$folder/.dists.XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
for architecture in $architectures; do
    index=$new/$suite/main/binary-$architecture
    mkdir -p "$index"
    dpkg-scanpackages --multiversion --arch "$architecture" pool/main > "$index/Packages" 2>/dev/null
    gzip -9nk "$index/Packages"
done
cd "$new/$suite"
{
    printf 'Origin: Pippin\nLabel: Pippin\nSuite: %s\nCodename: %s\nComponents: main\n' $suite $suite
    printf 'Architectures: %s\nDate: %s\nSHA256:\n' "$(echo $architectures)" "$(date -uR -d "@$SOURCE_DATE_EPOCH")"
    find main -type f | LC_ALL=C sort | while IFS= read -r file; do
        printf ' %s %s %s\n' "$(sha256sum "$file" | cut -d ' ' -f 1)" "$(wc -c < "$file")" "$file"
    done
} > Release
gpg --batch --quiet --yes --local-user "$APT_KEY" --clearsign -o InRelease Release
gpg --batch --quiet --yes --local-user "$APT_KEY" --armor --detach-sign -o Release.gpg Release
cd "$folder"
gpg --batch --quiet --yes --export -o pippin-archive-keyring.gpg "$APT_KEY"
rm -rf dists.old
[ ! -d dists ] || mv dists dists.old
mv "$new" dists
rm -rf dists.old
echo "apt-repo: $folder is whole. On a machine that takes its packages:"
echo "  install -m 644 pippin-archive-keyring.gpg /usr/share/keyrings/"
echo "  echo 'deb [signed-by=/usr/share/keyrings/pippin-archive-keyring.gpg] URL-OF-THIS-FOLDER $suite main' > /etc/apt/sources.list.d/pippin.list"
