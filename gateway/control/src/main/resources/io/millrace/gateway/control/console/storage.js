// Disks of the cache, buckets in it, and backends behind it.
import { h, note, setText, table } from "./dom.js";
import { repeat } from "./repeat.js";
import { bytes, count, duration, millis, moment, percent, plural } from "./format.js";

const DISK_WORDS = {
  healthy: ["healthy", "good"],
  recovering: ["recovering", "warn"],
  full: ["full", "warn"],
  paused: ["writes paused", "bad"],
  failing: ["failing", "bad"],
  lost: ["lost", "bad"],
};

const BACKEND_WORDS = { answers: ["answers", "good"], refuses: ["denies access", "warn"], rejects: ["rejects the credentials", "bad"], fails: ["fails", "bad"] };

const BUCKET_WORDS = { missing: ["is missing", "bad"], refuses: ["denies access", "warn"], fails: ["fails", "bad"], unknown: ["not checked", ""] };

const MOST_BUCKETS = 20;

const badge = ([text, kind]) => h("span", { class: `state ${kind}` }, text);

const meter = (share) => {
  const fill = h("div", {});
  fill.style.width = `${Math.min(1, share) * 100}%`;
  return h("span", { class: "share" }, percent(share), h("span", { class: "meter", "aria-hidden": "true" }, fill));
};

export function storageSection(session, signal) {
  const disks = h("div", {});
  const backends = h("div", {});
  const buckets = h("div", {});
  const about = h("p", { class: "lead last" });
  const section = (id, title, ...content) => h("section", { "aria-labelledby": id }, h("div", { class: "head next" }, h("h2", { id }, title)), ...content);

  async function load(path, show, into) {
    try {
      show(await session.api.get(path, {}, signal));
    } catch (problem) {
      if (!signal.aborted) {
        into.replaceChildren(note(problem.message, "bad"));
      }
    }
  }

  function showStatus(status) {
    setText(about, `Millrace ${status.version}, up for ${duration(status.uptimeSeconds)}, serves S3 on port ${status.s3Port}.`);
    buckets.replaceChildren(...bucketTable(status));
    disks.replaceChildren(...(status.cache ? diskTable(status.cache) : [note("There is no cache, so every read goes to its backend. Add a disk to cache.disks.")]));
  }

  repeat(() => load("/status", showStatus, disks), () => 5000, signal);
  repeat(() => load("/backends", (list) => backends.replaceChildren(backendTable(list.backends)), backends), () => 10000, signal);
  return h("div", {}, section("disks", "Disks", disks), section("buckets", "Buckets", buckets), section("backends", "Backends", backends), about);
}

function diskTable(cache) {
  const columns = [{ title: "Path" }, { title: "State" }, { title: "Used", number: true }, { title: "Capacity", number: true }, { title: "Sealed segments", number: true }, { title: "Usage", number: true }];
  const rows = cache.disks.map((disk) => [
    h("code", {}, disk.path),
    h("div", {}, badge(DISK_WORDS[disk.state] ?? [disk.state, ""]), diskHint(disk)),
    bytes(disk.used),
    disk.available < disk.size ? `${bytes(disk.available)} of ${bytes(disk.size)}` : bytes(disk.size),
    count(disk.segments),
    meter(disk.available > 0 ? disk.used / disk.available : 1),
  ]);
  return [
    h("p", { class: "lead" }, `${plural(cache.records, "block")} cached, ${plural(cache.fills, "block")} being filled.`),
    stacked(table("Disks of the cache", columns, rows)),
  ];
}

// The reason for its state, corrupt records, and whether it is slower than the backend.
function diskHint({ why, slowness, scrub }) {
  const told = [why, scrub.bad > 0 ? plural(scrub.bad, "corrupt record") + " dropped" : "", slowness > 1.5 ? `${slowness} times slower than the backend` : ""];
  const text = told.filter(Boolean).join("; ");
  return text ? h("div", { class: "hint" }, text) : null;
}

// The name that clients use, and where the bucket lives: its name there only if it is another.
const named = (bucket, backend, backendBucket) => h("span", {}, h("strong", {}, bucket), ` ${backend}${backendBucket === bucket ? "" : `, there ${backendBucket}`}`);

// The most-read buckets.
function bucketTable({ saved, cache }) {
  if (saved.length === 0) {
    return [h("p", { class: "empty" }, "No reads since the start.")];
  }
  const most = [...saved].sort((one, other) => other.servedBytes - one.servedBytes).slice(0, MOST_BUCKETS);
  const priced = most.some((one) => one.moneySaved !== undefined);
  const columns = [{ title: "Bucket" }, { title: "Cached", number: true }, { title: "Read", number: true }, { title: "Bytes saved", number: true }, { title: "Requests saved", number: true }];
  const rows = most.map((one) => [
    named(one.bucket || "all others", one.backend, one.backendBucket || one.bucket || "all others"),
    onTheDisks(one, cache),
    bytes(one.servedBytes),
    signed(one.savedBytes, bytes),
    signed(one.requestsSaved, count),
    ...(priced ? [one.moneySaved === undefined ? "–" : one.moneySaved.toFixed(2)] : []),
  ]);
  const lead = `Savings since the start: reads of clients minus requests to backends${saved.length > most.length ? `, for the ${MOST_BUCKETS} most-read of ${count(saved.length)} buckets` : ""}.`;
  return [h("p", { class: "lead" }, lead), stacked(table("Buckets", priced ? [...columns, { title: "Money saved", number: true }] : columns, rows))];
}

// Residency is tracked for buckets that the settings name.
function onTheDisks({ backend, backendBucket }, cache) {
  const own = (cache?.residency ?? []).find((one) => one.backend === backend && one.backendBucket === backendBucket && one.backendPrefix === "");
  if (!own) {
    return "–";
  }
  return own.quotaBytes === undefined ? bytes(own.cachedBytes) : `${bytes(own.cachedBytes)} of ${bytes(own.quotaBytes)}`;
}

const signed = (number, text) => (number < 0 ? `−${text(-number)}` : text(number));

function backendTable(backends) {
  const columns = [{ title: "Name" }, { title: "State" }, { title: "Calls in the last minute", number: true }, { title: "Errors", number: true }, { title: "Mean latency", number: true }, { title: "Last failure" }];
  const rows = backends.map((backend) => [
    h("span", {}, h("strong", {}, backend.name), ` ${backend.type}`),
    h("div", {}, badge(BACKEND_WORDS[backend.state] ?? [backend.state, ""]), backend.message ? h("div", { class: "hint" }, backend.message) : null, bucketHints(backend)),
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
      h("div", { class: "bucket" }, "Bucket ", named(one.bucket, name, one.backendBucket), " ", badge(BUCKET_WORDS[one.state] ?? [one.state, ""]), h("div", { class: "hint" }, one.message)),
    );
}

function lastFailure({ message, lastFailure: failure }) {
  if (!failure) {
    return "none since the start";
  }
  const told = message.includes(failure.message) ? null : h("div", { class: "hint" }, failure.message);
  return h("div", {}, `${moment(failure.at)}, ${failure.operation}`, told);
}

function stacked(element) {
  element.classList.add("stacked");
  return h("div", { class: "card" }, element);
}
