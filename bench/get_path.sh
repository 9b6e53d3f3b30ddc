#!/usr/bin/env bash
# Says what a warm GET of a small object passes: own classes whose methods run, and Reactor publishers that are made, on average.
# Counted by JFR's method timing, so it needs a JDK 25 or newer in JAVA_HOME.
#
#   JAVA_HOME=JDK25 bench/get_path.sh [GETS [LIST]]     2,000 GETs, if nothing is said; LIST: where the classes are listed, most calls first
set -euo pipefail
# shellcheck source=bench/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

gets=${1:-2000}
list=${2:-}
start_origin "$origin_port"
settings "$origin_port" 1GiB
start_gateway
jcmd=${JAVA_HOME:?a JDK 25 or newer}/bin/jcmd

python3 - "$root/gateway/app/target/millrace.jar" > "$work/methods.jfc" << 'PY'
import pathlib
import sys
import zipfile

main = pathlib.Path(sys.argv[1])
own = set()
for path in [main, *(main.parent / "lib").glob("millrace-*.jar")]:
    with zipfile.ZipFile(path) as jar:
        own |= set(jar.namelist())
# The constructor of RequestSource fails with NoSuchFieldError when JDK 25.0.3 times it.
untimed = ("package-info", "auth/policy/RequestSource")
names = sorted(n[:-6].replace("/", ".") for n in own
               if n.startswith("io/millrace/") and n.endswith(".class") and not any(part in n for part in untimed))
methods = names + ["reactor.core.publisher.Mono::&lt;init&gt;", "reactor.core.publisher.Flux::&lt;init&gt;"]
print(f"""<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0"><event name="jdk.MethodTiming">
<setting name="enabled">true</setting><setting name="period">endChunk</setting><setting name="filter">{";".join(methods)}</setting>
</event></configuration>""")
PY

read_all() {
  python3 - "$1" "$bench" "$s3_port" << 'PY'
import sys

sys.path.insert(0, sys.argv[2])
from s3lite import S3

client = S3(f"http://127.0.0.1:{sys.argv[3]}", "benchkey", "benchsecret")
for _ in range(int(sys.argv[1])):
    status, _, body = client.call("GET", "/data/warm/4096")
    assert status == 200 and len(body) == 4096, (status, len(body))
PY
}

read_all 200
"$jcmd" "$gateway" JFR.start name=path settings="$work/methods.jfc" > /dev/null
read_all "$gets"
"$jcmd" "$gateway" JFR.dump name=path filename="$work/path.jfr" > /dev/null
"$JAVA_HOME/bin/jfr" print --json --events jdk.MethodTiming "$work/path.jfr" > "$work/path.json"
python3 - "$work/path.json" "$gets" "$list" << 'PY'
import collections
import json
import sys

gets = int(sys.argv[2])
calls = collections.Counter()
publishers = collections.Counter()
for event in json.load(open(sys.argv[1]))["recording"]["events"]:
    values = event["values"]
    kind = values["method"]["type"]["name"].replace("/", ".")
    if kind.startswith("reactor."):
        publishers[kind.rsplit(".", 1)[1]] += values["invocations"]
    else:
        calls[kind] += values["invocations"]
passed = {kind: count / gets for kind, count in calls.items() if count >= 0.9 * gets}
print(f"own classes passed: {len(passed)}, of which top-level {len({kind.split('$')[0] for kind in passed})}")
print("publishers made: " + ", ".join(f"{count / gets:.1f} {kind}" for kind, count in sorted(publishers.items())))
if sys.argv[3]:
    with open(sys.argv[3], "w") as out:
        for kind, each in sorted(passed.items(), key=lambda item: -item[1]):
            out.write(f"{each:8.1f} {kind}\n")
PY
