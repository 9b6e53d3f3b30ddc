// The form for a new job. A field is a line in FIELDS: its name in the API, the kinds it is for, and its control.
import { announce, field, h, setWrong } from "./dom.js";

const KINDS = [
  ["prefetch", "Prefetch: fetch objects into the cache"],
  ["copy", "Copy: from one bucket to another"],
  ["pack", "Pack: make shards, tars of many samples"],
  ["evict", "Evict: remove objects from the cache"],
  ["verify", "Verify: compare cached bytes with their source"],
];

const SELECTIONS = [
  ["prefix", "Everything below a prefix"],
  ["template", "Keys by a numeric range"],
  ["keys", "Keys"],
  ["manifest", "Keys listed in an object"],
];

// The server reads larger ones from their text.
const number = (text) => (/^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text);
const lines = (text) => text.split("\n").map((line) => line.trim()).filter((line) => line !== "");

const FIELDS = [
  { path: "kind", label: "What to do", options: KINDS },
  { path: "from.bucket", label: "Bucket", buckets: true },
  { path: "select", label: "Which objects", options: SELECTIONS },
  { path: "from.prefix", label: "Prefix", select: "prefix", hint: "Empty for the whole bucket." },
  { path: "from.template", label: "Names", select: "template", hint: "train/shard-{000000..004095}.tar" },
  { path: "from.keys", label: "Keys", select: "keys", area: true, hint: "One per line, up to 10,000.", read: lines },
  { path: "from.manifest", label: "Object with the list", select: "manifest", hint: "Its key, or s3://bucket/key: keys, one per line, or an S3 Inventory." },
  { path: "to.bucket", label: "To bucket", kinds: ["copy", "pack"], buckets: true },
  { path: "to.prefix", label: "To prefix", kinds: ["copy", "pack"], hint: "Replaces the prefix above; of a pack, it is before the names of the shards." },
  { path: "shards.name", label: "Names of the shards", kinds: ["pack"], value: "shard-%06d.tar", hint: "With a counter, which begins with 0." },
  { path: "shards.size", label: "Bytes of a shard", kinds: ["pack"], hint: "At most: 512MiB. Default 1GiB." },
  { path: "shards.samples", label: "Samples of a shard", kinds: ["pack"], more: true, hint: "At most; default no limit.", read: number },
  { path: "shards.shuffle", label: "Shuffle by seed", kinds: ["pack"], hint: "A number: the same one makes the same shards again. Empty: in order.", read: number },
  { path: "shards.window", label: "Samples to mix at a time", kinds: ["pack"], more: true, hint: "16 to 100000; empty for all. For a shuffle of what is larger than the cache.", read: number },
  { path: "shards.append", label: "Number the shards after those that the target has", kinds: ["pack"], check: true },
  { path: "overwrite", label: "Objects to copy", kinds: ["copy"], options: [["if-changed", "New and changed"], ["if-absent", "New only"], ["always", "All"]] },
  { path: "deleteExtra", label: "Delete in the target what is not in the source", kinds: ["copy"], check: true },
  { path: "maxDelete", label: "Delete at most", kinds: ["copy"], more: true, hint: "Objects; default half of those there, or 10. If it would be more, the job does nothing.", read: number },
  { path: "pin", label: "Pin for", kinds: ["prefetch"], hint: "7d for days: not evicted for this time. Empty: not pinned." },
  { path: "range", label: "Part of each object", kinds: ["prefetch"], more: true, hint: "bytes=0-1048575, or bytes=-65536 for the end; empty for all of it." },
  { path: "from.glob", label: "Only keys like", more: true, hint: "**.tar: * within a folder, ** across, after the prefix." },
  { path: "from.minSize", label: "At least", more: true, hint: "1MiB" },
  { path: "from.maxSize", label: "At most", more: true, hint: "1GiB" },
  { path: "from.newerThan", label: "Newer than", more: true, hint: "7d for days, or 2026-01-31T00:00:00Z." },
  { path: "from.olderThan", label: "Older than", more: true },
  { path: "workers", label: "Objects at a time", more: true, hint: "1 to 256; default 16.", read: number },
  { path: "bandwidth", label: "Bytes per second", more: true, hint: "200MiB; empty for no limit." },
  { path: "requestsPerSecond", label: "Requests per second", more: true, read: number },
  { path: "attempts", label: "Attempts for each object", more: true, hint: "1 to 20; default 8, about half a minute.", read: number },
  { path: "dryRun", label: "Only count what would be done", check: true },
];

const select = (options) => h("select", {}, options.map(([value, text]) => h("option", { value }, text)));

function control(spec, buckets) {
  if (spec.options) {
    return select(spec.options);
  }
  if (spec.buckets) {
    return select(buckets.map(({ name }) => [name, name]));
  }
  if (spec.check) {
    return h("input", { type: "checkbox" });
  }
  return h(spec.area ? "textarea" : "input", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", rows: spec.area ? 4 : undefined, value: spec.value });
}

// Opens the form; calls done(job) after the job was submitted.
export async function newJob(session, done) {
  let buckets = [];
  let missing = "";
  try {
    buckets = (await session.api.get("/buckets")).buckets;
    missing = buckets.length === 0 ? "You have no right on any bucket of this server, so you cannot start a job." : "";
  } catch (problem) {
    missing = problem.message;
  }
  const parts = FIELDS.map((spec) => {
    const input = control(spec, buckets);
    input.name = spec.path;
    const row = field(spec.label, input, spec.hint);
    row.classList.toggle("check", spec.check === true);
    return { spec, input, row };
  });
  const chosen = (path) => parts.find(({ spec }) => spec.path === path).input.value;
  const trouble = h("p", { class: "note bad", role: "alert", hidden: missing === "" }, missing);
  const more = h("details", {}, h("summary", {}, "Filters and limits"), h("div", { class: "fields" }, parts.filter(({ spec }) => spec.more).map(({ row }) => row)));
  const submit = h("button", { type: "submit", disabled: buckets.length === 0 }, "Start");
  const plain = parts.filter(({ spec }) => !spec.more).map(({ row }) => row);
  const dialog = h(
    "dialog",
    { class: "form", "aria-labelledby": "new-job" },
    h("h2", { id: "new-job" }, "New job"),
    h(
      "form",
      { onsubmit: send, onchange: fit },
      h("div", { class: "fields" }, plain.slice(0, -1)),
      more,
      plain.at(-1),
      trouble,
      h("div", { class: "actions" }, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close"), submit),
    ),
  );

  const fits = ({ spec }) => (!spec.kinds || spec.kinds.includes(chosen("kind"))) && (!spec.select || spec.select === chosen("select"));

  function fit() {
    parts.forEach((part) => (part.row.hidden = !fits(part)));
  }

  function request() {
    const job = {};
    for (const { spec, input } of parts.filter(fits)) {
      const value = spec.check ? input.checked : input.value.trim();
      if (spec.path !== "select" && value !== "" && value !== false) {
        put(job, spec.path.split("."), spec.read ? spec.read(value) : value);
      }
    }
    return job;
  }

  function showProblem(problem) {
    const part = parts.find(({ spec }) => spec.path === problem.field);
    parts.forEach(({ input }) => setWrong(input, ""));
    if (part && !part.row.hidden) {
      more.open = more.open || part.spec.more === true;
      setWrong(part.input, problem.message);
      part.input.focus();
    }
    trouble.textContent = part ? `${part.spec.label}: ${problem.message}` : problem.message;
    trouble.hidden = false;
  }

  async function send(event) {
    event.preventDefault();
    submit.disabled = true;
    try {
      const job = await session.api.post("/jobs", request());
      done(job);
      dialog.close();
      announce(`Submitted the ${job.kind} job ${job.id}.`);
    } catch (problem) {
      showProblem(problem);
    }
    submit.disabled = false;
  }

  fit();
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function put(object, [first, ...rest], value) {
  if (rest.length === 0) {
    object[first] = value;
  } else {
    object[first] ??= {};
    put(object[first], rest, value);
  }
}
