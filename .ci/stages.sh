# Runs stages one after another, whatever becomes of each, leaves no process of theirs behind, and reports. Sourced by run and full.
# shellcheck shell=bash

ci_title=
ci_deadline=
ci_rows=
ci_logs=
ci_tmp=
ci_current=
ci_failed=0
declare -A ci_results=()

# ci_begin TITLE MINUTES: what is not done after MINUTES is reported as not run.
ci_begin() {
  ci_title=$1 ci_deadline=$((SECONDS + $2 * 60))
  ci_logs=$PWD/target/ci
  rm -rf "$ci_logs" && mkdir -p "$ci_logs"
  ci_rows=$ci_logs/stages.tsv
  : >"$ci_rows"
  : >"$ci_logs/begun"
  # A folder of its own: what killed processes leave there goes with it.
  ci_tmp=$(mktemp -d "${TMPDIR:-/tmp}/millrace-ci.XXXXXX")
  # A stage of root's may run a program as another user, who has to get to it.
  chmod 711 "$ci_tmp"
  export TMPDIR=$ci_tmp
  trap ci_end EXIT
  trap 'ci_interrupted' INT TERM HUP
}

ci_interrupted() {
  [[ -z $ci_current ]] || ci_row "$ci_current" "interrupted" 0 0
  ci_failed=1
  exit 143
}

# ci_row NAME RESULT SECONDS MINUTES
ci_row() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$(cut -d' ' -f1 /proc/loadavg)" >>"$ci_rows"
  ci_results[$1]=$2
  say "== $1: $2 in $3 s"
}

# stage NAME MINUTES [--needs OTHER]... COMMAND...: MINUTES is a guard against a hang, at least three times the usual time.
stage() { ci_run_stage "FAILED" 1 "$@"; }

# infrastructure NAME MINUTES COMMAND...: what fetches from registries, three tries; its failure says nothing about the code.
infrastructure() { ci_run_stage "INFRASTRUCTURE" 3 "$@"; }

ci_run_stage() {
  local word=$1 tries=$2 name=$3 minutes=$4 try status=0 started=$SECONDS begun left limit
  shift 4
  while [[ $1 == --needs ]]; do
    if [[ ${ci_results[$2]:-passed} != passed ]]; then
      ci_failed=1
      ci_row "$name" "not run: it needs $2" 0 "$minutes"
      return
    fi
    shift 2
  done
  left=$(((ci_deadline - SECONDS) / 60))
  if ((left < 1)); then
    ci_failed=1
    ci_row "$name" "not run: DEADLINE of the whole run" 0 "$minutes"
    return
  fi
  ci_current=$name
  local log=$ci_logs/${name//[^a-z0-9]/-}.log
  say "== $name (limit $((minutes < left ? minutes : left)) min, log ${log#"$PWD/"})"
  : >"$log"
  for ((try = 1; try <= tries; try++)); do
    left=$(((ci_deadline - SECONDS) / 60))
    ((try == 1)) || { ((left >= 1)) && say "$name: try $try of $tries" && sleep $((try * 5)); } || break
    status=0 begun=$SECONDS limit=$((minutes < left ? minutes : left))
    ci_guarded "$limit" "$log" "$@" || status=$?
    # What ran into its limit would do so again.
    ((status != 0 && status != 124)) || break
  done
  ci_current=
  local took=$((SECONDS - started))
  if ((status == 0)); then
    ci_row "$name" passed "$took" "$minutes"
    return
  fi
  ci_failed=1
  say "$name: the end of its log"
  tail -n 30 "$log" | cut -c 1-300 >&2
  if ((status == 124 || (status == 137 && SECONDS - begun >= limit * 60))); then
    ci_row "$name" "$word: $( ((limit < minutes)) && echo "DEADLINE of the whole run" || echo "LIMIT") struck after $limit min" "$took" "$minutes"
  else
    ci_row "$name" "$word: exit $status" "$took" "$minutes"
  fi
}

# ci_guarded MINUTES LOG COMMAND...: in a process group of its own, and in the background, so that a signal ends the wait.
ci_guarded() {
  local minutes=$1 log=$2 status=0
  shift 2
  CI_STAGE=$ci_tmp timeout -k 30 "${minutes}m" "$@" >>"$log" 2>&1 </dev/null &
  wait $! || status=$?
  ci_end_processes
  return "$status"
}

# Ends every process that a stage has left, also those that have left its process group.
ci_end_processes() {
  local left signal
  for signal in TERM KILL; do
    mapfile -t left < <(grep -lszFx "CI_STAGE=$ci_tmp" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
    ((${#left[@]} > 0)) || return 0
    say "still running, ended now: ${left[*]}"
    kill "-$signal" "${left[@]}" 2>/dev/null || true
    for _ in {1..30}; do
      kill -0 "${left[@]}" 2>/dev/null || break
      sleep 0.1
    done
  done
}

ci_end() {
  local status=$?
  trap - EXIT
  trap '' INT TERM HUP
  ci_end_processes
  ((status == 0)) || ci_failed=1
  rm -rf --one-file-system "$ci_tmp"
  python3 .ci/report.py "$ci_title" "$ci_rows" "$SECONDS" "$ci_failed" >"$ci_logs/report.md" || ci_failed=1
  echo
  cat "$ci_logs/report.md"
  exit "$ci_failed"
}

# maven ARGUMENTS...: goes on after a failing module; fails if a test has failed, or a JVM of tests died.
maven() {
  local log=$TMPDIR/maven.log status=0
  set -o pipefail
  mvn -B -ntp -Dmaven.test.failure.ignore -Dtest.tmp="$TMPDIR" -fae "$@" 2>&1 | tee "$log" || status=$?
  if ((status == 0)) && grep -aE '^\[ERROR\] .*((Failures|Errors): [1-9]|There are test failures|There was a timeout|forked VM|forked process|ExecutionException)' "$log"; then
    status=1
  fi
  rm -f "$log"
  return "$status"
}
export -f maven
