// The data of the page of errors: which of the last ones match, the lines of the charts, and how many there were of each status, code and bucket.
import { MOST_LINES } from "./chart.js";
import { zoomOf } from "./period.js";

// As the history has it: a response that broke off has begun with another status.
export const statusOf = ({ status, outcome }) => (outcome === "broken" ? "broken" : String(status));

const isWithin = (at, zoomed) => zoomed === null || (Date.parse(at) / 1000 >= zoomed[0] && Date.parse(at) / 1000 <= zoomed[1]);

export const matches = (error, { q, status, bucket, ...period }) =>
  (!status || statusOf(error) === status) &&
  (!bucket || error.bucket === bucket) &&
  isWithin(error.at, zoomOf(period)) &&
  [error.key, error.bucket, error.identity, error.peer, error.requestId, error.operation, error.code, error.message, error.reason].join(" ").toLowerCase().includes(q.trim().toLowerCase());

const passes = ({ bucket, status }, filter) => (!filter.bucket || bucket === filter.bucket) && (!filter.status || status === filter.status);

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

// Errors per second by "status", "code" or "bucket": the lines with the most. A response that broke off has no code.
export function errorLines({ times, series }, filter, by) {
  const lines = new Map();
  for (const one of series.filter((each) => passes(each, filter))) {
    const name = one[by] || "no code";
    const rates = lines.get(name) ?? new Map();
    one.points.forEach(({ at, errors, millis }) => rates.set(at, (rates.get(at) ?? 0) + (errors * 1000) / millis));
    lines.set(name, rates);
  }
  const most = [...lines].toSorted(([, one], [, other]) => sum([...other.values()]) - sum([...one.values()])).slice(0, MOST_LINES);
  return { times: times.map((time) => Date.parse(time) / 1000), lines: most.map(([name, rates]) => ({ name, values: times.map((time) => rates.get(time) ?? 0) })) };
}

// The statuses, codes and buckets with errors between two times (seconds), the most first.
export function errorSums({ series }, filter, [from, to]) {
  const isWithin = ({ at }) => Date.parse(at) / 1000 >= from && Date.parse(at) / 1000 <= to;
  return series
    .filter((one) => passes(one, filter))
    .map(({ bucket, status, code, points }) => ({ bucket, status, code, points: points.filter(isWithin) }))
    .filter(({ points }) => points.length > 0)
    .map(({ bucket, status, code, points }) => ({ bucket, status, code, errors: sum(points.map(({ errors }) => errors)), first: beginOf(points[0]), last: points.at(-1).at }))
    .toSorted((one, other) => other.errors - one.errors);
}

// A step counts what happened since its begin.
const beginOf = ({ at, millis }) => new Date(Date.parse(at) - millis).toISOString();
