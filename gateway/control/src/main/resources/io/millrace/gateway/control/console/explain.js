// Explains what the next GET of an object would do.
import { field, h, note, setWrong } from "./dom.js";
import { bytes, count, duration, moment } from "./format.js";
import { freshness, linkTo } from "./cached.js";

const WORDS = {
  hit: ["hit", "good"],
  stale: ["stale hit", "warn"],
  partial: ["partial hit", "warn"],
  revalidate: ["revalidates", "warn"],
  miss: ["miss", "warn"],
  missing: ["no such key", ""],
  bypass: ["bypass", ""],
};

export function explainPage(root, session, [givenBucket = "", givenKey = ""]) {
  const stop = new AbortController();
  const bucket = h("input", { value: givenBucket, required: true, list: "buckets", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const key = h("input", { value: givenKey, required: true, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const names = h("datalist", { id: "buckets" });
  const answer = h("div", { "aria-live": "polite" });
  const fields = { bucket, key };

  async function ask() {
    Object.values(fields).forEach((input) => setWrong(input, ""));
    try {
      answer.replaceChildren(explanation(await session.api.get("/explain", { bucket: bucket.value.trim(), key: key.value }, stop.signal)));
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
    ask();
  };

  root.append(
    h("div", { class: "head" }, h("h1", {}, "Why did this object miss?")),
    h("p", { class: "lead" }, "Shows what the next GET of an object would do and why, without a request to a backend. For past GETs, see the Cache-Status header of their responses."),
    h("form", { class: "asking card", onsubmit: submit }, field("Bucket", bucket), field("Key", key), h("button", { type: "submit" }, "Explain")),
    names,
    answer,
  );
  session.api
    .get("/buckets", {}, stop.signal)
    .then(({ buckets }) => names.append(...buckets.map(({ name }) => h("option", { value: name }))))
    .catch(() => {});
  if (givenBucket && givenKey) {
    ask();
  }
  return () => stop.abort();
}

function explanation(told) {
  const [word, kind] = WORDS[told.next] ?? [told.next, ""];
  return h(
    "section",
    { class: "card answer", "aria-label": "The next GET" },
    h("p", { class: "verdict" }, h("span", { class: `state ${kind}` }, word), h("span", {}, told.sentence)),
    h("dl", {}, facts(told).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
  );
}

function facts({ backend, freshness: rules, known, missingSeconds }) {
  const rule = [
    ["Backend", backend],
    ["Freshness", freshness(rules)],
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
    ["Metadata fetched at", moment(known.fetchedAt)],
    ["Fresh", known.freshSeconds === undefined ? "forever" : known.freshSeconds >= 0 ? `for ${duration(known.freshSeconds)}` : `stale for ${duration(-known.freshSeconds)}`],
    ["Must be revalidated", known.mustRevalidate ? "yes" : "no"],
    ["Cached", `${count(known.cachedBlocks)} of ${count(known.blocks)} blocks, ${bytes(known.cachedBytes)}`],
  ];
}
