# What a client of the shell is to find: the tables of dataset.py, and comparing that shows the difference. Sourced.
# shellcheck shell=bash
: "${ENDPOINT:?}" "${ACCESS_KEY:?}" "${SECRET_KEY:?}" "${REGION:?}" "${BUCKET:?}" "${EXPECTED:?}" "${WORK:?}"
export LC_ALL=C.UTF-8

# same WHAT FOUND EXPECTED: texts of any length.
same() {
  [[ $2 == "$3" ]] && return
  echo "$1 differs (< found, > expected):" >&2
  diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -n 20 >&2
  exit 1
}

# Every key, sorted as S3 does.
keys() { cut -f 3 "$EXPECTED/objects.tsv"; }

sizes_and_keys() { cut -f 2,3 "$EXPECTED/objects.tsv"; }

# folders [PREFIX]: the common prefixes directly below it, each with its slash and without the prefix.
folders() { below "${1:-}" | sed -n 's|/.*|/|p' | sort -u; }

# files [PREFIX]: the keys directly below it, without the prefix.
files() { below "${1:-}" | grep -v / | sort || true; }

below() { keys | PREFIX=$1 awk 'index($0, ENVIRON["PREFIX"]) == 1 { print substr($0, length(ENVIRON["PREFIX"]) + 1) }'; }

# same_tree FOLDER: the folder holds exactly the objects, byte for byte.
same_tree() {
  same "files in $1" "$(cd "$1" && find . -type f | sed 's|^\./||' | LC_ALL=C sort)" "$(keys)"
  (cd "$1" && awk -F '\t' '{ print $1 "  " $3 }' "$EXPECTED/objects.tsv" | sha256sum --quiet --check)
}

# same_bytes WHAT SHA256: what comes in on standard input.
same_bytes() { same "sha256 of $1" "$(sha256sum | cut -d ' ' -f 1)" "$2"; }

# each_range COMMAND: COMMAND HEADER FIRST LAST KEY writes the range to standard output.
each_range() {
  local digest header first last key
  while IFS=$'\t' read -r digest header first last key; do
    "$1" "$header" "$first" "$last" "$key" </dev/null | same_bytes "$header of $key" "$digest"
  done <"$EXPECTED/ranges.tsv"
}

# each_metadata COMMAND: COMMAND CONTENT-TYPE CACHE-CONTROL NAME VALUE KEY checks one object.
each_metadata() {
  local type cache name value key
  while IFS=$'\t' read -r type cache name value key; do
    "$1" "$type" "$cache" "$name" "$value" "$key" </dev/null
  done <"$EXPECTED/metadata.tsv"
}

# each_presigned COMMAND: COMMAND KEY prints a URL, which curl then reads.
each_presigned() {
  local digest key url
  while IFS=$'\t' read -r digest _ key; do
    url=$("$1" "$key" </dev/null)
    curl --silent --show-error --fail-with-body "$url" </dev/null | same_bytes "$url" "$digest"
  done < <(grep -P '\tnames/[^/]*$|\tsizes/' "$EXPECTED/objects.tsv" | awk 'NR % 4 == 0')
}
