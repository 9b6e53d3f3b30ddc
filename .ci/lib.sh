# Shared by the scripts of .ci: where tools live, ports, waiting, stopping. Sourced, never run.
# shellcheck shell=bash

tools="${MILLRACE_TOOLS:-$HOME/.cache/millrace-tools}"
mkdir -p "$tools/bin"

say() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# free_port COUNT: the first of COUNT ports of 127.0.0.1 in a row that were free a moment ago, below those that the system gives to
# connections, which could take one of them before it is listened on.
free_port() {
  python3 - "$1" <<'EOF'
import random, socket, sys

def is_free(port):
    with socket.socket() as listening:
        try:
            listening.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True

count = int(sys.argv[1])
with open("/proc/sys/net/ipv4/ip_local_port_range") as limits:
    first_given = int(limits.read().split()[0])
# A machine that gives nearly all of them leaves too few below.
lowest, highest = (10000, first_given) if first_given > 12000 else (1100, 65536)
while True:
    first = random.randrange(lowest, highest - count)
    if all(is_free(port) for port in range(first, first + count)):
        print(first)
        break
EOF
}

# install_once NAME PINS COMMAND...: runs COMMAND unless it has succeeded before with these contents of PINS, a file or
# a folder.
install_once() {
  local name=$1 pins=$2 wanted started=$SECONDS
  shift 2
  wanted=$(cd "$(dirname "$pins")" && find "$(basename "$pins")" -type f -exec sha256sum {} + | sort | sha256sum)
  (
    flock 9
    if [[ -f $tools/$name.installed && $(<"$tools/$name.installed") == "$wanted" ]]; then
      exit
    fi
    say "installing $name"
    # Nothing that it leaves running holds the lock.
    "$@" >&2 9>&-
    printf '%s\n' "$wanted" >"$tools/$name.installed"
    say "installed $name in $((SECONDS - started)) s"
  ) 9>"$tools/$name.lock"
}

# debian_packages COMMAND:PACKAGE...: installs the packages whose command is missing.
debian_packages() {
  local missing=() as_root=() pair
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
  done
  ((${#missing[@]} > 0)) || return 0
  [[ $(id -u) == 0 ]] || as_root=(sudo -n)
  say "installing ${missing[*]}"
  (
    flock 9
    "${as_root[@]}" apt-get update -qq >&2 9>&- &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}" >&2 9>&-
  ) 9>"$tools/debian.lock" || die "missing, and could not be installed here: apt-get install ${missing[*]}"
}

# is_new_jdk FOLDER
is_new_jdk() {
  local version
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null) || return
  [[ -x $1/bin/jlink ]] && ((${version:-0} >= 25))
}

# find_jdk: a JDK 25 or newer, which packages are made with; that of JAVA_HOME if it is one.
find_jdk() {
  local folder
  for folder in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    if is_new_jdk "$folder"; then
      readlink -f "$folder"
      return
    fi
  done
  die "a JDK 25 or newer is missing: set JAVA_HOME"
}

# python_venv NAME REQUIREMENTS: a virtual environment of its own with exactly these packages.
python_venv() {
  rm -rf "${tools:?}/$1"
  python3 -m venv "$tools/$1"
  "$tools/$1/bin/pip" install --quiet --disable-pip-version-check --requirement "$2"
}

# install_provider: the OpenID provider of .ci/sts, in $tools/sts.
install_provider() {
  local from=${BASH_SOURCE[0]%/*}/sts
  mkdir -p "$tools/sts"
  cp "$from"/{*.mjs,*.json,.npmrc} "$tools/sts"
  (cd "$tools/sts" && npm ci --silent --ignore-scripts)
}

# start_provider SCRIPT FOLDER ARGUMENT: a script of .ci/sts, once it has written FOLDER/url. Its process is in FOLDER/provider.pid.
start_provider() {
  (cd "$tools/sts" && exec node "$1" "$2" "$3") >"$2/provider.log" 2>&1 &
  echo $! >"$2/provider.pid"
  until [[ -f $2/url ]]; do
    kill -0 "$!" || die "the provider did not start: $(<"$2/provider.log")"
    sleep 0.1
  done
}

# wait_ready URL PID SECONDS LOG: until URL answers 200; shows the end of LOG if the process dies or never answers.
wait_ready() {
  local url=$1 pid=$2 deadline=$((SECONDS + $3)) log=$4
  until curl --silent --fail --max-time 2 --output /dev/null "$url"; do
    if ! kill -0 "$pid" 2>/dev/null || ((SECONDS >= deadline)); then
      say "nothing answers at $url; the end of its log:"
      tail -n 40 "$log" >&2
      return 1
    fi
    sleep 0.2
  done
}

# stop_by_pid_file FILE: asks the process to end, insists after ten seconds; nothing to do if there is no file.
stop_by_pid_file() {
  [[ -f $1 ]] || return 0
  local pid
  pid=$(<"$1")
  kill "$pid" 2>/dev/null || true
  for _ in {1..100}; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$pid" 2>/dev/null || true
  rm -f "$1"
}

# make_certificate FOLDER: certificate.pem, which is its own authority and names 127.0.0.1, and key.pem.
make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1 \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$1/key.pem" -out "$1/certificate.pem" 2>/dev/null
}
