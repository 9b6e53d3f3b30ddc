#!/usr/bin/env python3
"""The report of a run in at most 60 lines: a row a stage, each failing test with its first lines, seeds, the commit.

    report.py TITLE STAGES_TSV SECONDS FAILED
"""
import html
import pathlib
import re
import subprocess
import sys

LINES = 60
CASE = re.compile(r"<testcase ([^>]*?)(/>|>(.*?)</testcase>)", re.S)
TROUBLE = re.compile(r"<(failure|error)\b[^>]*>(.*?)</\1>", re.S)


def attribute(name, text):
    found = re.search(rf'\b{name}="([^"]*)"', text)
    return html.unescape(found[1]) if found else "?"


def first_lines(trouble, count):
    text = html.unescape(trouble.replace("<![CDATA[", "").replace("]]>", ""))
    lines = [line.strip()[:180] for line in text.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("at io.millrace")]
    return [line for line in lines if not line.startswith("at ")][: count - 1] + own[:1]


def tests(since):
    """Counts and failures of all reports written in this run; a report need not be well-formed."""
    passed, skipped, failures = 0, 0, []
    for file in sorted(pathlib.Path(".").glob("**/target/surefire-reports/TEST-*.xml")):
        if file.stat().st_mtime < since:
            continue
        for head, _, body in CASE.findall(file.read_text(errors="replace")):
            trouble = TROUBLE.search(body)
            if trouble:
                failures.append((f'{attribute("classname", head)}.{attribute("name", head)}', trouble[2]))
            elif "<skipped" in body:
                skipped += 1
            else:
                passed += 1
    return passed, skipped, failures


def by_class(failures, room):
    """A line a class, for failures that are too many for their details; the last lines have what is left of names."""
    classes = {}
    for name, _ in failures:
        of, _, method = name.rpartition(".")
        classes.setdefault(of, []).append(method)
    lines = [
        f"FAILED {len(methods)} of {of}: {', '.join(dict.fromkeys(methods))}"[:180] for of, methods in sorted(classes.items())
    ]
    if len(lines) <= room:
        return lines
    left = ", ".join(of.rpartition(".")[2] for of in sorted(classes)[room - 4 :])
    return lines[: room - 4] + [f"FAILED too: {left[:700]}"]


def table(rows):
    yield "| stage | result | seconds | limit (min) | load after |"
    yield "|---|---|---|---|---|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def ends_of_logs(rows, logs):
    """What a stage without failing tests ended with."""
    for name, result, *_ in rows:
        log = logs / (re.sub("[^a-z0-9]", "-", name) + ".log")
        if result == "passed" or not log.exists():
            continue
        lines = [line.rstrip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
        # A warning is an error of the build, too, and says where it is.
        wrong = [line for line in lines if re.match(r"\[(WARNING|ERROR)\].*\.java:", line)]
        wrong = wrong or [line for line in lines if line.startswith("[ERROR]")] or lines[-6:]
        yield f"{name}:"
        yield from (f"    {line[:180]}" for line in wrong[:6])


def main():
    title, file, seconds, failed = sys.argv[1:5]
    file = pathlib.Path(file)
    rows = [line.split("\t") for line in file.read_text().splitlines()]
    logs = file.parent
    since = (logs / "begun").stat().st_mtime
    passed, skipped, failures = tests(since)
    commit = subprocess.run(["git", "log", "-1", "--format=%h %s (tree %t)"], capture_output=True, text=True).stdout.strip()
    seeds = [
        f"{log.stem}: {line.strip()[:120]}"
        for log in sorted(logs.glob("*.log"))
        for line in log.read_text(errors="replace").splitlines()
        if re.match(r"seed \d+", line)
    ]

    out = [f"# {title}", f"commit {commit}", *seeds[:4], *table(rows)]
    room = LINES - len(out) - 4
    each = min(5, room // max(1, len(failures)) - 1)
    trouble = []
    if each < 1:
        trouble += by_class(failures, room - 8)
    else:
        for name, text in failures:
            trouble += [f"FAILED {name[:200]}"] + [f"    {line}" for line in first_lines(text, each)]
    trouble += ends_of_logs(rows, logs)
    if len(trouble) > room:
        trouble = trouble[: room - 1] + [f"... and {len(trouble) - room + 1} more lines: see target/ci and target/surefire-reports"]
    out += trouble
    broken = [row for row in rows if row[1] != "passed"]
    out.append(f"{passed} passed, {len(failures)} failed, {skipped} skipped")
    # Whatever the stages say of themselves: a test that has failed is enough.
    bad = failed != "0" or bool(broken) or bool(failures)
    out.append(f"CI: {'FAILED' if bad else 'passed'} in {seconds} s")
    print("\n".join(out))
    return int(bad)


sys.exit(main())
