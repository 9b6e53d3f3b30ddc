// The page of one job: progress, actions, timeline, request, failures, and the command that submits it again.
import { announce, h, note, setText, table } from "./dom.js";
import { bytes, duration, moment } from "./format.js";
import { ACTIONS, allows, confirms, perform } from "./jobactions.js";
import { commandOf } from "./jobcommand.js";
import { activeText, progressText, showShare, speedText } from "./jobrow.js";
import { KINDS, isActive, isCutShort, shareOf, stateText, transferred, what } from "./jobwords.js";
import { repeat } from "./repeat.js";
import { linkTo } from "./route.js";

const PAUSE = 1000;
const IDLE_PAUSE = 10000;

export function jobPage(root, session, id) {
  const stop = new AbortController();
  const trouble = h("p", { class: "note bad", role: "alert", hidden: true });
  const content = h("div", { class: "job", "data-job": id }, h("p", { class: "lead" }, "Loading the job …"));
  let view = null;
  let pause = PAUSE;
  root.append(h("nav", { class: "crumbs", "aria-label": "Jobs" }, h("a", { href: "#/jobs" }, "All jobs")), content, trouble);

  function say(text) {
    trouble.hidden = text === "";
    setText(trouble, text);
  }

  function show(job) {
    view ??= jobView(session, job, act);
    if (!view.element.isConnected) {
      content.replaceChildren(view.element);
    }
    view.update(job);
    pause = isActive(job) ? PAUSE : IDLE_PAUSE;
  }

  async function act(action, job) {
    if (!(await confirms(action, [job]))) {
      return;
    }
    try {
      const after = await perform(session, action, job);
      say("");
      announce(`${action.title}: done.`);
      if (after?.id === id) {
        show(after);
        again();
      } else {
        location.hash = after ? linkTo("jobs", after.id) : "#/jobs";
      }
    } catch (problem) {
      say(problem.message);
    }
  }

  async function load() {
    try {
      show(await session.api.get(`/jobs/${encodeURIComponent(id)}`, { brief: true }, stop.signal));
    } catch (problem) {
      if (!stop.signal.aborted) {
        say(problem.message);
        pause = IDLE_PAUSE;
      }
    }
  }

  const again = repeat(load, () => pause, stop.signal);
  return () => stop.abort();
}

function jobView(session, first, act) {
  let job = first;
  let failed = 0;
  let firstFailure;
  const state = h("span", { class: "state" });
  const fill = h("div", { class: "fill" });
  const bar = h("div", { class: "progress", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  const figures = h("p", { class: "figures" });
  const message = note("", "bad");
  const facts = h("dl", {});
  const timeline = h("ol", { class: "timeline" });
  const failures = h("div", {});
  const command = h("div", {});
  showCommand(session, first, command);
  const buttons = ACTIONS.map((action) => ({ action, button: h("button", { type: "button", class: "quiet", onclick: () => act(action, job) }, action.title) }));
  const element = h(
    "div",
    {},
    h("div", { class: "head" }, h("div", { class: "title" }, h("h1", {}, `${KINDS[job.kind] ?? job.kind} `, h("code", {}, what(job))), state), h("div", { class: "actions" }, buttons.map(({ button }) => button))),
    h("section", { class: "card", "aria-label": "Progress" }, bar, figures, message, timeline, facts),
    failures,
    command,
  );

  function update(now) {
    job = now;
    state.className = `state ${job.state}`;
    setText(state, stateText(job));
    const share = shareOf(job);
    bar.hidden = !isActive(job) && job.state !== "paused";
    showShare(bar, fill, share);
    const { progress } = job;
    const size = (isActive(job) || isCutShort(job)) && progress.foundBytes > 0 ? `${bytes(transferred(progress))} of ${bytes(progress.foundBytes)}` : bytes(progress.doneBytes);
    setText(figures, [progressText(job, share), size, speedText(job)].filter(Boolean).join(" · "));
    message.hidden = job.message === "";
    // What a pack that has done all tells is no problem.
    message.classList.toggle("bad", !(job.kind === "pack" && job.state === "done"));
    setText(message, job.message);
    buttons.forEach(({ action, button }) => (button.hidden = !allows(session, action, job)));
    showTimeline();
    facts.replaceChildren(...factsOf(job).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    if (progress.failed !== failed) {
      failed = progress.failed;
      failures.replaceChildren(h("h2", { class: "next" }, "Failures"));
      showFailures(session, job.id, failures, 0, (since) => {
        firstFailure = since;
        showTimeline();
      });
    }
  }

  function showTimeline() {
    timeline.replaceChildren(...timelineOf(job, firstFailure).map(({ title, at, after }) => h("li", { class: at ? "" : "now" }, h("strong", {}, title), h("span", {}, at ? moment(at) : ""), h("span", { class: "hint" }, after))));
  }

  return { element, update };
}

async function showFailures(session, id, into, after, tell = () => {}) {
  try {
    const page = await session.api.get(`/jobs/${id}/failures`, { after, limit: 100 });
    const rows = page.failures.map(({ key, reason, since }) => [h("code", {}, key), reason, since ? moment(since) : "–"]);
    tell(page.failures.map(({ since }) => since).filter(Boolean).sort()[0]);
    into.append(h("div", { class: "scroll card", tabindex: 0, role: "region", "aria-label": "Failures" }, table("Failures", [{ title: "Object" }, { title: "Reason" }, { title: "Since" }], rows)));
    if (page.next !== undefined) {
      const more = h("button", { type: "button", class: "quiet", onclick: () => more.remove() || showFailures(session, id, into, page.next) }, "Load more failures");
      into.append(more);
    }
  } catch (problem) {
    into.append(note(problem.message, "bad"));
  }
}

// The commands of jobs with long lists have them whole, which the page requests once.
async function showCommand(session, { id, request }, into) {
  const isLong = request.from?.keys || request.from?.urls;
  try {
    const whole = isLong ? (await session.api.get(`/jobs/${encodeURIComponent(id)}`)).request : request;
    const command = commandOf(id, whole);
    if (command === undefined) {
      into.replaceChildren(note("Names with control characters fit no command: submit this job again through the API.", ""));
      return;
    }
    const text = h("pre", { tabindex: 0, "aria-label": "Command" }, command);
    const copy = h("button", { type: "button", class: "quiet", onclick: () => copyText(text, copy) }, "Copy");
    into.replaceChildren(h("div", { class: "head next" }, h("h2", {}, "Submit it again"), h("div", { class: "actions" }, copy)), h("div", { class: "card command" }, text));
  } catch (problem) {
    into.replaceChildren(note(problem.message, "bad"));
  }
}

// Without a secure context there is no clipboard: then the text is selected.
async function copyText(element, button) {
  getSelection().selectAllChildren(element);
  try {
    await navigator.clipboard.writeText(element.textContent);
    setText(button, "Copied");
    announce("Copied.");
  } catch {
    setText(button, "Selected");
    announce("Selected. Copy it with the keyboard.");
  }
}

const span = (from, to) => duration((Date.parse(to) - Date.parse(from)) / 1000);

const EVENTS = {
  paused: "Paused",
  resumed: "Resumed",
  cancelled: "Cancelled",
  failed: "Failed",
  stopped: "Millrace stopped",
  restarted: "Went on",
  "restarted-after-kill": "Went on",
  "settings-changed": "Went on",
};

const NOTES = {
  restarted: "Millrace was started again",
  "restarted-after-kill": "Millrace had ended without a stop: its last seconds may be done again",
  "settings-changed": "with changed settings",
};

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const stepOf = ({ at, event, by, detail }) => ({ title: EVENTS[event] ?? event, at, after: by ? `by ${by}` : (NOTES[event] ?? detail) });

// The steps of a job with the time that each took. A job that was paused was active for less than the time between start and end.
// The time of its first failed object is of the failures that the page has loaded.
export function timelineOf(job, firstFailure, now = new Date().toISOString()) {
  const { submitted, started, ended, events = [] } = job;
  const steps = [{ title: "Submitted", at: submitted, after: started ? `waited ${span(submitted, started)}` : "" }];
  if (started) {
    const whole = span(started, ended ?? now);
    steps.push({ title: "Started", at: started, after: `active for ${activeText(job)}${activeText(job) === whole || job.activeMillis < 1000 ? "" : ` of ${whole}`}` });
  }
  if (firstFailure) {
    steps.push({ title: "First object failed", at: firstFailure, after: "" });
  }
  steps.push(...events.map(stepOf));
  steps.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  // The event of an end says more than the end: who, or why.
  if (ended && events.at(-1)?.event === job.state) {
    return steps;
  }
  return [...steps, { title: job.state === "submitted" ? "Waiting" : capital(stateText(job)), at: ended, after: ended ? "" : "now" }];
}

// A copy inside one backend moves no bytes through the gateway.
export function transferredText({ kind, progress: { doneBytes, movedBytes } }) {
  return kind === "copy" && doneBytes > 0 && movedBytes === 0 ? `nothing: ${bytes(doneBytes)} copied by the backend` : bytes(movedBytes);
}

function factsOf(job) {
  return [
    ["Id", h("code", {}, job.id)],
    ["Owner", job.owner],
    ["Transferred", transferredText(job)],
    ...requestFacts(job.request).map(([name, value]) => [name, h("code", {}, value)]),
  ];
}

// The request in words: From prefix, Requests per second and the like.
export function requestFacts(request, before = "") {
  return Object.entries(request).flatMap(([name, value]) => {
    const label = before + name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
    const plain = value === null || typeof value !== "object" || Array.isArray(value);
    return plain ? [[capital(label), plainText(value)]] : requestFacts(value, `${label} `);
  });
}

function plainText(value) {
  if (Array.isArray(value)) {
    return value.slice(0, 10).join("\n") + (value.length > 10 ? "\n…" : "");
  }
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}
