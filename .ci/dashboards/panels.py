"""Asks a Prometheus for each expression of each panel, as Grafana does. Each must have data in the run, and a value that is not zero, unless it
is named here with the reason.

    panels.py PROMETHEUS BEGAN ENDED
"""

import json
import math
import pathlib
import sys
import urllib.parse
import urllib.request

DASHBOARDS = pathlib.Path(__file__).parents[2] / "charts/millrace/files/dashboards"
STEP = 5

# What a run cannot have, by the name of a meter: these have data, and stay zero.
QUIET = {
    "millrace_cache_not_stored_bytes_total": "no disk takes a block: disks that are full of other files or fail",
    "millrace_cache_disk_errors_total": "a disk that fails",
    "millrace_cache_corrupt_total": "a disk that corrupts",
    "millrace_cache_checksum_mismatches_total": "a backend that corrupts",
    "millrace_disk_scrub_corrupt_total": "a disk that corrupts",
    "millrace_disk_state": "a disk that fails",
    "millrace_backend_deadlines_total": "a backend that hangs for minutes",
}

# What stays zero on an idle machine only.
EITHER = ("millrace_event_loop_lag_seconds",)


def targets():
    for file in sorted(DASHBOARDS.glob("*.json")):
        for panel in json.loads(file.read_text())["panels"]:
            for target in panel.get("targets", ()):
                expression = target["expr"].replace("$__rate_interval", "1m").replace("$job", "millrace").replace("$instance", ".*").replace("$operation", ".*")
                yield f"{file.stem}, '{panel['title']}' {target['legendFormat']}".rstrip(), expression


def values(prometheus, expression, began, ended):
    """Returns the numbers of all series of an expression in the run."""
    query = urllib.parse.urlencode({"query": expression, "start": began, "end": ended, "step": STEP})
    with urllib.request.urlopen(f"{prometheus}/api/v1/query_range?{query}") as response:
        series = json.load(response)["data"]["result"]
    return [float(value) for one in series for _, value in one["values"] if not math.isnan(float(value))]


def main(prometheus, began, ended):
    problems, quiet, count = [], [], 0
    for where, expression in targets():
        count += 1
        found = values(prometheus, expression, began, ended)
        reason = next((why for meter, why in QUIET.items() if meter in expression), None)
        if not found:
            problems.append(f"{where}: no data for {expression}")
        elif any(meter in expression for meter in EITHER):
            continue
        elif reason is None and not any(found):
            problems.append(f"{where}: always 0, which the run should have moved: {expression}")
        elif reason is not None and any(found):
            problems.append(f"{where}: has moved, and so is not quiet: {expression}")
        elif reason is not None:
            quiet.append(f"{where}: stays 0; it needs {reason}")
    print("\n".join(quiet))
    if problems:
        sys.exit("\n".join(problems))
    print(f"{count} expressions have data, and {count - len(quiet)} of them moved")


main(*sys.argv[1:])
