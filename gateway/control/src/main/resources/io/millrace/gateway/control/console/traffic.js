// Traffic: four charts of the last hours and their current values.
import { chart } from "./chart.js";
import { h, note, setText } from "./dom.js";
import { repeat } from "./repeat.js";
import { count, millis, percent, perSecond, rate } from "./format.js";

const SPANS = [
  [15, "15 min"],
  [60, "1 h"],
  [360, "6 h"],
  [1440, "24 h"],
];

const seconds = (point) => point.millis / 1000;
const gets = (point) => point.hits + point.misses + point.stale + point.bypassed;
const perPoint = (name) => (point) => point[name] / seconds(point);

const CHARTS = [
  {
    title: "Requests",
    lines: [
      { name: "Requests", of: perPoint("requests") },
      { name: "Errors", of: perPoint("errors") },
    ],
    format: (value) => `${perSecond(value)}/s`,
    aside: (point) => `${count(point.inFlight)} under way`,
  },
  {
    title: "GETs answered from the cache",
    lines: [{ name: "Hit ratio", of: (point) => (gets(point) > 0 ? point.hits / gets(point) : null) }],
    format: percent,
    top: 1,
    aside: (point) => (gets(point) > 0 ? `${count(point.hits)} of ${count(gets(point))} GETs in ${Math.round(seconds(point))} s` : "no GETs"),
  },
  {
    title: "Bytes",
    lines: [
      { name: "From the cache", of: perPoint("bytesCached") },
      { name: "From backends", of: perPoint("bytesFetched") },
    ],
    format: rate,
    binary: true,
    least: 1024,
    aside: (point) => `${rate(point.bytesFetched / seconds(point))} from backends`,
  },
  {
    title: "Time to first byte of GETs",
    lines: [
      { name: "p50", of: (point) => (point.p50Micros === undefined ? null : point.p50Micros / 1000) },
      { name: "p99", of: (point) => (point.p99Micros === undefined ? null : point.p99Micros / 1000) },
    ],
    format: millis,
    aside: (point) => (point.p99Micros === undefined ? "no GETs" : `p99 ${millis(point.p99Micros / 1000)}`),
  },
];

export function trafficSection(session, signal) {
  let minutes = 60;
  let latest = null;
  let again = () => {};
  const panels = CHARTS.map(panel);
  const trouble = note("", "bad");
  trouble.hidden = true;
  const choices = SPANS.map(([span, title]) =>
    h("button", { type: "button", class: "quiet", "aria-pressed": String(span === minutes), onclick: () => choose(span) }, title),
  );

  function choose(span) {
    minutes = span;
    choices.forEach((button, i) => button.setAttribute("aria-pressed", String(SPANS[i][0] === span)));
    again();
  }

  const draw = () => latest && panels.forEach(({ show }) => show(latest, minutes));

  async function load() {
    try {
      latest = await session.api.get("/traffic", { minutes }, signal);
      draw();
      trouble.hidden = true;
    } catch (problem) {
      setText(trouble, problem.message);
      trouble.hidden = signal.aborted;
    }
  }

  addEventListener("resize", draw, { signal });
  again = repeat(load, () => (minutes > 60 ? 60000 : 10000), signal);
  return h(
    "section",
    { "aria-labelledby": "traffic" },
    h("div", { class: "head" }, h("h2", { id: "traffic" }, "Traffic"), h("div", { class: "choice", role: "group", "aria-label": "Time shown" }, choices)),
    trouble,
    h("div", { class: "charts" }, panels.map(({ element }) => element)),
  );
}

function panel(spec) {
  const value = h("span", {}, "–");
  const aside = h("small", {});
  const place = h("div", {});
  const show = (traffic, minutes) => {
    const latest = traffic.points.at(-1);
    const now = latest ? spec.lines[0].of(latest) : null;
    setText(value, now === null ? "–" : spec.format(now));
    setText(aside, latest ? spec.aside(latest) : `First values ${traffic.stepSeconds} s after the start.`);
    place.replaceChildren(...chart(spec, traffic, minutes, place.clientWidth));
  };
  return { element: h("section", { class: "chart card", "aria-label": spec.title }, h("h3", {}, spec.title), h("p", { class: "now" }, value, aside), place), show };
}
