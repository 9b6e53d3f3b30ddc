// One job of the table.
import { h, setText } from "./dom.js";
import { count, duration, moment, percent, perSecond, rate } from "./format.js";
import { KINDS, isActive, isCutShort, processed, shareOf, stateText, what } from "./jobwords.js";
import { linkTo } from "./route.js";

// The columns of the table; those with a value can be sorted by.
export const COLUMNS = [
  { title: "State", value: (job) => job.state },
  { title: "Kind", value: (job) => job.kind },
  { title: "Source and target", value: what },
  { title: "Owner", value: (job) => job.owner },
  { title: "Started", value: (job) => job.started ?? job.submitted },
  { title: "Active for", number: true, value: (job) => job.activeMillis },
  { title: "Progress", number: true, value: (job) => shareOf(job) ?? 0 },
  { title: "Rate", number: true, value: (job) => job.bytesPerSecond ?? 0 },
];

export function jobRow(first, select) {
  let job = first;
  const state = h("span", { class: "state" });
  const fill = h("div", { class: "fill" });
  const bar = h("div", { class: "progress", role: "progressbar", "aria-label": `Progress of ${what(job)}`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  const figures = h("span", { class: "figures" });
  const box = h("input", { type: "checkbox", "aria-label": `Select ${job.kind} ${what(job)}`, onchange: select });
  const cells = { started: h("td"), active: h("td", { class: "number" }), rate: h("td", { class: "number" }) };
  const element = h(
    "tr",
    { class: "job", "data-job": job.id },
    h("td", { class: "select" }, box),
    h("td", { "data-title": "State" }, state),
    h("td", { "data-title": "Kind" }, KINDS[job.kind] ?? job.kind),
    h("th", { scope: "row", "data-title": "Source and target" }, h("a", { href: linkTo("jobs", job.id) }, h("code", {}, what(job)))),
    h("td", { "data-title": "Owner" }, job.owner),
    titled(cells.started, "Started"),
    titled(cells.active, "Active for"),
    h("td", { class: "number", "data-title": "Progress" }, h("div", { class: "with-bar" }, figures, bar)),
    titled(cells.rate, "Rate"),
  );

  function update(now) {
    job = now;
    state.className = `state ${job.state}`;
    setText(state, stateText(job));
    const share = shareOf(job);
    bar.hidden = !isActive(job) && job.state !== "paused";
    showShare(bar, fill, share);
    setText(figures, progressText(job, share));
    setText(cells.started, job.started ? moment(job.started) : "not yet");
    setText(cells.active, activeText(job));
    setText(cells.rate, speedText(job));
  }

  update(job);
  return { element, box, update, job: () => job };
}

const titled = (cell, title) => {
  cell.dataset.title = title;
  return cell;
};

export function showShare(bar, fill, share) {
  bar.classList.toggle("unknown", share === null);
  fill.style.width = share === null ? "" : `${share * 100}%`;
  if (share === null) {
    bar.removeAttribute("aria-valuenow");
  } else {
    bar.setAttribute("aria-valuenow", Math.floor(share * 100));
  }
}

export const activeText = ({ activeMillis }) => (activeMillis > 0 && activeMillis < 1000 ? `${activeMillis} ms` : duration(activeMillis / 1000));

// What the job counts: a pack has found its shards when they are arranged.
const things = ({ kind }) => (kind === "pack" ? "shards" : "objects");

export function speedText(job) {
  const { bytesPerSecond, objectsPerSecond, secondsLeft } = job;
  if (bytesPerSecond === undefined) {
    return "";
  }
  const speed = bytesPerSecond > 0 || objectsPerSecond === 0 ? rate(bytesPerSecond) : `${perSecond(objectsPerSecond)} ${things(job)}/s`;
  return secondsLeft === undefined ? speed : `${speed}, ${duration(secondsLeft)} left`;
}

export function progressText(job, share) {
  const { progress } = job;
  if (isActive(job) && progress.found === 0 && !progress.counted) {
    return job.kind === "pack" ? "arranging its shards" : "no object found yet";
  }
  const found = `${count(progress.found)}${progress.counted ? "" : "+"}${job.kind === "pack" ? " shards" : ""}`;
  const parts = [job.request?.dryRun ? `${found} found` : isActive(job) || isCutShort(job) ? `${count(processed(progress))} of ${found}` : `${count(progress.done)} done`];
  if (share !== null && job.percent !== undefined && (isActive(job) || isCutShort(job))) {
    parts.unshift(percent(share));
  }
  if (progress.skipped > 0) {
    parts.push(`${count(progress.skipped)} skipped`);
  }
  if (progress.failed > 0) {
    parts.push(`${count(progress.failed)} failed`);
  }
  return parts.join(" · ");
}
