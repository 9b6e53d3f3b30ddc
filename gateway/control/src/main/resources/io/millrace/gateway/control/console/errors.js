// Which errors, since when, of which bucket: charts and sums of a period, and the last requests that failed, with the ids that responses and
// the log have.
import { h, note, setText, table } from "./dom.js";
import { matches, statusOf } from "./errordata.js";
import { errorHistory } from "./errorhistory.js";
import { millis, moment, plural } from "./format.js";
import { PERIOD, periodControls, periodParams, zoomTo } from "./period.js";
import { repeat } from "./repeat.js";
import { keepParams, linkTo } from "./route.js";
import { stacked } from "./storage.js";

const PAUSE = 5000;

export function errorsPage(root, session, { params }) {
  const stop = new AbortController();
  const filter = { q: "", status: "", bucket: "", ...PERIOD, ...params };
  const lead = h("p", { class: "lead", role: "status" }, "Loading errors …");
  const content = h("div", {});
  const search = h("input", { type: "search", "aria-label": "Search", placeholder: "Key, error code, identity, address or request id", value: filter.q, spellcheck: "false", oninput: () => narrow({ q: search.value }) });
  const status = choice("status", "Status", "All statuses");
  const bucket = choice("bucket", "Bucket", "All buckets");
  let errors = [];
  let failed = true;
  const history = errorHistory(session, filter, zoom, offer, stop.signal);
  const period = periodControls((minutes) => narrow({ minutes, from: "", to: "" }) || history.load(), zoom);
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Errors"), h("div", { class: "filters" }, period.whole, period.spans)),
    h("div", { class: "filters", role: "search", "aria-label": "Errors" }, search, status.select, bucket.select),
    history.element,
    h("h2", { class: "next" }, "The last requests that failed"),
    lead,
    content,
  );
  period.show(filter);

  function narrow(changes) {
    Object.assign(filter, changes);
    keepParams(periodParams(filter));
    period.show(filter);
    history.draw();
    show();
  }

  function zoom(range) {
    narrow(zoomTo(range));
  }

  function offer() {
    status.offer([...errors.map(statusOf), ...history.known("status")]);
    bucket.offer([...errors.map((one) => one.bucket), ...history.known("bucket")]);
  }

  function choice(name, title, all) {
    const select = h("select", { "aria-label": title, onchange: () => narrow({ [name]: select.value }) });
    // Options change only when there are others, so that an open list stays.
    let known = "";
    const offer = (values) => {
      const names = [...new Set([...values, filter[name]].filter(Boolean))].sort();
      if (known !== names.join("\n") || select.options.length === 0) {
        known = names.join("\n");
        select.replaceChildren(...["", ...names].map((value) => h("option", { value }, value || all)));
        select.value = filter[name];
      }
    };
    return { select, offer };
  }

  function show() {
    offer();
    const found = errors.filter((one) => matches(one, filter));
    setText(lead, errors.length === 0 ? "" : `${found.length === errors.length ? plural(found.length, "error") : `${found.length} of ${plural(errors.length, "error")}`}, the newest first. Kept are the last 128 with 5xx or broken off and the last 128 others, until a restart.`);
    content.replaceChildren(found.length > 0 ? stacked(table("Errors", COLUMNS, found.map(cells))) : h("p", { class: "empty" }, errors.length === 0 ? "No request has failed since the start." : "No error matches the filters."));
  }

  async function load() {
    try {
      const next = (await session.api.get("/errors", {}, stop.signal)).errors;
      if (failed || next.length !== errors.length || next[0]?.requestId !== errors[0]?.requestId) {
        failed = false;
        errors = next;
        show();
      }
    } catch (problem) {
      if (!stop.signal.aborted) {
        failed = true;
        content.replaceChildren(note(problem.message, "bad"));
      }
    }
  }

  repeat(load, () => PAUSE, stop.signal);
  return () => stop.abort();
}

const COLUMNS = [{ title: "Time" }, { title: "Status", number: true }, { title: "Operation" }, { title: "Object" }, { title: "Identity" }, { title: "Client" }, { title: "Duration", number: true }, { title: "Request id" }];

const cells = (one) => [moment(one.at), failure(one), one.operation, h("div", {}, object(one), h("div", { class: "hint" }, one.message), one.reason ? h("div", { class: "hint" }, one.reason) : null), one.identity || "not known", one.peer, millis(one.micros / 1000), h("code", {}, one.requestId)];

function failure(one) {
  const isBroken = one.outcome === "broken";
  const badge = h("span", { class: `state ${one.status >= 500 || isBroken ? "bad" : "warn"}` }, isBroken ? `${one.status || "none"}, broken off` : statusOf(one));
  return h("div", {}, badge, h("div", { class: "hint" }, one.code));
}

const object = ({ bucket, key }) => (bucket === undefined ? "–" : key === undefined ? h("code", {}, `s3://${bucket}/`) : h("a", { href: linkTo("explain", bucket, key), title: "Explain the next GET" }, h("code", {}, `s3://${bucket}/${key}`)));
