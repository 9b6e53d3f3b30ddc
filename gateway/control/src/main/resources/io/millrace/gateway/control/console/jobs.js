// Jobs, live: the youngest are asked for once a second.
import { announce, h, note, setText } from "./dom.js";
import { plural } from "./format.js";
import { jobItem } from "./job.js";
import { newJob } from "./jobform.js";
import { isActive } from "./jobwords.js";
import { repeat } from "./repeat.js";

const PAUSE = 1000;
const LONGEST_PAUSE = 15000;

export function jobsPage(root, session) {
  const stop = new AbortController();
  const items = new Map();
  const list = h("ul", { class: "jobs" });
  const empty = h("p", { class: "empty", hidden: true }, "No jobs yet. For example, a prefetch fetches objects into the cache before clients read them.");
  const trouble = note("", "bad");
  const summary = h("p", { class: "lead" }, "Loading jobs …");
  const older = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => showOlder() }, "Show older jobs");
  trouble.hidden = true;

  root.append(
    h(
      "div",
      { class: "head" },
      h("h1", {}, "Jobs"),
      h("button", { type: "button", onclick: () => newJob(session, change) }, "New job"),
    ),
    summary,
    trouble,
    list,
    empty,
    older,
  );

  function put(job) {
    const known = items.get(job.id);
    if (known) {
      tell(known.job(), job);
      known.update(job);
    } else {
      const item = jobItem(session, job, change, forget);
      items.set(job.id, item);
      const next = [...items.keys()].filter((id) => id < job.id).sort().at(-1);
      list.insertBefore(item.element, items.get(next)?.element ?? null);
    }
    sum();
  }

  function remove(id) {
    items.get(id)?.element.remove();
    items.delete(id);
    sum();
  }

  function sum() {
    const jobs = [...items.values()].map((item) => item.job());
    const active = jobs.filter(isActive).length;
    const paused = jobs.filter((job) => job.state === "paused").length;
    empty.hidden = jobs.length > 0;
    setText(summary, jobs.length === 0 ? "" : `${active} active${paused > 0 ? `, ${paused} paused` : ""}, ${plural(jobs.length, "job")} shown.`);
  }

  let last = "";

  async function showOlder() {
    older.disabled = true;
    try {
      const page = await session.api.get("/jobs", { before: last, limit: 50 });
      page.jobs.forEach(put);
      last = page.next;
      older.hidden = last === undefined;
    } catch (problem) {
      say(problem);
    }
    older.disabled = false;
  }

  function say(problem) {
    trouble.hidden = problem === null;
    setText(trouble, problem === null ? "" : `${problem.message} Retrying.`);
  }

  // A response that was on its way while the user changed something may not know of it.
  let changes = 0;

  function change(job) {
    changes++;
    put(job);
  }

  function forget(id) {
    changes++;
    remove(id);
  }

  let pause = PAUSE;
  let first = true;

  async function refresh() {
    const before = changes;
    try {
      const page = await session.api.get("/jobs", { limit: 50 }, stop.signal);
      pause = PAUSE;
      say(null);
      if (changes === before) {
        show(page);
      }
    } catch (problem) {
      pause = Math.min(pause * 2, LONGEST_PAUSE);
      if (!stop.signal.aborted) {
        say(problem);
      }
    }
  }

  // The page has the youngest only: older jobs that are shown stay as they were.
  function show({ jobs, next }) {
    const there = new Set(jobs.map(({ id }) => id));
    const oldest = next === undefined ? "" : jobs.at(-1).id;
    [...items.keys()].filter((id) => id > oldest && !there.has(id)).forEach(remove);
    jobs.toReversed().forEach(put);
    sum();
    if (first) {
      last = next;
      older.hidden = next === undefined;
      first = false;
    }
  }

  repeat(refresh, () => pause, stop.signal);

  return () => stop.abort();
}

// What somebody who listens wants to know: the ends, and every quarter.
function tell(before, now) {
  const name = `${now.kind} job ${now.id}`;
  if (before.state !== now.state) {
    announce(`${name} is ${now.state.replaceAll("-", " ")}.`);
    return;
  }
  const quarter = (job) => Math.floor((job.percent ?? 0) / 25);
  if (quarter(now) > quarter(before)) {
    announce(`${name} is ${quarter(now) * 25} percent done.`);
  }
}
