"""Compares the alert rules and the dashboards with the metrics of a running gateway: every name, every label, and the values of labels
whose values are known beforehand. Each alert must have a test and a part of the runbook.

    metrics.py METRICS PANELS    METRICS is what /metrics serves; PANELS gets the dashboards' expressions as rules, for promtool
"""

import json
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).parents[2]
FILES = ROOT / "charts/millrace/files"
COLLECTOR_LABELS = {"job", "instance"}
COMPLETE_LABELS = {"le", "state", "result", "area", "size"}
METRIC = r"\b((?:millrace|jvm|process|system)_\w+|up|ALERTS)\b"
COLLECTOR_METRICS = {"up": set(), "ALERTS": {"alertname", "alertstate", "severity"}}


def scraped(path):
    """Returns the values of each label of each series' name."""
    metrics = {name: {label: set() for label in labels} for name, labels in COLLECTOR_METRICS.items()}
    for line in pathlib.Path(path).read_text().splitlines():
        if found := re.match(r"(\w+)(?:\{(.*)\})? \S+$", line):
            labels = metrics.setdefault(found[1], {})
            for label, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or ""):
                labels.setdefault(label, set()).add(value)
    return metrics


def problems_of(expression, metrics, texts=()):
    """Yields what an expression, and texts with {{label}} or {{ $labels.label }}, name that does not exist."""
    names = set(re.findall(METRIC, re.sub(r'"[^"]*"', '""', expression)))
    if not names:
        yield "names no metric"
    known = set(COLLECTOR_LABELS)
    for name in names:
        if name not in metrics:
            yield f"{name} does not exist"
        known |= set(metrics.get(name, ()))
    for name, matchers in re.findall(METRIC + r"\{([^}]*)\}", expression):
        for label, operator, value in re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', matchers):
            values = metrics.get(name, {}).get(label)
            if values is None and label not in COLLECTOR_LABELS:
                yield f"{name} has no label {label}"
            if label in COMPLETE_LABELS and values is not None:
                for each in value.split("|") if "~" in operator else [value]:
                    if not any(re.fullmatch(each, real) for real in values):
                        yield f'{name} has no {label}="{each}"'
    used = [label for group in re.findall(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)", expression) for label in re.split(r"[,\s]+", group.strip())]
    for text in texts:
        used += re.findall(r"\{\{-?\s*(?:with\s+)?(?:\$labels\.)?(\w+)\s*\}\}", text)
    for label in used:
        if label and label not in known and label not in {"end", "else"}:
            yield f"no metric of it has the label {label}"


def panels(dashboard):
    """Yields where, expression and texts of each target of a dashboard."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield f"panel '{panel['title']}'", target["expr"], [target["legendFormat"]]


def without_variables(expression):
    return expression.replace("$__rate_interval", "5m").replace("$job", "millrace").replace("$instance", ".*").replace("$operation", ".*")


def main(metrics_file, panels_file):
    metrics = scraped(metrics_file)
    problems = []
    rules = [rule for group in yaml.safe_load((FILES / "rules.yaml").read_text())["groups"] for rule in group["rules"]]
    for rule in rules:
        problems += [f"{rule['alert']}: {each}" for each in problems_of(rule["expr"], metrics, rule["annotations"].values())]
    recorded = []
    dashboards = sorted((FILES / "dashboards").glob("*.json"))
    for file in dashboards:
        dashboard = json.loads(file.read_text())
        if dashboard["uid"] != file.stem:
            problems.append(f"{file.name}: its uid should be {file.stem}")
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                expression = without_variables(variable["definition"])
                problems += [f"{file.name}, variable {variable['name']}: {each}" for each in problems_of(expression, metrics)]
        ids = [panel["id"] for panel in dashboard["panels"]]
        if len(ids) != len(set(ids)):
            problems.append(f"{file.name}: two panels have one id")
        for where, expression, texts in panels(dashboard):
            expression = without_variables(expression)
            problems += [f"{file.name}, {where}: {each}" for each in problems_of(expression, metrics, texts)]
            recorded.append({"record": f"panel:{len(recorded)}", "expr": expression})
    pathlib.Path(panels_file).write_text(json.dumps({"groups": [{"name": "panels", "rules": recorded}]}))

    alerts = {rule["alert"] for rule in rules}
    tests = (ROOT / ".ci/chart/rules_test.yaml").read_text()
    runbook = set(re.findall(r"^### (Millrace\w+)$", (ROOT / "docs/repairing.md").read_text(), re.MULTILINE))
    problems += [f"{alert}: no test expects it" for alert in sorted(alerts) if f'alertname="{alert}"' not in tests]
    problems += [f"{alert}: in the rules or in the runbook of docs/repairing.md, not in both" for alert in sorted(alerts ^ runbook)]
    for rule in rules:
        if rule["annotations"]["runbook_url"] != f"docs/repairing.md#{rule['alert'].lower()}":
            problems.append(f"{rule['alert']}: its runbook_url leads elsewhere")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(rules)} rules and {len(recorded)} expressions of {len(dashboards)} dashboards name only what exists")


main(*sys.argv[1:])
