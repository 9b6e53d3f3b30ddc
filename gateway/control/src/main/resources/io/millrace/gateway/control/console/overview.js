// The gateway as operators see it: alarms first, then traffic, disks and backends.
import { alarmSection } from "./alarms.js";
import { byId, h, note, setText } from "./dom.js";
import { duration } from "./format.js";
import { repeat } from "./repeat.js";
import { has } from "./rights.js";
import { keepParams } from "./route.js";
import { backendTable, bucketStateTable, bucketStates, diskTable } from "./storage.js";
import { trafficSection } from "./traffic.js";

// Parameter show is the section that an alarm leads to: it gets the focus once, when it has its content.
export function overviewPage(root, session, { params: { show: wanted = "", ...params } }) {
  if (!has(session, "view")) {
    root.append(
      h("div", { class: "head" }, h("h1", {}, "Overview")),
      note(`Traffic, disks and backends require the right view on every bucket (view:*). You are signed in as ${session.identity.name}; the other pages show your jobs and buckets.`),
    );
    return undefined;
  }
  const stop = new AbortController();
  const { signal } = stop;
  const alarms = alarmSection(session);
  const disks = h("div", {});
  const backends = h("div", {});
  const buckets = h("div", {});
  // The last responses: the table of buckets is of both.
  let residency;
  let known;
  const about = h("p", { class: "lead last" });
  const section = (id, title, ...content) => h("section", { "aria-labelledby": id }, h("div", { class: "head next" }, h("h2", { id, tabindex: "-1" }, title)), ...content);
  let sought = wanted;

  async function load(path, query, show, into) {
    try {
      show(await session.api.get(path, query, signal));
      alarms.works(path);
    } catch (problem) {
      if (!signal.aborted) {
        into?.replaceChildren(note(problem.message, "bad"));
        alarms.fail(path, problem);
      }
    }
  }

  function focusOn(id) {
    if (sought === id) {
      sought = "";
      byId(id).focus();
      // The link can be followed again.
      keepParams(params);
    }
  }

  function showBuckets() {
    if (known) {
      buckets.replaceChildren(bucketStateTable(bucketStates(known, residency), residency !== undefined));
      focusOn("bucket-states");
    }
  }

  function showStatus(status) {
    residency = status.cache?.residency;
    showBuckets();
    setText(about, `Millrace ${status.version}, up for ${duration(status.uptimeSeconds)}, serves S3 on port ${status.s3Port}.`);
    disks.replaceChildren(...(status.cache ? diskTable(status.cache) : [note("There is no cache, so every read goes to its backend. Add a disk to cache.disks.")]));
    focusOn("disks");
  }

  function showBackends({ backends: list }) {
    backends.replaceChildren(backendTable(list));
    focusOn("backends");
    known = list;
    showBuckets();
  }

  root.append(
    h("h1", { class: "unseen" }, "Overview"),
    alarms.element,
    trafficSection(session, params, signal),
    section("disks", "Disks", disks),
    section("backends", "Backends", backends),
    section("bucket-states", "Buckets", buckets),
    about,
  );
  repeat(() => load("/status", {}, showStatus, disks), () => 5000, signal);
  repeat(() => load("/backends", {}, showBackends, backends), () => 10000, signal);
  repeat(() => load("/alarms", {}, ({ alarms: all }) => alarms.set(all)), () => 5000, signal);
  return () => stop.abort();
}
