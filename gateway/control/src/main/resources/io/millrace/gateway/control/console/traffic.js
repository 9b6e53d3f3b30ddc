// Traffic: charts of the last minutes or hours, with a choice of operation, backend or bucket, and a zoom that is part of the link.
import { makeChart } from "./chart.js";
import { h, note, setText } from "./dom.js";
import { PERIOD, minutesOf, pauseOf, periodControls, periodParams, rangeOf, zoomTo } from "./period.js";
import { repeat } from "./repeat.js";
import { keepParams } from "./route.js";
import { onThemeChange } from "./theme.js";
import { GROUPS, allLines, chartsOf, splitLines } from "./trafficcharts.js";

export function trafficSection(session, params, signal) {
  const view = { ...PERIOD, by: "", name: "", ...params };
  if (!Object.hasOwn(GROUPS, view.by)) {
    view.by = "";
  }
  let latest = null;
  let panels = [];
  let again = () => {};
  const place = h("div", { class: "charts" });
  const trouble = note("", "bad");
  trouble.hidden = true;
  const group = h("select", { "aria-label": "Traffic shown", onchange: () => chooseGroup(group.value, "") }, Object.entries(GROUPS).map(([value, title]) => h("option", { value }, title)));
  const names = h("select", { "aria-label": "Line shown", onchange: () => chooseGroup(view.by, names.value) });
  const period = periodControls(chooseSpan, zoom);
  group.value = view.by;

  function keep(changes) {
    Object.assign(view, changes);
    keepParams(periodParams(view));
    showControls();
  }

  function chooseSpan(span) {
    keep({ minutes: span, from: "", to: "" });
    again();
  }

  function chooseGroup(by, name) {
    const other = by !== view.by;
    keep({ by, name });
    if (other) {
      latest = null;
      makePanels();
      again();
    } else {
      draw();
    }
  }

  function zoom(range) {
    keep(zoomTo(range));
    draw();
  }

  function showControls() {
    period.show(view);
    names.hidden = view.by === "";
  }

  function makePanels() {
    panels.forEach(({ chart }) => chart.close());
    panels = chartsOf(view.by).map((spec) => panel(spec, zoom));
    place.replaceChildren(...panels.map(({ element }) => element));
  }

  function draw() {
    if (!latest) {
      return;
    }
    showNames();
    const range = rangeOf(view, latest.points?.at(-1)?.at ?? latest.times?.at(-1));
    panels.forEach(({ show }) => show(latest, view, range));
  }

  function showNames() {
    const known = (latest.series ?? []).map(({ name }) => name).sort();
    const all = [...new Set(known.concat(view.name || []))];
    if (names.options.length !== all.length + 1 || all.some((name, i) => names.options[i + 1].value !== name)) {
      names.replaceChildren(h("option", { value: "" }, "The busiest"), ...all.map((name) => h("option", { value: name }, name)));
    }
    names.value = view.name;
  }

  async function load() {
    const { by } = view;
    try {
      const found = await session.api.get(by === "" ? "/traffic" : "/traffic/breakdown", { minutes: minutesOf(view), by: by || undefined }, signal);
      if (by === view.by) {
        latest = found;
        draw();
      }
      trouble.hidden = true;
    } catch (problem) {
      setText(trouble, problem.message);
      trouble.hidden = signal.aborted;
    }
  }

  makePanels();
  showControls();
  onThemeChange(() => panels.forEach(({ chart }) => chart.redraw()), signal);
  signal.addEventListener("abort", () => panels.forEach(({ chart }) => chart.close()));
  again = repeat(load, () => pauseOf(view), signal);
  return h(
    "section",
    { "aria-labelledby": "traffic" },
    h(
      "div",
      { class: "head next" },
      h("h2", { id: "traffic" }, "Traffic"),
      h("div", { class: "filters" }, period.whole, group, names, period.spans),
    ),
    trouble,
    place,
    h("p", { class: "hint" }, "Point at a chart for its values. Drag over a period to zoom, double-click to show all. Which errors, since when, of which bucket: ", h("a", { href: "#/errors" }, "Errors"), "."),
  );
}

function panel(spec, zoom) {
  const value = h("span", {});
  const aside = h("small", {});
  const chart = makeChart(spec, zoom);
  const empty = h("p", { class: "hint", hidden: true }, "No traffic in this period.");

  function show(traffic, { by, name }, range) {
    const data = by === "" ? allLines(spec, traffic) : splitLines(spec, traffic, name);
    const last = data.lines.length === 1 || by === "" ? (data.lines[0]?.values.at(-1) ?? null) : null;
    setText(value, last === null ? (by === "" ? "–" : "") : spec.format(last));
    const latest = traffic.points?.at(-1);
    setText(aside, by === "" ? (latest ? spec.aside(latest) : `First values ${traffic.stepSeconds} s after the start.`) : "");
    empty.hidden = data.lines.length > 0;
    chart.element.hidden = data.lines.length === 0;
    chart.show({ ...data, range });
  }

  return { element: h("section", { class: "chart card", "aria-label": spec.title }, h("h3", {}, spec.title), h("p", { class: "now" }, value, aside), empty, chart.element), show, chart };
}
