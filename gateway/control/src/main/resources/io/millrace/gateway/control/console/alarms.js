// Alarms: everything that needs an operator, the worst first. They come from the same responses as the tables below them.
import { h, setText } from "./dom.js";
import { duration, moment, plural } from "./format.js";
import { what } from "./jobwords.js";
import { linkTo, linkWith } from "./route.js";
import { BACKEND_STATES, BUCKET_STATES, DISK_STATES } from "./storage.js";

const DAY = 24 * 60 * 60 * 1000;
// As of the alert of a slow disk.
const SLOW_FOR = 30 * 60 * 1000;
const MOST_JOBS = 5;
// The jobs that may be alarms, however many others are newer.
export const FAILED_JOBS = { state: "failed,done-with-failures", limit: 1000 };

const CHECKING = "Checking the gateway, disks, backends and jobs …";

// A section of the Overview, which has the tables of disks, backends and buckets with the reasons of their states.
const sectionOf = (show) => linkWith(linkTo("overview"), { show });
const settingsOf = (q) => linkWith(linkTo("settings"), { q });

// The alarms of the gateway as a whole: what, its state, and where to look.
const GATEWAY_ALARMS = {
  "metadata-store": ["Metadata store", "cannot be used", settingsOf("cache.metadata")],
  "audit-log": ["Audit log", "cannot be written", settingsOf("audit.")],
  "access-log": ["Access log", "cannot be written", settingsOf("s3.access-log")],
  connections: ["Connections", "refused", settingsOf("s3.max-connections")],
  requests: ["Requests", "fail", linkTo("errors")],
  certificate: ["Certificate", "expires", settingsOf("tls")],
  "certificate-reload": ["Certificate", "not reloaded", settingsOf("tls")],
};

export function alarmSection() {
  const sources = new Map();
  const list = h("ul", { class: "alarms" });
  const calm = h("p", { class: "calm", role: "status" }, CHECKING);
  const element = h("section", { "aria-labelledby": "alarms" }, h("div", { class: "head" }, h("h2", { id: "alarms" }, "Alarms")), calm, list);

  function set(source, alarms) {
    sources.set(source, alarms);
    const all = worstFirst([...sources.values()].flat());
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : undefined;
    list.replaceChildren(...all.map(item));
    // Every response replaces the links, and the focus is not to be lost with one.
    [...list.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
    calm.hidden = all.length > 0;
    setText(calm, sources.size < 3 ? CHECKING : "No alarms: the gateway, all disks and backends are healthy, and no job failed in the last day.");
  }

  return {
    element,
    set,
    showStatus: (status) => set("/status", alarmsOf.status(status)),
    showBackends: (backends) => set("/backends", alarmsOf.backends(backends)),
    showJobs: (jobs) => set("/jobs", alarmsOf.jobs(jobs)),
  };
}

const item = ({ level, subject, state, since, isSeen, text, link }) =>
  h(
    "li",
    { class: `alarm ${level}` },
    h("strong", {}, link ? h("a", { href: link }, subject) : subject),
    state ? h("span", { class: `state ${level}` }, state) : null,
    since ? h("span", { class: "since" }, sinceText(since, isSeen)) : null,
    h("span", {}, text),
  );

// A state may be older than the first look at it.
export const sinceText = (since, isSeen, now = Date.now()) => `${isSeen ? "first seen" : "since"} ${moment(since)} (${duration((now - Date.parse(since)) / 1000)})`;

// The worst first, then the oldest.
export const worstFirst = (alarms) =>
  [...alarms].sort((one, other) => order(one.level, other.level) || order(one.since ?? "9", other.since ?? "9"));

const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

// The alarms of the three responses, for the Overview and the banner of the other pages.
export const alarmsOf = {
  status: (status) => [...status.alarms.map(gatewayAlarm), ...diskAlarms(status)],
  backends: (backends) => backends.flatMap(backendAlarms),
  jobs: (jobs) => jobAlarms(jobs),
};

function gatewayAlarm({ kind, level, since, message }) {
  const [subject, state, link] = GATEWAY_ALARMS[kind] ?? ["Gateway", kind];
  return { level: level === "critical" ? "bad" : "warn", subject, state, since, isSeen: true, text: message, link };
}

function diskAlarms({ cache }) {
  return (cache?.disks ?? []).flatMap((disk) => {
    const [state, level] = DISK_STATES[disk.state] ?? [disk.state, "warn"];
    const alarms = level === "good" ? [] : [{ level, subject: `Disk ${disk.path}`, state, since: disk.since, isSeen: true, text: disk.why || "Reads bypass what is not available.", link: sectionOf("disks") }];
    // A day is long enough to be seen; the table has them until the next start.
    if (Date.now() - Date.parse(disk.scrub.lastBad) < DAY) {
      alarms.push({ level: "warn", subject: `Disk ${disk.path}`, state: "corrupt records", since: disk.scrub.lastBad, text: `The scrub has dropped ${plural(disk.scrub.bad, "corrupt record")} since the start, the last one then.`, link: sectionOf("disks") });
    }
    if (disk.slowSince && Date.now() - Date.parse(disk.slowSince) >= SLOW_FOR) {
      alarms.push({ level: "warn", subject: `Disk ${disk.path}`, state: "slow", since: disk.slowSince, isSeen: true, text: `Its reads take ${disk.slowness} times as long as fetches from the backend, so hits are slower than misses.`, link: sectionOf("disks") });
    }
    return alarms;
  });
}

function backendAlarms({ name, state, since, message, lastMinute, errorsSince, buckets }) {
  const [word, level] = BACKEND_STATES[state] ?? [state, "warn"];
  const alarms = level === "good" ? [] : [{ level, subject: `Backend ${name}`, state: word, since, isSeen: true, text: message, link: sectionOf("backends") }];
  if (level === "good" && lastMinute.errors > 0) {
    alarms.push({ level: "warn", subject: `Backend ${name}`, state: "errors", since: errorsSince, isSeen: true, text: `${plural(lastMinute.errors, "error")} in ${plural(lastMinute.calls, "call")} of the last minute.`, link: sectionOf("backends") });
  }
  return [...alarms, ...buckets.flatMap(bucketAlarms)];
}

function bucketAlarms({ bucket, state, since, message }) {
  const [word, level] = BUCKET_STATES[state] ?? ["", ""];
  return level && level !== "good" ? [{ level, subject: `Bucket ${bucket}`, state: word, since, isSeen: true, text: message, link: sectionOf("bucket-states") }] : [];
}

function jobAlarms(jobs) {
  const failed = jobs.filter((job) => ["failed", "done-with-failures"].includes(job.state) && Date.now() - Date.parse(job.ended ?? job.submitted) < DAY);
  const alarms = failed.slice(0, MOST_JOBS).map((job) => ({
    level: job.state === "failed" ? "bad" : "warn",
    subject: `Job ${job.kind} ${what(job)}`,
    state: job.state.replaceAll("-", " "),
    since: job.ended ?? job.submitted,
    text: [job.message, job.progress.failed > 0 ? plural(job.progress.failed, "failed object") : "", `by ${job.owner}`].filter(Boolean).join(", "),
    link: linkTo("jobs", job.id),
  }));
  return failed.length > MOST_JOBS ? [...alarms, { level: "warn", subject: "Jobs", text: `${failed.length - MOST_JOBS} more failed in the last day.`, link: "#/jobs" }] : alarms;
}
