// Errors over time: charts by status, by code and by bucket with one pointer and one zoom, and how many there were of each, since when.
import { makeChart } from "./chart.js";
import { h, note, setText, table } from "./dom.js";
import { errorLines, errorSums } from "./errordata.js";
import { count, moment, perSecond } from "./format.js";
import { minutesOf, pauseOf, rangeOf } from "./period.js";
import { repeat } from "./repeat.js";
import { stacked } from "./storage.js";
import { onThemeChange } from "./theme.js";

// Calls offer() when there may be other statuses and buckets to choose.
export function errorHistory(session, filter, zoom, offer, signal) {
  let latest = null;
  const trouble = note("", "bad");
  trouble.hidden = true;
  const charts = ["status", "code", "bucket"].map((by) => ({ by, ...errorChart(by, zoom) }));
  const sums = h("div", {});

  function draw() {
    if (latest) {
      const range = rangeOf(filter, latest.times.at(-1));
      charts.forEach(({ by, show }) => show(errorLines(latest, filter, by), range));
      const rows = errorSums(latest, filter, range).map((one) => [`${one.status} ${one.code}`, bucketOf(one.bucket), count(one.errors), moment(one.first), moment(one.last)]);
      sums.replaceChildren(...(rows.length > 0 ? [stacked(table("Errors by status, code and bucket", SUMS, rows))] : []));
    }
  }

  async function request() {
    try {
      latest = await session.api.get("/traffic/errors", { minutes: minutesOf(filter) }, signal);
      trouble.hidden = true;
      offer();
      draw();
    } catch (problem) {
      setText(trouble, problem.message);
      trouble.hidden = signal.aborted;
    }
  }

  onThemeChange(() => charts.forEach(({ chart }) => chart.redraw()), signal);
  signal.addEventListener("abort", () => charts.forEach(({ chart }) => chart.close()));
  const load = repeat(request, () => pauseOf(filter), signal);
  return {
    element: h("section", { "aria-label": "Errors over time" }, trouble, h("div", { class: "charts" }, charts.map(({ element }) => element)), sums),
    draw,
    load,
    known: (name) => (latest?.series ?? []).map((one) => one[name]),
  };
}

function errorChart(by, zoom) {
  const spec = { title: `Errors by ${by}`, format: (value) => `${perSecond(value)}/s` };
  const chart = makeChart(spec, zoom);
  const empty = h("p", { class: "hint" }, "No errors in this time.");

  function show(data, range) {
    empty.hidden = data.lines.length > 0;
    chart.element.hidden = data.lines.length === 0;
    chart.show({ ...data, range });
  }

  chart.element.hidden = true;
  return { element: h("section", { class: "chart card", "aria-label": spec.title }, h("h3", {}, spec.title), empty, chart.element), show, chart };
}

const bucketOf = (name) => (name === "(none)" ? "names no bucket" : name === "(others)" ? "others" : h("code", {}, name));

const SUMS = [{ title: "Status and code" }, { title: "Bucket" }, { title: "Errors", number: true }, { title: "Since" }, { title: "Last" }];
