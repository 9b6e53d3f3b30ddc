// Tables of the cache's disks and of the backends, with their last failures.
import { h, table } from "./dom.js";
import { bytes, count, millis, moment, percent, plural } from "./format.js";
import { linkTo } from "./route.js";

export const DISK_STATES = {
  healthy: ["healthy", "good"],
  recovering: ["recovering", "warn"],
  full: ["full", "warn"],
  paused: ["writes paused", "bad"],
  failing: ["failing", "bad"],
  lost: ["lost", "bad"],
};

export const BACKEND_STATES = { answers: ["answers", "good"], refuses: ["denies access", "warn"], rejects: ["rejects the credentials", "bad"], fails: ["fails", "bad"] };

export const BUCKET_STATES = { answers: ["answers", "good"], missing: ["is missing", "bad"], refuses: ["denies access", "warn"], fails: ["fails", "bad"], unknown: ["not checked", ""], listed: ["is listed", "good"] };

// Cached bytes are tracked for the buckets that the settings name. Those of a pattern are counted on the bucket's own page.
export const cachedBytes = (bucket, known, hasCache) => (known !== undefined ? bytes(known) : hasCache ? h("a", { href: linkTo("buckets", bucket), title: "Counts what is cached of this bucket" }, "count") : "–");

export const badge = ([text, kind]) => h("span", { class: `state ${kind}` }, text);

export const meter = (share) => {
  const fill = h("div", {});
  fill.style.width = `${Math.min(1, share) * 100}%`;
  return h("span", { class: "share" }, percent(share), h("span", { class: "meter", "aria-hidden": "true" }, fill));
};

export function diskTable(cache) {
  const columns = [{ title: "Path" }, { title: "State" }, { title: "Used", number: true }, { title: "Capacity", number: true }, { title: "Sealed segments", number: true }, { title: "Usage", number: true }];
  const rows = cache.disks.map((disk) => [
    h("code", {}, disk.path),
    h("div", {}, badge(DISK_STATES[disk.state] ?? [disk.state, ""]), diskHint(disk)),
    bytes(disk.used),
    disk.state === "lost" ? "not available" : disk.available < disk.size ? `${bytes(disk.available)} of ${bytes(disk.size)}` : bytes(disk.size),
    count(disk.segments),
    disk.state === "lost" ? "–" : meter(disk.available > 0 ? disk.used / disk.available : 1),
  ]);
  return [
    h("p", { class: "lead" }, `${plural(cache.records, "block")} cached, ${plural(cache.fills, "block")} being filled.`),
    stacked(table("Disks of the cache", columns, rows)),
  ];
}

// The reason for its state, corrupt records, and whether it is slower than the backend.
function diskHint({ why, slowness, slowSince, scrub }) {
  const hints = [why, scrub.bad > 0 ? plural(scrub.bad, "corrupt record") + " dropped" : "", slowSince ? `${slowness} times slower than the backend` : ""];
  const text = hints.filter(Boolean).join("; ");
  return text ? h("div", { class: "hint" }, text) : null;
}

// The name that clients use, and where the bucket lives: its name there only if it is another.
const named = (bucket, backend, backendBucket) => h("span", {}, h("strong", {}, bucket), ` ${backend}${backendBucket === bucket ? "" : `, there ${backendBucket}`}`);

export function backendTable(backends) {
  const columns = [{ title: "Name" }, { title: "State" }, { title: "Calls in the last minute", number: true }, { title: "Errors", number: true }, { title: "Mean latency", number: true }, { title: "Last failure" }];
  const rows = backends.map((backend) => [
    h("span", {}, h("strong", {}, backend.name), ` ${backend.type}`),
    h("div", {}, badge(BACKEND_STATES[backend.state] ?? [backend.state, ""]), backend.message ? h("div", { class: "hint" }, backend.message) : null, bucketHints(backend)),
    count(backend.lastMinute.calls),
    count(backend.lastMinute.errors),
    backend.lastMinute.meanMicros === undefined ? "–" : millis(backend.lastMinute.meanMicros / 1000),
    lastFailure(backend),
  ]);
  return stacked(table("Backends", columns, rows));
}

// Buckets with a problem; none while the backend itself fails.
function bucketHints({ name, buckets }) {
  return buckets
    .filter((one) => one.state !== "answers" && one.state !== "unknown")
    .map((one) =>
      h("div", { class: "bucket" }, "Bucket ", named(one.bucket, name, one.backendBucket), " ", badge(BUCKET_STATES[one.state] ?? [one.state, ""]), h("div", { class: "hint" }, one.message)),
    );
}

// The buckets that the settings name or clients have used, by the names that clients use, with what is cached of each if that is known.
export function bucketStates(backends, residency = []) {
  const cached = new Map(residency.filter(({ prefix }) => prefix === "").map((own) => [own.bucket, own.cachedBytes]));
  return backends
    .flatMap(({ name, buckets }) => buckets.map((one) => ({ ...one, backend: name, cachedBytes: cached.get(one.bucket) })))
    .sort((one, other) => (one.bucket < other.bucket ? -1 : one.bucket > other.bucket ? 1 : 0));
}

export function bucketStateTable(states, hasCache) {
  const columns = [{ title: "Bucket" }, { title: "State" }, { title: "Cached", number: true }, { title: "Last failure" }];
  const rows = states.map((one) => [
    h("span", {}, h("a", { href: linkTo("buckets", one.bucket) }, h("strong", {}, one.bucket)), ` ${one.backend}${one.backendBucket === one.bucket ? "" : `, there ${one.backendBucket}`}`),
    h("div", {}, badge(BUCKET_STATES[one.state] ?? [one.state, ""]), one.message ? h("div", { class: "hint" }, one.message) : null),
    cachedBytes(one.bucket, one.cachedBytes, hasCache),
    lastFailure(one),
  ]);
  return rows.length > 0 ? stacked(table("Buckets in use", columns, rows)) : h("p", { class: "lead" }, "The settings name no bucket, and clients have used none since the start.");
}

function lastFailure({ message, lastFailure: failure }) {
  if (!failure) {
    return "none since the start";
  }
  const reason = message.includes(failure.message) ? null : h("div", { class: "hint" }, failure.message);
  return h("div", {}, `${moment(failure.at)}, ${failure.operation}`, reason);
}

export function stacked(element) {
  element.classList.add("stacked");
  return h("div", { class: "card" }, element);
}
