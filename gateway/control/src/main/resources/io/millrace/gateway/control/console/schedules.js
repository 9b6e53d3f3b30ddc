// The schedules of the settings, below the jobs: when each is next, and what came of its last time. Nothing if there are none.
import { h, table } from "./dom.js";
import { moment } from "./format.js";
import { KINDS, what } from "./jobwords.js";
import { repeat } from "./repeat.js";
import { linkTo } from "./route.js";
import { badge, stacked } from "./storage.js";

const PAUSE = 15_000;
const OUTCOMES = { started: "good", skipped: "warn", missed: "bad", failed: "bad" };

export function scheduleCards(session, signal) {
  const content = h("div", {});

  async function load() {
    try {
      const { schedules } = await session.api.get("/schedules", {}, signal);
      content.replaceChildren(...(schedules.length > 0 ? [h("h2", {}, "Schedules"), scheduleTable(schedules)] : []));
    } catch {
      // The table of jobs says that the gateway does not answer; the last times stay.
    }
  }

  repeat(load, () => PAUSE, signal);
  return content;
}

export const timesText = ({ cron, zone }) => `${cron} (${zone})`;

export const kindText = ({ request }) => `${KINDS[request.kind] ?? request.kind} ${what({ request })}`;

function scheduleTable(schedules) {
  const columns = [{ title: "Name" }, { title: "Times" }, { title: "Next" }, { title: "Last" }, { title: "Job" }, { title: "Owner" }];
  const rows = schedules.map((schedule) => [
    h("strong", {}, schedule.name),
    h("code", {}, timesText(schedule)),
    schedule.next ? moment(schedule.next) : "never",
    last(schedule.last),
    kindText(schedule),
    schedule.owner,
  ]);
  return stacked(table("Schedules", columns, rows));
}

function last(outcome) {
  if (!outcome) {
    return "–";
  }
  const state = badge([outcome.outcome, OUTCOMES[outcome.outcome] ?? ""]);
  return h(
    "div",
    {},
    outcome.job ? h("a", { href: linkTo("jobs", outcome.job) }, moment(outcome.time)) : moment(outcome.time),
    " ",
    state,
    outcome.message ? h("div", { class: "hint" }, outcome.message) : null,
  );
}
