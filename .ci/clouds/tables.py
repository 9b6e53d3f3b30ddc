"""Writes made-up tables into a folder, the same each time: tables.py FOLDER. Sales of three months and items in Parquet, cities and rates in CSV."""

import random
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet

ITEMS, SALES = 500, 100_000
CITIES = {"Ulm": ("Germany", "EUR"), "Köln": ("Germany", "EUR"), "São Paulo": ("Brazil", "BRL"), "大阪": ("Japan", "JPY")}


def main(folder: Path) -> None:
    values = random.Random(1)
    folder.mkdir(parents=True)
    items = pa.table({
        "item": range(ITEMS),
        "kind": [values.choice(["book", "lamp", "chair"]) for _ in range(ITEMS)],
        "price": [values.randrange(100, 10_000) for _ in range(ITEMS)],
    })
    parquet.write_table(items, folder / "items.parquet")
    csv.write_csv(pa.table({"city": list(CITIES), "country": [one for one, _ in CITIES.values()]}), folder / "cities.csv")
    csv.write_csv(pa.table({"currency": ["EUR", "BRL", "JPY"], "in_euro": [1.0, 0.16, 0.006]}), folder / "rates.csv")
    for month in (1, 2, 3):
        sold = [values.choice(list(CITIES)) for _ in range(SALES)]
        sales = pa.table({
            "item": [values.randrange(ITEMS) for _ in range(SALES)],
            "amount": [values.randrange(1, 10) for _ in range(SALES)],
            "city": sold,
            "currency": [CITIES[city][1] for city in sold],
        })
        (folder / "sales" / f"month={month}").mkdir(parents=True)
        parquet.write_table(sales, folder / "sales" / f"month={month}" / "part-0.parquet", row_group_size=20_000)


main(Path(sys.argv[1]))
