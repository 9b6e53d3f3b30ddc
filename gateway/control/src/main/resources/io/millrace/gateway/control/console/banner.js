// What is wrong now, on every page but the Overview, which begins with it: the worst alarm, since when, and a link to its cause.
import { FAILED_JOBS, alarmsOf, sinceText, worstFirst } from "./alarms.js";
import { h } from "./dom.js";
import { plural } from "./format.js";
import { repeat } from "./repeat.js";

const PAUSE = 10_000;
const OVERVIEW = "#/overview";

// Shows the banner in an element until the signal. Nothing is requested while isWanted() is false.
export function showBanner(element, session, isWanted, signal) {
  async function load() {
    if (!isWanted()) {
      element.hidden = true;
      return;
    }
    try {
      const [status, { backends }, { jobs }] = await Promise.all([session.api.get("/status", {}, signal), session.api.get("/backends", {}, signal), session.api.get("/jobs", FAILED_JOBS, signal)]);
      show(worstFirst([...alarmsOf.status(status), ...alarmsOf.backends(backends), ...alarmsOf.jobs(jobs)]));
    } catch {
      // The page says what cannot be reached.
    }
  }

  function show(alarms) {
    element.hidden = alarms.length === 0 || !isWanted();
    if (alarms.length === 0) {
      return;
    }
    const [worst, ...others] = alarms;
    element.className = `banner ${worst.level}`;
    element.replaceChildren(
      h("strong", {}, h("a", { href: worst.link ?? OVERVIEW }, worst.subject)),
      h("span", { class: `state ${worst.level}` }, worst.state ?? ""),
      worst.since ? h("span", { class: "since" }, sinceText(worst.since, worst.isSeen)) : "",
      h("span", { class: "text" }, worst.text),
      others.length > 0 ? h("a", { href: OVERVIEW }, `and ${plural(others.length, "more alarm")}`) : "",
    );
  }

  return repeat(load, () => PAUSE, signal);
}
