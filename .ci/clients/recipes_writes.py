"""Runs every recipe of docs/clients.md as it stands there, with this run's address, keys and bucket in place of the page's.

Blocks run in the order of the page, each section in a folder of its own that holds `photos/` and `labels.csv`: shell by bash
behind the page's first block, Python by the environment that has its packages, SQL by DuckDB.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import duckdb_session
import expected

PAGE = Path(__file__).parents[2] / "docs/clients.md"
TABLES = Path(os.environ["TABLES_PYTHON"])
# Of the packages in the environment of requirements-tables.txt.
THERE = re.compile(r"^(?:import s3fs|from deltalake|from pyiceberg)", re.MULTILINE)
ADDRESS = expected.ENDPOINT.removeprefix("http://")
OURS = {
    "127.0.0.1:9080": ADDRESS,
    "TRAINER01": expected.ACCESS_KEY,
    "trainer-secret": expected.SECRET_KEY,
    "imagenet": expected.BUCKET,
}


class Recipe(NamedTuple):
    section: str
    language: str
    code: str


def main() -> None:
    recipes = read(PAGE.read_text(encoding="utf-8"))
    settings, rest = recipes[0], recipes[1:]
    expected.same("sections with a recipe", len(rest) > 8, True)
    for one in rest:
        print(f"== {one.section}", flush=True)
        folder = Path(os.environ["WORK"]) / re.sub(r"\W+", "-", one.section)
        (folder / "photos").mkdir(parents=True)
        (folder / "photos/1.jpg").write_bytes(os.urandom(100_000))
        (folder / "labels.csv").write_text("1.jpg,cat\n")
        run(one, settings.code, folder)


def read(page: str) -> list[Recipe]:
    found = []
    for section in re.split(r"^#{2,3} ", page[page.index("## Recipes") :], flags=re.MULTILINE)[1:]:
        title = section.splitlines()[0]
        for language, code in re.findall(r"^```(\w+)\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
            found.append(Recipe(title, language, re.sub("|".join(OURS), lambda name: OURS[name[0]], code)))
    return found


def run(recipe: Recipe, settings: str, folder: Path) -> None:
    match recipe.language:
        case "sh":
            subprocess.run(["bash", "-euo", "pipefail", "-c", settings + recipe.code], cwd=folder, check=True)
        case "python":
            python = TABLES if THERE.search(recipe.code) else sys.executable
            subprocess.run(
                ["bash", "-euc", settings + '"$0" -c "$1"', str(python), recipe.code], cwd=folder, check=True
            )
        case "sql":
            database = duckdb_session.load()
            for statement in recipe.code.strip().split("\n"):
                database.execute(statement)
            expected.same("rows of the last statement", len(database.fetchall()), 1000)
        case other:
            sys.exit(f"{recipe.section}: nothing runs {other}")


main()
