#!/usr/bin/env bash
# Judges what the cache keeps. "simulate" plays traces to the store's policy on a model of its segments, and to LRU, FIFO, S3-FIFO, SIEVE,
# W-TinyLFU and Belady's bound; "replay" plays traces of a million reads to a store on a disk, and to the model. Both print hits in 100
# reads and things written in 100 reads, those that were copied forward included.
#
# "shares" plays a bucket with a share beside another, to the model and to a store with segments of 128 MiB.
#
#   bench/eviction.sh [simulate|replay|shares]    the first two; stores lie in BENCH_FOLDER, which takes 2 GiB
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d "${BENCH_FOLDER:-${TMPDIR:-/tmp}}/millrace-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

mvn -q -B -ntp -Dstyle.color=never -pl cache-store -am -Dchecks.skip test-compile dependency:build-classpath \
  -Dmdep.includeScope=test -Dmdep.outputFile=target/test-classpath

# program NAME ARGUMENT...
program() {
  java -Xmx1g -Dslf4j.internal.verbosity=ERROR -cp "cache-store/target/test-classes:cache-store/target/classes:$(< cache-store/target/test-classpath)" "io.millrace.cache.eviction.$1" "${@:2}"
}

case ${1:-both} in
  simulate) program Simulator ;;
  shares)
    program SharedTrace
    program SharedReplay "$work"
    ;;
  replay) program StoreReplay "$work" ;;
  both)
    program Simulator
    echo
    program StoreReplay "$work"
    ;;
  *)
    echo "$(basename "$0"): simulate, replay, shares, or nothing for the first two" >&2
    exit 2
    ;;
esac
