#!/usr/bin/env bash
# What the metadata store costs: put, get, list and delete with many keys, the start after a kill, memory and disk space. As root it
# drops the page cache and counts the device's reads.
#
#   bench/metadata.sh [KEYS [MEMORY-MIB [FOLDER]]]     e.g. 5000000 96
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d "${3:-${TMPDIR:-/tmp}}/millrace-metadata.XXXXXX")
trap 'rm -rf "$work"' EXIT

mvn -q -B -ntp -Dstyle.color=never -pl cache-store -am -Dmaven.test.skip -Dchecks.skip compile dependency:build-classpath \
  -Dmdep.includeScope=runtime -Dmdep.outputFile=target/bench-classpath
classpath=cache-store/target/classes:$(< cache-store/target/bench-classpath)
mkdir "$work/classes" "$work/data"
javac -d "$work/classes" -cp "$classpath" bench/metadata/MetadataCost.java
for step in fill read; do
  java -Xmx512m -cp "$work/classes:$classpath" io.millrace.cache.metadata.MetadataCost "$step" "$work/data" "${1:-5000000}" "${2:-96}"
done
