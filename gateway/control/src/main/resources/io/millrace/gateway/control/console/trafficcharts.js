// The charts of traffic: of all of it, or of operations, backends and buckets. A chart is a title, a format and its lines.
import { MOST_LINES } from "./chart.js";
import { count, millis, percent, perSecond, rate } from "./format.js";

const requestRate = (value) => `${perSecond(value)}/s`;
const seconds = ({ millis: length }) => length / 1000;
const gets = (point) => point.hits + point.misses + point.stale + point.bypassed;
const per = (name) => (point) => point[name] / seconds(point);
const latency = (name) => (point) => (point[name] === undefined ? null : point[name] / 1000);
const sizes = { format: rate, binary: true, least: 1024 };

const ALL = [
  {
    title: "Requests",
    lines: [{ name: "Requests", of: per("requests") }, { name: "Errors", of: per("errors") }],
    format: requestRate,
    aside: (point) => `${count(point.inFlight)} in progress`,
  },
  {
    title: "GETs served from the cache",
    lines: [{ name: "Hit ratio", of: (point) => (gets(point) > 0 ? point.hits / gets(point) : null) }],
    format: percent,
    top: 1,
    aside: (point) => (gets(point) > 0 ? `${count(point.hits)} of ${count(gets(point))} GETs in ${Math.round(seconds(point))} s` : "no GETs"),
  },
  {
    title: "Bytes",
    lines: [{ name: "From the cache", of: per("bytesCached") }, { name: "From backends", of: per("bytesFetched") }],
    ...sizes,
    aside: (point) => `${rate(point.bytesFetched / seconds(point))} from backends`,
  },
  {
    title: "Time to first byte of GETs",
    lines: [{ name: "p50", of: latency("p50Micros") }, { name: "p99", of: latency("p99Micros") }],
    format: millis,
    aside: (point) => (point.p99Micros === undefined ? "no GETs" : `p99 ${millis(point.p99Micros / 1000)}`),
  },
];

const SPLIT = {
  operation: [
    { title: "Requests", of: per("requests"), format: requestRate },
    { title: "Errors", of: per("errors"), format: requestRate },
    { title: "Bytes to clients", of: per("bytes"), ...sizes },
    { title: "Mean duration", of: latency("meanMicros"), format: millis, gaps: true },
  ],
  backend: [
    { title: "Calls", of: per("requests"), format: requestRate },
    { title: "Errors", of: per("errors"), format: requestRate },
    { title: "Bytes from backends", of: per("bytes"), ...sizes },
    { title: "Mean latency", of: latency("meanMicros"), format: millis, gaps: true },
  ],
  bucket: [
    { title: "GETs and HEADs of clients", of: per("requests"), format: requestRate },
    { title: "GETs and HEADs sent to backends", of: per("backendRequests"), format: requestRate },
    { title: "Bytes to clients", of: per("bytes"), ...sizes },
    { title: "Bytes from backends", of: per("backendBytes"), ...sizes },
  ],
};

export const GROUPS = { "": "All traffic", operation: "By operation", backend: "By backend", bucket: "By bucket" };

export const chartsOf = (group) => (group === "" ? ALL : SPLIT[group]);

const toSeconds = (time) => Date.parse(time) / 1000;

// The times and lines of a chart of all traffic.
export function allLines(spec, { points }) {
  return { times: points.map(({ at }) => toSeconds(at)), lines: spec.lines.map(({ name, of }) => ({ name, values: points.map(of) })) };
}

// The times and lines of a chart of a breakdown: the busiest, or the one that was chosen.
export function splitLines(spec, { times, series }, chosen) {
  const total = ({ points }) => points.reduce((sum, { requests }) => sum + requests, 0);
  const shown = chosen ? series.filter(({ name }) => name === chosen) : series.toSorted((one, other) => total(other) - total(one)).slice(0, MOST_LINES);
  const lines = shown.map(({ name, points }) => {
    const at = new Map(points.map((point) => [point.at, point]));
    return { name, values: times.map((time) => (at.has(time) ? spec.of(at.get(time)) : spec.gaps ? null : 0)) };
  });
  return { times: times.map(toSeconds), lines };
}
