#!/usr/bin/env bash
# What the parts of a hit cost that need neither socket nor cache, in ns and bytes of the heap (JMH): parsing, verification, routing,
# authorization, also by many policies, and response headers. bench/index.sh has the lookup of a block.
#
#   bench/hit.sh [JMH-OPTION...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/millrace-hit.XXXXXX")
trap 'rm -rf "$work"' EXIT

mvn -q -B -ntp -Dstyle.color=never -Pjmh -pl gateway/s3-api -am -Dchecks.skip test-compile dependency:build-classpath \
  -Dmdep.includeScope=test -Dmdep.outputFile=target/jmh-classpath
classpath=gateway/s3-api/target/classes:$(< gateway/s3-api/target/jmh-classpath)
mkdir "$work/classes"
python3 bench/headers.py --policies "$work"
javac -d "$work/classes" -cp "$classpath" bench/hit/HitParts.java
java -cp "$work/classes:$classpath" org.openjdk.jmh.Main -prof gc -foe true -jvmArgsAppend "-Dpolicies=$work" "$@" 2> /dev/null |
  grep -E '^Benchmark|^HitParts'
