#!/usr/bin/env bash
# What a look into the index costs at 50 million entries, hit and miss, next to one random read of direct memory, with one thread
# and with two (JMH); and what an entry takes, off the heap and on it. Takes 5 GiB of direct memory.
#
#   bench/index.sh [JMH-OPTION...]     e.g. -p entries=5000000
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/millrace-index.XXXXXX")
trap 'rm -rf "$work"' EXIT

mvn -q -B -ntp -Dstyle.color=never -Pjmh -pl cache-store -am -Dchecks.skip test-compile dependency:build-classpath \
  -Dmdep.includeScope=test -Dmdep.outputFile=target/jmh-classpath
classpath=cache-store/target/classes:$(< cache-store/target/jmh-classpath)
mkdir "$work/classes"
javac -d "$work/classes" -cp "$classpath" bench/index/IndexLookup.java
for threads in 1 2; do
  java -Xmx1g -XX:MaxDirectMemorySize=6g -cp "$work/classes:$classpath" org.openjdk.jmh.Main -t "$threads" -foe true "$@" 2> /dev/null | grep -E '^# INDEX|^Benchmark|^IndexLookup|^# Threads' | sort -u
done
