// What is to be found: the tables of dataset.py, and comparing that ends the program at the first difference.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

export const { ENDPOINT, ACCESS_KEY, SECRET_KEY, REGION, BUCKET, EXPECTED, PAGE } = process.env;

export const objects = rows("objects.tsv").map(([sha256, size, key]) => ({ sha256, size: Number(size), key }));

export const ranges = rows("ranges.tsv").map(([sha256, header, first, last, key]) => ({ sha256, header, first, last, key }));

export const described = rows("metadata.tsv").map(([contentType, cacheControl, name, value, key]) => ({
  contentType,
  cacheControl,
  name,
  value,
  key,
}));

function rows(name) {
  const lines = readFileSync(`${EXPECTED}/${name}`, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => line.split("\t"));
}

/** What S3 lists directly below a prefix: folders with their slash, and keys. */
export function below(prefix) {
  const inside = objects.filter(({ key }) => key.startsWith(prefix)).map(({ key }) => key.slice(prefix.length));
  const nested = inside.filter((rest) => rest.includes("/"));
  return {
    folders: [...new Set(nested.map((rest) => prefix + rest.slice(0, rest.indexOf("/") + 1)))],
    files: inside.filter((rest) => !rest.includes("/")).map((rest) => prefix + rest),
  };
}

export function same(what, found, expected) {
  if (!isDeepStrictEqual(found, expected)) {
    throw new Error(`${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  }
}

export function sameBytes(what, body, sha256) {
  same(`sha256 of ${what}`, createHash("sha256").update(body).digest("hex"), sha256);
}
