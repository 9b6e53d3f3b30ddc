// The gateway as its operators see it: traffic, disks, backends.
import { h, note } from "./dom.js";
import { storageSection } from "./storage.js";
import { trafficSection } from "./traffic.js";

export function overviewPage(root, session) {
  if (!session.who.operator) {
    root.append(
      h("div", { class: "head" }, h("h1", {}, "Overview")),
      note(`Traffic, disks and backends require the right admin on every bucket (admin:*). You are signed in as ${session.who.name}; the other pages show your jobs and buckets.`),
    );
    return undefined;
  }
  const stop = new AbortController();
  root.append(h("h1", { class: "unseen" }, "Overview"), trafficSection(session, stop.signal), storageSection(session, stop.signal));
  return () => stop.abort();
}
