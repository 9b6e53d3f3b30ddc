// Explains what the next GET of an object would do, and shows what happened last.
import { field, h, note, setWrong, table } from "./dom.js";
import { bytes, count, duration, millis, moment } from "./format.js";
import { freshness } from "./buckets.js";
import { linkTo } from "./route.js";

const RESULTS = {
  hit: ["hit", "good"],
  stale: ["stale hit", "warn"],
  partial: ["partial hit", "warn"],
  revalidate: ["revalidates", "warn"],
  miss: ["miss", "warn"],
  missing: ["no such key", ""],
  bypass: ["bypass", ""],
};

export function explainPage(root, session, { places: [givenBucket = "", givenKey = ""] }) {
  const stop = new AbortController();
  const bucket = h("input", { value: givenBucket, required: true, list: "buckets", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const key = h("input", { value: givenKey, required: true, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const names = h("datalist", { id: "buckets" });
  const answer = h("div", { "aria-live": "polite" });
  const fields = { bucket, key };

  async function explain() {
    Object.values(fields).forEach((input) => setWrong(input, ""));
    try {
      answer.replaceChildren(...explanation(await session.api.get("/explain", { bucket: bucket.value.trim(), key: key.value }, stop.signal)));
    } catch (problem) {
      const wrong = fields[problem.field];
      if (wrong) {
        setWrong(wrong, problem.message);
        wrong.focus();
      }
      answer.replaceChildren(...(wrong || stop.signal.aborted ? [] : [note(problem.message, problem.status === 403 ? "" : "bad")]));
    }
  }

  const submit = (event) => {
    event.preventDefault();
    history.replaceState(null, "", linkTo("explain", bucket.value.trim(), key.value));
    explain();
  };

  root.append(
    h("div", { class: "head" }, h("h1", {}, "Why did this object miss?")),
    h("p", { class: "lead" }, "Shows what the next GET of an object would do and why, without a request to a backend, and the last requests for it that did not come from the cache."),
    h("form", { class: "query card", onsubmit: submit }, field("Bucket", bucket), field("Key", key), h("button", { type: "submit" }, "Explain")),
    names,
    answer,
  );
  session.api
    .get("/buckets", {}, stop.signal)
    .then(({ buckets }) => names.append(...buckets.map(({ name }) => h("option", { value: name }))))
    .catch(() => {});
  if (givenBucket && givenKey) {
    explain();
  }
  return () => stop.abort();
}

function explanation(found) {
  const [word, kind] = RESULTS[found.next] ?? [found.next, ""];
  const next = h(
    "section",
    { class: "card answer", "aria-label": "The next GET" },
    h("p", { class: "verdict" }, h("span", { class: `state ${kind}` }, word), h("span", {}, found.sentence)),
    h("dl", {}, facts(found).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
  );
  return [next, recent(found.recent)];
}

// Hits are not recorded, because that would slow every one of them.
function recent(requests) {
  const columns = [{ title: "Time" }, { title: "Operation" }, { title: "Cache" }, { title: "Status", number: true }, { title: "Outcome" }, { title: "Bytes", number: true }, { title: "Duration", number: true }, { title: "Request id" }];
  const rows = requests.map((one) => [moment(one.at), one.operation, one.cache ?? "–", one.status === 0 ? "none" : String(one.status), one.outcome, bytes(one.bytes), millis(one.micros / 1000), h("code", {}, one.requestId)]);
  const shown = table("Last requests", columns, rows);
  shown.classList.add("stacked");
  return h(
    "section",
    { class: "card answer", "aria-label": "Last requests" },
    h("h2", {}, "What happened last"),
    rows.length > 0 ? shown : h("p", { class: "hint" }, "No recent request for this object went to its backend or failed. Hits are not recorded."),
  );
}

function facts({ backend, freshness: rules, known, archive, transform, home, missingSeconds }) {
  const rule = [
    ["Backend", backend],
    ["Freshness", freshness(rules)],
    ...(archive ? archiveFacts(archive) : []),
    ...(transform ? transformFacts(transform) : []),
    ...(home ? [["Home", homeText(home)]] : []),
  ];
  if (missingSeconds !== undefined) {
    return [...rule, ["Missing key cached for another", duration(missingSeconds)]];
  }
  if (!known) {
    return [...rule, ["Metadata", "none"]];
  }
  return [
    ...rule,
    ["Size", bytes(known.size)],
    ["Version", known.eTag ? h("code", {}, known.eTag) : "no ETag"],
    [transform ? "Made at" : "Metadata fetched at", moment(known.fetchedAt)],
    ["Fresh", known.freshSeconds === undefined ? "forever" : known.freshSeconds >= 0 ? `for ${duration(known.freshSeconds)}` : `stale for ${duration(-known.freshSeconds)}`],
    ["Must be revalidated", known.mustRevalidate ? "yes" : "no"],
    ...(known.blocks === undefined ? [] : [["Cached", `${count(known.cachedBlocks)} of ${count(known.blocks)} blocks, ${bytes(known.cachedBytes)}`]]),
  ];
}

const homeText = ({ member, blocks, cachedBlocks }) => (blocks === undefined ? `member ${member}` : `member ${member}, ${count(cachedBlocks)} of ${count(blocks)} blocks`);

// What makes the object, and of what.
function transformFacts({ name, version, args, bucket, key, eTag }) {
  return [
    ["Transform", `${name}, version ${version}${args ? `, ${args}` : ""}`],
    ["Made of", h("code", {}, `s3://${bucket}/${key}`)],
    ...(eTag ? [["Its version", h("code", {}, eTag)]] : []),
  ];
}

// The archive that the object is in, or is itself.
function archiveFacts({ bucket, key, indexed, members, hidden, damage, offset, encoding }) {
  const reasons = Object.entries(hidden ?? {}).map(([reason, entries]) => `${count(entries)} ${reason}`);
  return [
    ["Archive", h("code", {}, `s3://${bucket}/${key}`)],
    ["Index", indexed ? "in memory" : "not in memory"],
    ...(indexed ? [["Members", count(members)], ["Hidden entries", reasons.join(", ") || "none"]] : []),
    ...(damage ? [["Damaged", damage]] : []),
    ...(offset === undefined ? [] : [["Place", `from byte ${count(offset)} on, ${encoding}`]]),
  ];
}
