// Lines over time as SVG, and the same numbers as a table for those who do not see them.
import { h, svg, table } from "./dom.js";
import { clock } from "./format.js";

const NARROWEST = 240;
const HEIGHT = 150;
const LEFT = 62;
const BOTTOM = 20;
const TOP = 8;
const ROWS = 12;
const NAMES = [["only"], ["first", "second"]];

// The next round number: 1, 2 or 5 times a power of ten; of two for bytes.
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

// spec has lines ({ name, of(point) }), format, and top or binary; traffic is the API's answer, room is in pixels.
export function chart(spec, { points, stepSeconds }, minutes, room) {
  const width = Math.max(NARROWEST, room);
  const end = points.length > 0 ? Date.parse(points.at(-1).at) : Date.now();
  const begin = end - minutes * 60000;
  const shown = points.filter((point) => Date.parse(point.at) > begin);
  const values = spec.lines.map((line) => shown.map(line.of));
  const top = spec.top ?? roundUp(Math.max(spec.least ?? 0, ...values.flat().filter((value) => value !== null)), spec.binary);
  const x = (time) => LEFT + ((time - begin) / (end - begin)) * (width - LEFT - 4);
  const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
  const names = NAMES[spec.lines.length - 1];
  const times = shown.map((point) => x(Date.parse(point.at)));
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true", focusable: "false" },
    [0, 0.5, 1].map((share) => [
      svg("line", { class: "grid", x1: LEFT, x2: width, y1: y(top * share), y2: y(top * share) }),
      svg("text", { x: LEFT - 8, y: y(top * share) + 4, "text-anchor": "end" }, share === 0 ? "0" : spec.format(top * share)),
    ]).flat(),
    [0, 0.5, 1].map((share) =>
      svg("text", { x: x(begin + share * (end - begin)), y: HEIGHT - 4, "text-anchor": ["start", "middle", "end"][share * 2] }, share === 1 ? "now" : clock(begin + share * (end - begin))),
    ),
    values.map((line, i) => pieces(times, line, 2.5 * ((stepSeconds * 1000) / (end - begin)) * width)
      .map((piece) => [
        svg("path", { class: `area ${names[i]}`, d: `${path(piece, y)}V${y(0)}H${piece[0][0]}Z` }),
        svg("path", { class: `line ${names[i]}`, d: path(piece, y) }),
      ]).flat()).flat(),
  );
  return [drawing, keys(spec, names), numbers(spec, shown, values)];
}

// Runs of points without a gap: what was not measured is not drawn.
function pieces(times, values, gap) {
  const runs = [];
  values.forEach((value, i) => {
    if (value === null) {
      return;
    }
    const run = runs.at(-1);
    if (run && i > 0 && values[i - 1] !== null && times[i] - run.at(-1)[0] <= gap) {
      run.push([times[i], value]);
    } else {
      runs.push([[times[i], value]]);
    }
  });
  // A single point is a short line, so that it can be seen.
  return runs.map((run) => (run.length > 1 ? run : [[run[0][0] - 1.5, run[0][1]], run[0]]));
}

const path = (run, y) => run.map(([at, value], i) => `${i === 0 ? "M" : "L"}${at.toFixed(1)} ${y(value).toFixed(1)}`).join("");

function keys(spec, names) {
  if (names.length < 2) {
    return h("div", {});
  }
  return h(
    "p",
    { class: "keys", "aria-hidden": "true" },
    spec.lines.map(({ name }, i) => h("span", {}, svg("svg", { viewBox: "0 0 22 8" }, svg("path", { class: `line ${names[i]}`, d: "M0 4H22" })), name)),
  );
}

// Some rows, evenly chosen: nobody listens to hundreds.
function numbers(spec, points, values) {
  const every = Math.max(1, Math.ceil(points.length / ROWS));
  const rows = points
    .map((point, i) => [clock(point.at), ...values.map((line) => (line[i] === null ? "none" : spec.format(line[i])))])
    .filter((row, i) => (points.length - 1 - i) % every === 0);
  const columns = [{ title: "Time" }, ...spec.lines.map(({ name }) => ({ title: name, number: true }))];
  return h("div", { class: "unseen" }, table(spec.title, columns, rows));
}
