// A chart of lines over time (uPlot), and its numbers as a table for screen readers.
import { h, table } from "./dom.js";
import { clock, moment } from "./format.js";

const HEIGHT = 190;
const ROWS = 12;
const STROKE_WIDTH = 1.6;
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];
export const MOST_LINES = 8;

// The next round number: 1, 2 or 5 times a power of ten; a power of two for bytes.
function roundUp(value, binary) {
  if (value <= 0) {
    return 1;
  }
  if (binary) {
    return 2 ** Math.ceil(Math.log2(value));
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((round) => round >= value * 0.999);
}

// A canvas needs the colour that a variable stands for.
function colour(place, name) {
  place.style.color = `var(--${name})`;
  const resolved = getComputedStyle(place).color;
  place.style.color = "";
  return resolved;
}

const transparent = (rgb) => rgb.replace(/^rgb\((.*)\)$/, "rgba($1, 0.12)");

// spec has a title, a format and perhaps top, least or binary. Several charts share the pointer and the zoom: zoomed(range) is
// called with the chosen seconds, or with null for all.
export function makeChart(spec, zoomed) {
  const place = h("div", { class: "plot" });
  const numbers = h("div", { class: "unseen" });
  let shown = null;
  let plot = null;
  const { uPlot } = globalThis;

  function options(lines) {
    const axis = { stroke: colour(place, "muted"), grid: { stroke: colour(place, "line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    return {
      width: Math.max(200, place.clientWidth),
      height: HEIGHT,
      cursor: { sync: { key: "traffic" }, drag: { x: true, y: false, setScale: false }, points: { size: 7 }, bind: { dblclick: () => () => zoomed(null) } },
      hooks: { setSelect: [select] },
      scales: { y: { range: (self, low, high) => [0, spec.top ?? roundUp(Math.max(spec.least ?? 0, high ?? 0), spec.binary)] } },
      axes: [
        { ...axis, values: (self, times) => times.map((time) => clock(time * 1000)), space: 70, size: 30 },
        { ...axis, size: 76, splits: spec.binary ? (self, i, low, high) => QUARTERS.map((share) => share * high) : undefined, values: (self, values) => values.map((value) => (value === 0 ? "0" : spec.format(value))) },
      ],
      series: [
        { label: "Time", value: (self, time) => (time === null ? "–" : moment(time * 1000)) },
        ...lines.map(({ name }, i) => {
          const stroke = colour(place, `series-${(i % MOST_LINES) + 1}`);
          return {
            label: name,
            stroke,
            width: STROKE_WIDTH,
            dash: i === 1 && lines.length === 2 ? [5, 3] : undefined,
            fill: i === 0 && lines.length <= 2 ? transparent(stroke) : undefined,
            points: { show: lines[0].values.length < 4 },
            value: (self, value) => (value === null || value === undefined ? "–" : spec.format(value)),
          };
        }),
      ],
    };
  }

  function select(self) {
    if (self.select.width > 3) {
      zoomed([self.posToVal(self.select.left, "x"), self.posToVal(self.select.left + self.select.width, "x")]);
      self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    }
  }

  function draw() {
    if (!shown) {
      return;
    }
    const { times, lines, range } = shown;
    const data = [times, ...lines.map(({ values }) => values)];
    if (!plot || plot.series.length !== data.length || lines.some(({ name }, i) => plot.series[i + 1].label !== name)) {
      plot?.destroy();
      plot = new uPlot(options(lines), data, place);
    } else {
      plot.setData(data, false);
    }
    plot.setScale("x", { min: range[0], max: range[1] });
  }

  function redraw() {
    plot?.destroy();
    plot = null;
    draw();
  }

  const resized = new ResizeObserver(() => plot && place.clientWidth > 0 && plot.setSize({ width: place.clientWidth, height: HEIGHT }));
  resized.observe(place);

  function show(next) {
    shown = next;
    draw();
    numbers.replaceChildren(numberTable(spec, next));
  }

  return {
    element: h("div", {}, place, numbers),
    show,
    redraw,
    close() {
      resized.disconnect();
      plot?.destroy();
    },
  };
}

function numberTable(spec, { times, lines }) {
  return table(spec.title, [{ title: "Time" }, ...lines.map(({ name }) => ({ title: name, number: true }))], rowsOf(spec, times, lines));
}

// A few rows of equal spans, each with the time of its end and the means of its numbers, so that none between two is lost.
export function rowsOf(spec, times, lines) {
  const every = Math.max(1, Math.ceil(times.length / ROWS));
  return times
    .map((time, i) => [clock(time * 1000), ...lines.map(({ values }) => meanText(spec, values.slice(Math.max(0, i + 1 - every), i + 1)))])
    .filter((row, i) => (times.length - 1 - i) % every === 0);
}

function meanText(spec, values) {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? "none" : spec.format(known.reduce((sum, value) => sum + value, 0) / known.length);
}
