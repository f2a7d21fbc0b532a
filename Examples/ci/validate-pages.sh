#!/bin/sh
# Judges HTML files with pippin validate, without network.
#
#   validate-pages.sh [--url-base URL] [--format text|json|junit|sarif|html] [--out FOLDER] [--fail-on error|warning] PATH…
#
# A PATH is a file, or a folder with all .html and .htm files in it. With --url-base, FOLDER/a/b.html was found at URL/a/b.html;
# without it, where its canonical link says. With --out, each report is a file; else all go to standard output.
#
# Exit status: 0 no page has findings as grave as --fail-on, 1 a page has, 2 usage, or no page at all.
set -u
base= format=text out= fail_on=error
while [ $# -gt 0 ]; do
    case $1 in
        --url-base) base=${2:?"--url-base needs a URL"}; shift 2 ;;
        --format) format=${2:?"--format needs a name"}; shift 2 ;;
        --out) out=${2:?"--out needs a folder"}; shift 2 ;;
        --fail-on) fail_on=${2:?"--fail-on needs error or warning"}; shift 2 ;;
        --) shift; break ;;
        -*) echo "validate-pages: unknown option $1" >&2; exit 2 ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
command -v pippin >/dev/null || { echo "validate-pages: pippin is not in PATH; make install, or install its package" >&2; exit 2; }
case $format in junit) ending=xml ;; text) ending=txt ;; *) ending=$format ;; esac
[ -z "$out" ] || mkdir -p "$out" || exit 2

list=$(mktemp) || exit 2
trap 'rm -f "$list"' EXIT
for path in "$@"; do
    if [ -d "$path" ]; then
        find "$path" -type f \( -name '*.html' -o -name '*.htm' \) ! -path '*/.git/*' ! -path '*/node_modules/*' \
            | LC_ALL=C sort | while IFS= read -r file; do printf '%s\t%s\n' "${path%/}/" "$file"; done
    elif [ -f "$path" ]; then
        printf '\t%s\n' "$path"
    else
        echo "validate-pages: there is no $path" >&2
        exit 2
    fi
done > "$list" || exit 2
[ -s "$list" ] || { echo "validate-pages: there is no HTML file in $*" >&2; exit 2; }

status=0 pages=0 bad=0
tab=$(printf '\t')
while IFS= read -r line; do
    folder=${line%%"$tab"*}
    file=${line#*"$tab"}
    relative=${file#"$folder"}
    set -- "$file" --format "$format" --fail-on "$fail_on"
    if [ -n "$base" ]; then
        # What means something in a URL is written as its number.
        set -- "$@" --url "${base%/}/$(printf '%s' "${relative#./}" | sed 's/%/%25/g; s/ /%20/g; s/#/%23/g; s/?/%3F/g')"
    fi
    if [ -n "$out" ]; then
        set -- "$@" --out "$out/$(printf '%s' "${relative#./}" | tr '/ ' '__').$ending"
    else
        [ "$format" != text ] || echo "== $file"
    fi
    pages=$((pages + 1))
    pippin validate "$@" < /dev/null
    case $? in
        0) ;;
        1) bad=$((bad + 1)); [ $status -ne 0 ] || status=1 ;;
        *) echo "validate-pages: $file could not be judged" >&2; status=2 ;;
    esac
done < "$list"
echo "validate-pages: $pages pages, $bad with findings ($fail_on)" >&2
exit $status
