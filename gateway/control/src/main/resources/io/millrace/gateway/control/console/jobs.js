// Jobs, live: one stream tells of all of them.
import { announce, h, note, setText } from "./dom.js";
import { follow } from "./events.js";
import { plural } from "./format.js";
import { jobItem } from "./job.js";
import { newJob } from "./jobform.js";
import { isActive } from "./jobwords.js";

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
      h("button", { type: "button", onclick: () => newJob(session, put) }, "New job"),
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
      const item = jobItem(session, job, put, remove);
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

  let first = true;

  follow(
    session.api,
    "/jobs/events",
    stop.signal,
    (name, { jobs, gone }, isAll) => {
      if (isAll) {
        const there = new Set(jobs.map(({ id }) => id));
        [...items.keys()].filter((id) => !there.has(id) && id > (jobs.at(-1)?.id ?? "")).forEach(remove);
      }
      jobs.toReversed().forEach(put);
      gone.filter((id) => !isOlder(id)).forEach(remove);
      sum();
      if (first && jobs.length > 0) {
        last = jobs.at(-1).id;
        older.hidden = jobs.length < 50;
      }
      first = false;
    },
    say,
  );

  // The stream tells of the youngest only: one that young ones have pushed out is still there.
  const isOlder = (id) => items.size > 50 && items.has(id) && [...items.keys()].sort().indexOf(id) < items.size - 50;

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
