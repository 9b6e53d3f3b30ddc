// One job of the list: its subject, progress and actions.
import { confirmed, h, note, setText, table } from "./dom.js";
import { bytes, count, duration, millis, moment, percent, perSecond, plural, rate } from "./format.js";
import { ended, isActive, what } from "./jobwords.js";

const ACTIONS = [
  { name: "pause", title: "Pause", when: ["submitted", "planning", "running"] },
  { name: "resume", title: "Resume", when: ["paused", "failed"], objects: true },
  { name: "cancel", title: "Cancel", when: ["submitted", "planning", "running", "pausing", "paused", "failed"], ask: "Cancel this job? What it has done is kept, but it cannot be resumed." },
  { name: "retry", title: "Retry failures", when: ["done-with-failures", "cancelled"], failures: true },
  { name: "delete", title: "Delete", when: ["done", "done-with-failures", "cancelled", "failed"], ask: "Delete this job and its list of failures?" },
];

const OVER = ["done", "done-with-failures", "cancelled"];

const NAMES = { prefetch: "Prefetch", copy: "Copy", download: "Download", evict: "Evict", verify: "Verify" };

/** Its selection matched nothing, so it cannot be resumed; it can be submitted again with another selection. */
const selectsNothing = (job) => job.state === "failed" && job.progress.counted && job.progress.found === 0;

const passedBytes = (progress) => progress.doneBytes + progress.skippedBytes + progress.failedBytes + progress.underWayBytes;

export function jobItem(session, first, put, remove) {
  let job = first;
  const state = h("span", { class: "state" });
  const fill = h("div", { class: "fill" });
  const bar = h("div", { class: "progress", role: "progressbar", "aria-label": `Progress of ${title(job)}`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  const figures = h("p", { class: "figures" });
  const message = note("", "bad");
  const trouble = h("p", { class: "note bad", role: "alert", hidden: true });
  const buttons = ACTIONS.map((action) => ({
    action,
    button: h("button", { type: "button", class: "quiet", "aria-label": `${action.title}: ${title(job)}`, onclick: () => act(action) }, action.title),
  }));
  const details = h("details", { ontoggle: () => details.open && showDetails() }, h("summary", {}, "Details"), h("div", {}));
  const element = h(
    "li",
    { class: "job card", "data-job": job.id },
    h("div", { class: "job-head" }, h("h2", {}, h("span", { class: "kind" }, NAMES[job.kind] ?? job.kind), " ", h("code", {}, what(job))), state),
    bar,
    h("div", { class: "job-foot" }, figures, h("div", { class: "actions" }, buttons.map(({ button }) => button))),
    message,
    trouble,
    details,
  );

  async function act(action) {
    if (action.ask && !(await confirmed(action.ask, action.title))) {
      return;
    }
    trouble.hidden = true;
    try {
      if (action.name === "delete") {
        await session.api.delete(`/jobs/${job.id}`);
        remove(job.id);
      } else {
        put(await session.api.post(`/jobs/${job.id}/${action.name}`));
      }
    } catch (problem) {
      trouble.textContent = problem.message;
      trouble.hidden = false;
    }
  }

  function update(now) {
    job = now;
    state.className = `state ${job.state}`;
    setText(state, job.state.replaceAll("-", " "));
    const share = shareOf(job);
    bar.hidden = OVER.includes(job.state);
    bar.classList.toggle("unknown", share === null);
    fill.style.width = share === null ? "" : `${share * 100}%`;
    if (share === null) {
      bar.removeAttribute("aria-valuenow");
    } else {
      bar.setAttribute("aria-valuenow", Math.floor(share * 100));
    }
    setText(figures, tellFigures(job, share));
    bar.setAttribute("aria-valuetext", figures.textContent);
    message.hidden = job.message === "";
    setText(message, job.message);
    for (const { action, button } of buttons) {
      const fits = action.when.includes(job.state) && (!action.failures || job.progress.failed > 0) && (!action.objects || !selectsNothing(job));
      if (!fits && document.activeElement === button) {
        details.firstChild.focus();
      }
      button.hidden = !fits;
    }
  }

  async function showDetails() {
    const facts = h("dl", {}, tellFacts(job).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    const failures = h("div", {});
    details.lastChild.replaceChildren(facts, failures);
    if (job.progress.failed > 0) {
      await showFailures(session, job.id, failures, 0);
    }
  }

  update(job);
  return { element, update, job: () => job };
}

async function showFailures(session, id, into, after) {
  try {
    const page = await session.api.get(`/jobs/${id}/failures`, { after, limit: 100 });
    const rows = page.failures.map(({ key, reason }) => [h("code", {}, key), reason]);
    into.append(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Failures" }, table("What failed", [{ title: "Failed" }, { title: "Reason" }], rows)));
    if (page.next !== undefined) {
      const more = h("button", { type: "button", class: "quiet", onclick: () => more.remove() || showFailures(session, id, into, page.next) }, "Show more failures");
      into.append(more);
    }
  } catch (problem) {
    into.append(note(problem.message, "bad"));
  }
}

const worked = ({ activeMillis }) => (activeMillis < 1000 ? millis(activeMillis) : duration(activeMillis / 1000));

const title = (job) => `${job.kind} ${what(job)}`;

// Of 0 to 1; null while nobody knows how much there is.
const shareOf = (job) => (job.percent === undefined ? (isActive(job) ? null : 0) : job.percent / 100);

function tellFigures(job, share) {
  const { progress } = job;
  const parts = [];
  const active = isActive(job);
  if (share !== null && !["done", "done-with-failures"].includes(job.state)) {
    parts.push(percent(share));
  }
  const found = `${count(progress.found)}${progress.counted ? "" : "+"}`;
  parts.push(active || job.state === "paused" ? `${count(ended(progress))} of ${found} objects` : plural(progress.done, "object"));
  parts.push(progress.foundBytes > 0 && active ? `${bytes(passedBytes(progress))} of ${bytes(progress.foundBytes)}` : bytes(active ? passedBytes(progress) : progress.doneBytes));
  parts.push(...speed(job));
  if (progress.skipped > 0) {
    parts.push(`${count(progress.skipped)} skipped`);
  }
  if (progress.failed > 0) {
    parts.push(`${count(progress.failed)} failed`);
  }
  parts.push(...(job.started ? [`active ${worked(job)}, started ${moment(job.started)}`] : []), `by ${job.owner}`);
  return parts.join(" · ");
}

function speed({ bytesPerSecond, objectsPerSecond, secondsLeft }) {
  if (bytesPerSecond === undefined) {
    return [];
  }
  const told = bytesPerSecond > 0 || objectsPerSecond === 0 ? rate(bytesPerSecond) : `${perSecond(objectsPerSecond)} objects/s`;
  return secondsLeft === undefined ? [told] : [told, `${duration(secondsLeft)} left`];
}

function tellFacts(job) {
  const { progress } = job;
  const time = (value) => (value ? moment(value) : "not yet");
  const facts = [
    ["Id", h("code", {}, job.id)],
    ["Owner", job.owner],
    ["Submitted", time(job.submitted)],
    ["Started", time(job.started)],
    ["Ended", time(job.ended)],
    ["Active for", worked(job)],
    ["Transferred", bytes(progress.movedBytes)],
  ];
  return [...facts, ...flat(job.request).map(([name, value]) => [name, h("code", {}, String(value))])];
}

// What was asked for, as from.prefix and the like.
function flat(request, before = "") {
  return Object.entries(request).flatMap(([name, value]) => {
    const plain = typeof value !== "object" || Array.isArray(value);
    return plain ? [[before + name, Array.isArray(value) ? value.slice(0, 10).join("\n") + (value.length > 10 ? `\n… ${value.length} in all` : "") : value]] : flat(value, `${before + name}.`);
  });
}
