// The jobs as a table, live: the newest, and all that are unfinished, are requested once a second while any is active.
import { announce, h, note, setText } from "./dom.js";
import { plural } from "./format.js";
import { ACTIONS, allows, confirms, perform } from "./jobactions.js";
import { newJob } from "./jobform.js";
import { jobPage } from "./job.js";
import { COLUMNS, jobRow } from "./jobrow.js";
import { KINDS, isActive, isUnfinished, stateText, what } from "./jobwords.js";
import { repeat } from "./repeat.js";
import { submits } from "./rights.js";
import { keepParams } from "./route.js";
import { scheduleCards } from "./schedules.js";

const PAUSE = 1000;
const IDLE_PAUSE = 5000;
const LONGEST_PAUSE = 15000;
const NEWEST = 100;
const OLDER = 500;
const UNFINISHED = { state: "active,paused", limit: 1000 };

const STATES = ["active", "submitted", "planning", "running", "pausing", "paused", "done", "done-with-failures", "failed", "cancelling", "cancelled"];

export const jobsPage = (root, session, route) => (route.places[0] ? jobPage(root, session, route.places[0]) : jobTable(root, session, route.params));

function jobTable(root, session, params) {
  const start = h("button", { type: "button", onclick: () => newJob(session, change) }, "New job");
  session.loaded.then(() => (start.disabled = !submits(session)));
  const stop = new AbortController();
  const rows = new Map();
  const filter = { state: "", kind: "", owner: "", q: "", sort: "", ...params };
  const body = h("tbody", {});
  const empty = h("p", { class: "empty", hidden: true });
  const trouble = note("", "bad");
  const summary = h("p", { class: "lead", role: "status" }, "Loading jobs …");
  const older = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => showOlder() }, "Load older jobs");
  const all = h("input", { type: "checkbox", "aria-label": "Select all jobs shown", onchange: () => selectAll() });
  const buttons = ACTIONS.map((action) => ({ action, button: h("button", { type: "button", class: "quiet", disabled: true, onclick: () => act(action) }, action.title) }));
  const heads = COLUMNS.map((column, i) => {
    const button = h("button", { type: "button", class: "sort", onclick: () => sortBy(i) }, column.title);
    return { element: h("th", { scope: "col", class: column.number ? "number" : "" }, button), button };
  });
  const owners = choice("owner", "Owner", [["", "All owners"]]);
  trouble.hidden = true;

  root.append(
    h("div", { class: "head" }, h("h1", {}, "Jobs"), start),
    h(
      "div",
      { class: "filters", role: "search", "aria-label": "Jobs" },
      h("input", { type: "search", "aria-label": "Search", placeholder: "Bucket, prefix, owner or id", value: filter.q, spellcheck: "false", oninput: (event) => narrow("q", event.target.value) }),
      choice("state", "State", [["", "All states"], ...STATES.map((state) => [state, stateText({ state })])]),
      choice("kind", "Kind", [["", "All kinds"], ...Object.entries(KINDS)]),
      owners,
      h("div", { class: "actions", role: "group", "aria-label": "Selected jobs" }, buttons.map(({ button }) => button)),
    ),
    summary,
    trouble,
    h(
      "div",
      { class: "card wide" },
      h(
        "table",
        { class: "stacked job-table" },
        h("caption", { class: "unseen" }, "Jobs"),
        h("thead", {}, h("tr", {}, h("td", { class: "select" }, all), heads.map(({ element }) => element))),
        body,
      ),
    ),
    empty,
    older,
    scheduleCards(session, stop.signal),
  );

  function choice(name, title, options) {
    const select = h("select", { "aria-label": title, onchange: () => narrow(name, select.value) }, options.map(([value, text]) => h("option", { value }, text)));
    select.value = filter[name];
    return select;
  }

  function narrow(name, value) {
    filter[name] = value;
    keepParams(filter);
    arrange();
  }

  // A click sorts, a second one reverses, a third one restores the order of submission.
  function sortBy(i) {
    const [column, reversed] = sorting();
    narrow("sort", column !== i ? String(i) : reversed ? "" : `-${i}`);
  }

  const sorting = () => (/^-?[0-7]$/.test(filter.sort) ? [Math.abs(Number(filter.sort)), filter.sort.startsWith("-")] : [-1, false]);

  function matches(job) {
    const text = `${job.id} ${job.kind} ${job.owner} ${what(job)} ${job.message}`.toLowerCase();
    return (
      (filter.state === "" || (filter.state === "active" ? isActive(job) : job.state === filter.state)) &&
      (filter.kind === "" || job.kind === filter.kind) &&
      (filter.owner === "" || job.owner === filter.owner) &&
      text.includes(filter.q.trim().toLowerCase())
    );
  }

  function inOrder(shown) {
    const [column, reversed] = sorting();
    const newest = shown.sort((one, other) => (one.job().id < other.job().id ? 1 : -1));
    if (column < 0) {
      return newest;
    }
    const { value } = COLUMNS[column];
    const compare = (one, other) => (value(one.job()) < value(other.job()) ? -1 : value(one.job()) > value(other.job()) ? 1 : 0);
    return newest.sort((one, other) => (reversed ? compare(other, one) : compare(one, other)));
  }

  // Moves only rows that are out of place, so that focus and selection stay.
  function arrange() {
    const shown = inOrder([...rows.values()].filter((row) => matches(row.job())));
    const elements = new Set(shown.map(({ element }) => element));
    [...body.children].filter((element) => !elements.has(element)).forEach((element) => element.remove());
    shown.forEach(({ element }, i) => body.children[i] === element || body.insertBefore(element, body.children[i] ?? null));
    const [column, reversed] = sorting();
    heads.forEach(({ element }, i) => (i === column ? element.setAttribute("aria-sort", reversed ? "descending" : "ascending") : element.removeAttribute("aria-sort")));
    showOwners();
    showSummary(shown.length);
    showSelection();
  }

  function showOwners() {
    const names = [...new Set([...rows.values()].map((row) => row.job().owner).concat(filter.owner || []))].sort();
    if (names.length + 1 !== owners.options.length) {
      owners.replaceChildren(...["", ...names].map((name) => h("option", { value: name }, name || "All owners")));
      owners.value = filter.owner;
    }
  }

  function showSummary(shown) {
    const jobs = [...rows.values()].map((row) => row.job());
    const active = jobs.filter(isActive).length;
    const paused = jobs.filter((job) => job.state === "paused").length;
    empty.hidden = shown > 0;
    setText(empty, jobs.length === 0 ? "No jobs yet. For example, a prefetch fetches objects into the cache before clients read them." : `No job matches the filters.${searched(jobs)}`);
    body.closest(".card").hidden = shown === 0;
    setText(summary, jobs.length === 0 ? "" : `${active} active${paused > 0 ? `, ${paused} paused` : ""}, ${shown === jobs.length ? plural(shown, "job") : `${shown} of ${plural(jobs.length, "job")}`} shown.`);
  }

  // The oldest job up to which all are in the table; undefined if all are.
  let last;

  // What the filters were applied to, if that is not everything.
  const searched = (jobs) => (last === undefined ? "" : ` Only the newest ${jobs.filter(({ id }) => id >= last).length} and the unfinished ones were searched.`);

  const shownRows = () => [...rows.values()].filter((row) => row.element.isConnected);
  const selected = () => shownRows().filter((row) => row.box.checked);

  function selectAll() {
    shownRows().forEach((row) => (row.box.checked = all.checked));
    showSelection();
  }

  function showSelection() {
    const chosen = selected();
    all.checked = chosen.length > 0 && chosen.length === shownRows().length;
    all.indeterminate = chosen.length > 0 && !all.checked;
    for (const { action, button } of buttons) {
      const fit = chosen.filter((row) => allows(session, action, row.job())).length;
      button.disabled = fit === 0;
      setText(button, fit > 0 ? `${action.title} (${fit})` : action.title);
    }
  }

  async function act(action) {
    const jobs = selected().map((row) => row.job()).filter((job) => allows(session, action, job));
    if (!(await confirms(action, jobs))) {
      return;
    }
    const failures = [];
    for (const job of jobs) {
      try {
        const after = await perform(session, action, job);
        if (after) {
          change(after);
        } else {
          changes++;
          rows.get(job.id)?.element.remove();
          rows.delete(job.id);
        }
      } catch (problem) {
        failures.push(`${what(job)}: ${problem.message}`);
      }
    }
    arrange();
    announce(`${action.title}: ${plural(jobs.length - failures.length, "job")}.`);
    say(failures.join(" "));
  }

  function put(job) {
    const known = rows.get(job.id);
    if (known) {
      announceProgress(known.job(), job);
      known.update(job);
    } else {
      rows.set(job.id, jobRow(job, showSelection));
    }
  }

  async function showOlder() {
    older.disabled = true;
    try {
      const page = await session.api.get("/jobs", { before: last, limit: OLDER }, stop.signal);
      page.jobs.forEach(put);
      last = page.next;
      older.hidden = last === undefined;
      arrange();
    } catch (problem) {
      say(problem.message);
    }
    older.disabled = false;
  }

  function say(text) {
    trouble.hidden = text === "";
    setText(trouble, text);
  }

  // A response that was on its way while the user changed something may not include the change.
  let changes = 0;
  let again = () => {};

  function change(job) {
    changes++;
    put(job);
    arrange();
    again();
  }

  let pause = PAUSE;
  let first = true;
  let failing = false;

  async function refresh() {
    const before = changes;
    try {
      const page = await session.api.get("/jobs", { limit: NEWEST }, stop.signal);
      if (failing) {
        say("");
        failing = false;
      }
      const beyond = page.next === undefined ? [] : await olderUnfinished(page.next);
      pause = [...page.jobs, ...beyond].some(isActive) ? PAUSE : IDLE_PAUSE;
      if (changes === before) {
        show(page, beyond);
      }
    } catch (problem) {
      pause = Math.min(pause * 2, LONGEST_PAUSE);
      if (!stop.signal.aborted) {
        say(`${problem.message} Retrying.`);
        failing = true;
      }
    }
  }

  // The unfinished jobs before the newest page, with those that have ended since the table has them.
  async function olderUnfinished(before) {
    const { jobs } = await session.api.get("/jobs", { ...UNFINISHED, before }, stop.signal);
    const present = new Set(jobs.map(({ id }) => id));
    const left = [...rows.values()].map((row) => row.job()).filter((job) => job.id < before && isUnfinished(job) && !present.has(job.id));
    return [...jobs, ...(await Promise.all(left.map(ended))).filter(Boolean)];
  }

  async function ended({ id }) {
    try {
      return await session.api.get(`/jobs/${encodeURIComponent(id)}`, { brief: true }, stop.signal);
    } catch (problem) {
      if (problem.status !== 404) {
        throw problem;
      }
      rows.delete(id);
      return undefined;
    }
  }

  // A page has only the newest jobs; older rows stay as they are.
  function show({ jobs, next }, beyond) {
    const present = new Set(jobs.map(({ id }) => id));
    const oldest = next === undefined ? "" : jobs.at(-1).id;
    [...rows.keys()].filter((id) => id > oldest && !present.has(id)).forEach((id) => rows.delete(id));
    [...jobs, ...beyond].forEach(put);
    if (first) {
      last = next;
      older.hidden = next === undefined;
      first = false;
    }
    arrange();
  }

  again = repeat(refresh, () => pause, stop.signal);
  return () => stop.abort();
}

// Announces ends, and every quarter of the progress.
export function announceProgress(before, now) {
  const name = `${now.kind} job ${now.id}`;
  if (before.state !== now.state) {
    announce(`${name} is ${stateText(now)}.`);
    return;
  }
  const quarter = (job) => Math.floor((job.percent ?? 0) / 25);
  if (quarter(now) > quarter(before)) {
    announce(`${name} is ${quarter(now) * 25} percent done.`);
  }
}
