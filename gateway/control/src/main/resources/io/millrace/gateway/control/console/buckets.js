// The buckets with their sizes, and what is cached in each.
import { crumbs, treePage } from "./tree.js";
import { h, note, table } from "./dom.js";
import { bytes, count } from "./format.js";
import { has } from "./rights.js";
import { linkTo } from "./route.js";
import { BUCKET_STATES, badge, cachedBytes, meter, stacked } from "./storage.js";

export function bucketsPage(root, session, { places: [bucket, prefix = ""] }) {
  const stop = new AbortController();
  root.append(h("div", { class: "head" }, h("h1", {}, bucket ? "What is cached" : "Buckets")));
  if (bucket) {
    root.append(crumbs(bucket, prefix));
    treePage(root, session, bucket, prefix, stop.signal);
  } else {
    const content = h("div", { "aria-live": "polite" }, h("p", { class: "lead" }, "Loading buckets …"));
    root.append(content);
    listBuckets(content, session, stop.signal);
  }
  return () => stop.abort();
}

async function listBuckets(content, session, signal) {
  try {
    const ofOperators = (path) => (has(session, "view") ? session.api.get(path, {}, signal) : undefined);
    const [{ buckets }, status, health] = await Promise.all([session.api.get("/buckets", {}, signal), ofOperators("/status"), ofOperators("/backends")]);
    content.replaceChildren(...(buckets.length === 0 ? [h("p", { class: "empty" }, "You have no right on any bucket of this server.")] : bucketTable(buckets, status, health?.backends)));
  } catch (problem) {
    if (!signal.aborted) {
      content.replaceChildren(note(problem.message, "bad"));
    }
  }
}

// Sizes and savings are for operators.
function bucketTable(buckets, status, backends = []) {
  // Buckets of a pattern are listed because their backends list them.
  const states = new Map(backends.flatMap((backend) => backend.buckets.map((one) => [one.bucket, one.state])));
  const savings = new Map((status?.saved ?? []).flatMap((one) => one.bucket.split(", ").map((name) => [name, one])));
  const residency = new Map((status?.cache?.residency ?? []).filter(({ prefix }) => prefix === "").map((one) => [one.bucket, one]));
  const priced = [...savings.values()].some(({ moneySaved }) => moneySaved !== undefined);
  const columns = [
    { title: "Bucket" },
    { title: "Backend" },
    ...(status ? [{ title: "State" }, { title: "Cached", number: true }, { title: "Quota", number: true }, { title: "Read", number: true }, { title: "Bytes saved", number: true }, { title: "Requests saved", number: true }] : []),
    ...(priced ? [{ title: "Money saved", number: true }] : []),
    { title: "Freshness" },
    { title: "Your rights" },
  ];
  const rows = buckets.map((bucket) => {
    const saved = savings.get(bucket.name);
    const own = residency.get(bucket.name);
    return [
      bucket.rights.includes("list") || bucket.rights.includes("view") ? h("a", { href: linkTo("buckets", bucket.name) }, h("code", {}, bucket.name)) : h("code", {}, bucket.name),
      bucket.derivedFrom ? h("span", {}, "derived from ", h("code", {}, bucket.derivedFrom)) : bucket.backend,
      ...(status ? [badge(BUCKET_STATES[states.get(bucket.name) ?? "listed"]), ...size(bucket.name, own, status.cache !== undefined), saved ? bytes(saved.servedBytes) : "–", saved ? signed(saved.savedBytes, bytes) : "–", saved ? signed(saved.requestsSaved, count) : "–"] : []),
      ...(priced ? [saved?.moneySaved === undefined ? "–" : saved.moneySaved.toFixed(2)] : []),
      freshness(bucket.freshness),
      bucket.rights.length > 0 ? bucket.rights.join(", ") : "none",
    ];
  });
  const lead = status
    ? `Reads and savings are since the start: reads of clients minus requests to backends. Buckets that only a pattern names are checked once clients have used them, and their cached bytes are counted when you open them; name them in the settings for more.${status.cache?.residencyComplete === false ? " The cached bytes are not complete yet: recovery is still running." : ""}`
    : "Choose a bucket to see how much of it is cached. That requires the right list or view on it.";
  return [h("p", { class: "lead" }, lead), stacked(table("Buckets", columns, rows))];
}

function size(bucket, own, hasCache) {
  if (!own) {
    return [cachedBytes(bucket, undefined, hasCache), hasCache ? "none" : "–"];
  }
  return [bytes(own.cachedBytes), own.quotaBytes === undefined ? "none" : h("div", { class: "with-bar" }, bytes(own.quotaBytes), meter(own.cachedBytes / own.quotaBytes))];
}

const signed = (number, text) => (number < 0 ? `−${text(-number)}` : text(number));

export function freshness({ mode, ttlSeconds }) {
  return mode === "ttl" ? `revalidated after ${ttlSeconds} s (ttl)` : mode === "strict" ? "revalidated on every read (strict)" : "never revalidated (immutable)";
}
