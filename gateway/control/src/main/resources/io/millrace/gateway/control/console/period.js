// The period that charts show: the last minutes or hours, or a zoom into them. Both are part of the link.
import { h, setText } from "./dom.js";
import { clock } from "./format.js";

const SPANS = [
  [15, "15 min"],
  [60, "1 h"],
  [360, "6 h"],
  [1440, "24 h"],
];
const USUAL = 60;

export const PERIOD = { minutes: String(USUAL), from: "", to: "" };

export const minutesOf = ({ minutes }) => SPANS.map(([span]) => span).find((span) => String(span) === minutes) ?? USUAL;

// In seconds; null without a zoom.
export function zoomOf({ from, to }) {
  const [begin, end] = [Number(from), Number(to)];
  return begin > 0 && end > begin ? [begin, end] : null;
}

// The zoom, or the chosen time before the last of the times.
export function rangeOf(view, lastTime) {
  const end = lastTime ? Date.parse(lastTime) / 1000 : Date.now() / 1000;
  return zoomOf(view) ?? [end - minutesOf(view) * 60, end];
}

export const zoomTo = (range) => (range ? { from: String(Math.floor(range[0])), to: String(Math.ceil(range[1])) } : { from: "", to: "" });

// The usual time is not part of the link.
export const periodParams = (view) => ({ ...view, minutes: minutesOf(view) === USUAL ? "" : view.minutes });

// Longer times have longer steps.
export const pauseOf = (view) => (minutesOf(view) > 60 ? 60000 : 10000);

// Buttons that call span(minutes), and one that calls zoom(null).
export function periodControls(span, zoom) {
  const whole = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => zoom(null) });
  const buttons = SPANS.map(([minutes, title]) => h("button", { type: "button", class: "quiet", onclick: () => span(String(minutes)) }, title));

  function show(view) {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(SPANS[i][0] === minutesOf(view))));
    const zoomed = zoomOf(view);
    whole.hidden = zoomed === null;
    setText(whole, zoomed ? `${clock(zoomed[0] * 1000)} to ${clock(zoomed[1] * 1000)}: show all` : "");
  }

  return { whole, spans: h("div", { class: "choice", role: "group", "aria-label": "Time shown" }, buttons), show };
}
