// The members of the cluster as the gateway of this console knows them, in the words of millrace cluster status.
import { h, note, setText, table } from "./dom.js";
import { bytes, count, duration, millis, percent } from "./format.js";
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

export const standing = ({ cluster, node, ready, leaseHeld, placement }) =>
  `Member ${node} of cluster ${cluster}: ${ready ? "ready" : "not ready"}, ${leaseHeld ? "holds all leases" : "strong buckets revalidate"}, placement ${placement}. The console of each member shows its own view of the others.`;

export const heardText = ({ silentMillis }) =>
  silentMillis === undefined ? "not since the start" : `${silentMillis < MINUTE ? millis(silentMillis) : duration(silentMillis / 1000)} ago`;

// Empty unless objects have homes.
export const homesText = ({ node, homePercent, copiedBytes }) =>
  homePercent === undefined ? "" : `${node} is home of ${percent(homePercent / 100)} of the objects. Beside their homes it has stored ${bytes(copiedBytes)} since it started.`;

function show(cluster) {
  const { message, advice, members } = cluster;
  const shared = cluster.homePercent !== undefined;
  const columns = [{ title: "Member" }, { title: "State" }, { title: "Heard", number: true }, { title: "Lease" }, { title: "Unacknowledged writes", number: true }, { title: "Missed buckets", number: true }];
  if (shared) {
    columns.push({ title: "Home of", number: true }, { title: "Reads relayed to it", number: true }, { title: "Fallbacks", number: true });
  }
  const rows = members.map((member) => [
    h("span", {}, h("strong", {}, member.name), " ", h("code", {}, member.address)),
    h("div", {}, badge([member.state, KINDS[member.state] ?? "warn"]), member.message ? h("div", { class: "hint" }, member.message) : null),
    heardText(member),
    member.leaseHeld ? "held" : "not held",
    count(member.unacknowledged),
    count(member.missedBuckets),
    ...(shared ? [percent(member.homePercent / 100), count(member.relayedReads), count(member.fallbacks)] : []),
  ]);
  return [
    message ? note(message, "bad") : null,
    advice ? note(advice, "warn") : null,
    shared ? h("p", {}, homesText(cluster)) : null,
    members.length > 0 ? stacked(table("Members of the cluster", columns, rows)) : h("p", { class: "empty" }, "There is no other member on the list."),
  ].filter(Boolean);
}
