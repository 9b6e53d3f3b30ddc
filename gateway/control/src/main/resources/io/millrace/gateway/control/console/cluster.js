// The members of the cluster as the gateway of this console knows them, in the words of millrace cluster status.
import { h, note, setText, table } from "./dom.js";
import { count, duration, millis } from "./format.js";
import { repeat } from "./repeat.js";
import { badge, stacked } from "./storage.js";

const PAUSE = 5000;
const MINUTE = 60_000;

// The others go on without a member that is away, slow or has another list; one that refuses messages is a fault of the settings.
const KINDS = { heard: "good", refuses: "bad" };

export function clusterPage(root, session) {
  const stop = new AbortController();
  const lead = h("p", { class: "lead", role: "status" }, "Loading the cluster …");
  const content = h("div", {});
  root.append(h("div", { class: "head" }, h("h1", {}, "Members of the cluster")), lead, content);

  async function load() {
    try {
      const cluster = await session.api.get("/cluster", {}, stop.signal);
      setText(lead, standing(cluster));
      content.replaceChildren(...show(cluster));
    } catch (problem) {
      if (!stop.signal.aborted) {
        setText(lead, "");
        content.replaceChildren(note(problem.message, "bad"));
      }
    }
  }

  repeat(load, () => PAUSE, stop.signal);
  return () => stop.abort();
}

export const standing = ({ cluster, node, ready, leaseHeld }) =>
  `Member ${node} of cluster ${cluster}: ${ready ? "ready" : "not ready"}, ${leaseHeld ? "holds all leases" : "strong buckets revalidate"}. The console of each member shows its own view of the others.`;

export const heardText = ({ silentMillis }) =>
  silentMillis === undefined ? "not since the start" : `${silentMillis < MINUTE ? millis(silentMillis) : duration(silentMillis / 1000)} ago`;

function show({ message, members }) {
  const columns = [{ title: "Member" }, { title: "State" }, { title: "Heard", number: true }, { title: "Lease" }, { title: "Unacknowledged writes", number: true }, { title: "Missed buckets", number: true }];
  const rows = members.map((member) => [
    h("span", {}, h("strong", {}, member.name), " ", h("code", {}, member.address)),
    h("div", {}, badge([member.state, KINDS[member.state] ?? "warn"]), member.message ? h("div", { class: "hint" }, member.message) : null),
    heardText(member),
    member.leaseHeld ? "held" : "not held",
    count(member.unacknowledged),
    count(member.missedBuckets),
  ]);
  return [
    message ? note(message, "bad") : null,
    members.length > 0 ? stacked(table("Members of the cluster", columns, rows)) : h("p", { class: "empty" }, "There is no other member on the list."),
  ].filter(Boolean);
}
