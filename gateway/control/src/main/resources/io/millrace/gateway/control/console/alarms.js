// Alarms: everything that needs an operator, the weightiest first, as the gateway lists it, with a link to where it shows.
import { h, setText } from "./dom.js";
import { duration, moment } from "./format.js";
import { has } from "./rights.js";
import { linkTo, linkWith } from "./route.js";

const CHECKING = "Checking the gateway, disks, backends and jobs …";
const CALM = "No alarms: the gateway, all disks and backends are healthy, and no job failed in the last day.";

// A section of the Overview, which has the tables of disks, backends and buckets with the reasons of their states.
const sectionOf = (show) => linkWith(linkTo("overview"), { show });
const settingsOf = (q) => linkWith(linkTo("settings"), { q });

const LINKS = {
  "metadata-store": settingsOf("cache.metadata"),
  "audit-log": settingsOf("audit."),
  "access-log": settingsOf("s3.access-log"),
  connections: settingsOf("s3.max-connections"),
  cluster: linkTo("cluster"),
  "member-refuses": linkTo("cluster"),
  "member-list": linkTo("cluster"),
  "member-away": linkTo("cluster"),
  placement: linkTo("cluster"),
  requests: linkTo("errors"),
  certificate: settingsOf("tls"),
  "certificate-reload": settingsOf("tls"),
  disk: sectionOf("disks"),
  "disk-space": sectionOf("disks"),
  "disk-corrupt": sectionOf("disks"),
  "disk-slow": sectionOf("disks"),
  backend: sectionOf("backends"),
  "backend-errors": sectionOf("backends"),
  transform: settingsOf("transforms."),
  bucket: sectionOf("bucket-states"),
};

// Known to the moment; all else is as old as the first look at it.
const EXACT = ["job", "disk-corrupt"];

export const linkOf = ({ kind, target }) => (kind === "job" ? (target ? linkTo("jobs", target) : linkTo("jobs")) : (LINKS[kind] ?? linkTo("overview")));

export const levelOf = ({ level }) => (level === "critical" ? "bad" : "warn");

export function alarmSection(session) {
  const list = h("ul", { class: "alarms" });
  const calm = h("p", { class: "calm", role: "status" }, CHECKING);
  const element = h("section", { "aria-labelledby": "alarms" }, h("div", { class: "head" }, h("h2", { id: "alarms" }, "Alarms")), calm, list);
  // What of the control API cannot be read, by path.
  const broken = new Map();
  let shown = [];

  // Since it was shown: one that began later is not what was looked at.
  async function acknowledge({ id, since }) {
    try {
      await session.api.post("/alarms/acknowledgements", { id, since });
      set((await session.api.get("/alarms")).alarms);
    } catch (problem) {
      fail("acknowledgement", problem);
    }
  }

  function set(alarms) {
    shown = alarms;
    broken.delete("acknowledgement");
    show();
  }

  function fail(path, problem) {
    broken.set(path, h("li", { class: "alarm bad" }, h("strong", {}, "Control API"), h("span", {}, problem.message)));
    show();
  }

  function show() {
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.alarm : undefined;
    list.replaceChildren(...broken.values(), ...shown.map((alarm) => item(alarm, has(session, "operate") && !alarm.acknowledged ? acknowledge : undefined)));
    // Every response replaces the links, and the focus is not to be lost with one.
    [...list.querySelectorAll("[data-alarm]")].find((one) => one.dataset.alarm === focused)?.focus();
    calm.hidden = shown.length + broken.size > 0;
    setText(calm, CALM);
  }

  return {
    element,
    set,
    fail,
    works: (path) => broken.delete(path) && show(),
  };
}

const item = (alarm, acknowledge) =>
  h(
    "li",
    { class: `alarm ${alarm.acknowledged ? "known" : levelOf(alarm)}` },
    h("strong", {}, h("a", { href: linkOf(alarm), "data-alarm": alarm.id }, alarm.subject)),
    h("span", { class: `state ${alarm.acknowledged ? "" : levelOf(alarm)}` }, alarm.state),
    h("span", { class: "since" }, sinceText(alarm)),
    h("span", {}, alarm.acknowledged ? `${alarm.message} Acknowledged by ${alarm.acknowledged.by}.` : alarm.message),
    acknowledge ? h("button", { type: "button", class: "quiet", "data-alarm": `acknowledge ${alarm.id}`, "aria-label": `Acknowledge ${alarm.subject}`, onclick: () => acknowledge(alarm) }, "Acknowledge") : null,
  );

// A state may be older than the first look at it.
export const sinceText = ({ kind, since }, now = Date.now()) =>
  `${EXACT.includes(kind) ? "since" : "first seen"} ${moment(since)} (${duration((now - Date.parse(since)) / 1000)})`;
