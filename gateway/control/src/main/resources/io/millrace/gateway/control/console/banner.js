// What is wrong now, on every page but the Overview, which begins with it: the weightiest alarm that nobody has acknowledged.
import { levelOf, linkOf, sinceText } from "./alarms.js";
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
      const { alarms } = await session.api.get("/alarms", {}, signal);
      show(alarms.filter(({ acknowledged }) => !acknowledged));
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
    element.className = `banner ${levelOf(worst)}`;
    element.replaceChildren(
      h("strong", {}, h("a", { href: linkOf(worst) }, worst.subject)),
      h("span", { class: `state ${levelOf(worst)}` }, worst.state),
      h("span", { class: "since" }, sinceText(worst)),
      h("span", { class: "text" }, worst.message),
      others.length > 0 ? h("a", { href: OVERVIEW }, `and ${plural(others.length, "more alarm")}`) : "",
    );
  }

  return repeat(load, () => PAUSE, signal);
}
