# Shared by the scripts of this folder. Sourced, never run.
# shellcheck shell=bash

say() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # for those who source this
target=$repository/gateway/packaging/target

machine=$(uname -m)
# What all is made for, as file names say it, and as Debian and the format of images do: the machine's, unless ARCHITECTURE is another.
# shellcheck disable=SC2034
case ${ARCHITECTURE:-$machine} in
  x86_64 | amd64) architecture=x86_64 debian_architecture=amd64 ;;
  aarch64 | arm64) architecture=aarch64 debian_architecture=arm64 ;;
  *) die "ARCHITECTURE is x86_64 or arm64, and not ${ARCHITECTURE:-$machine}" ;;
esac

# The time of all files, so that builds of one commit are alike; the first that archives know where there is no repository, as in a ZIP
# of the sources.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$repository" log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH

# require COMMAND...: refuses to go on without one of them.
require() {
  local command missing=()
  for command; do
    command -v "$command" >/dev/null || missing+=("$command")
  done
  ((${#missing[@]} == 0)) || die "missing: ${missing[*]}"
}

# A key of no other use, for what listens for a moment.
random_key() {
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

# version_of ROOT: the version of the program in it.
version_of() {
  unzip -p "$1/usr/lib/millrace/millrace.jar" META-INF/MANIFEST.MF | tr -d '\r' | sed -n 's/^Implementation-Version: //p'
}

# download FOLDER PACKAGE...: packages of Debian for the architecture of what is made, of the release and the sources that apt has here.
download() {
  local folder=$1 options=()
  shift
  if [[ $architecture != "$machine" ]]; then
    # Lists of its own: those of the machine are of its architecture.
    options=(-o "APT::Architecture=$debian_architecture" -o "APT::Architectures=$debian_architecture" -o "Dir::State=$folder/apt"
      -o Dir::State::status=/dev/null -o "Dir::Cache=$folder/apt")
    if [[ ! -d $folder/apt ]]; then
      mkdir -p "$folder"/apt/{lists,archives}/partial
      apt-get "${options[@]}" -qq update >"$folder/log" 2>&1 || die "$(<"$folder/log")"
    fi
  fi
  (cd "$folder" && apt-get "${options[@]}" -qq download "$@" 2>"$folder/log") || die "$(<"$folder/log")"
}

# copy_manual FOLDER: the manual, with all that its pages link to.
copy_manual() {
  mkdir -p "$1/charts"
  cp -r "$repository"/{README.md,CONTRIBUTING.md,CHANGELOG.md,docs} "$1"
  cp -r "$repository/charts/millrace" "$1/charts"
}

# check_links FOLDER: fails if a page of the manual there links to a file that is not there.
check_links() {
  python3 - "$1" <<'END'
import pathlib, re, sys

folder = pathlib.Path(sys.argv[1])
pages = list(folder.rglob("*.md"))
dead = [f"{page}: {link}" for page in pages for link in re.findall(r"\]\(([^)#\s]+)", page.read_text())
        if "://" not in link and not (page.parent / link).exists()]
assert len(pages) > 10, f"only {len(pages)} pages in {folder}"
sys.exit("\n".join(dead) or 0)
END
}

# fresh_debian PLACE PACKAGES: a small Debian of this machine's release and sources with these packages, comma-separated; a folder, or a .tar.
fresh_debian() {
  local sources release log
  mapfile -t sources < <(find /etc/apt/sources.list /etc/apt/sources.list.d/*.sources -size +0 2>/dev/null)
  # shellcheck source=/dev/null
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  log=$(mmdebstrap --quiet --variant=minbase --include="$2" "$release" "$1" "${sources[@]}" 2>&1) || die "$log"
  say "a Debian $release with $2"
}
