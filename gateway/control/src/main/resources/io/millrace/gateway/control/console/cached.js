// Cached objects, from buckets down to folders and objects.
import { h, note, table } from "./dom.js";
import { bytes, count, percent, plural } from "./format.js";

const DELIMITER = "/";
const BUSY = 429;
const MOST_CHILDREN = 1000;

export const linkTo = (page, ...places) => `#/${[page, ...places].map(encodeURIComponent).join("/")}`;

export function cachedPage(root, session, [bucket, prefix = ""]) {
  const stop = new AbortController();
  const content = h("div", { "aria-live": "polite", "aria-busy": "true" }, h("p", { class: "lead" }, "Reading the cache index …"));
  root.append(h("div", { class: "head" }, h("h1", {}, "What is cached"), bucket ? h("button", { type: "button", class: "quiet", onclick: () => load() }, "Read again") : null));
  if (bucket) {
    root.append(crumbs(bucket, prefix));
  }
  root.append(content);

  async function load() {
    content.setAttribute("aria-busy", "true");
    try {
      content.replaceChildren(...(bucket ? folder(bucket, prefix, await residency()) : listed(await session.api.get("/buckets", {}, stop.signal))));
    } catch (problem) {
      if (!stop.signal.aborted) {
        content.replaceChildren(note(problem.message, problem.status === 403 || problem.status === 501 ? "" : "bad"));
      }
    }
    content.setAttribute("aria-busy", "false");
  }

  // The server scans for about a second a request.
  async function residency() {
    const sum = { objects: 0, cachedObjects: 0, cachedBytes: 0, children: new Map(), others: { objects: 0, cachedObjects: 0, cachedBytes: 0 } };
    let from = "";
    do {
      const step = await scan(from);
      add(sum, step);
      from = step.next;
      if (from !== undefined) {
        content.replaceChildren(h("p", { class: "lead" }, `Reading the cache index: ${percent(step.read)} …`));
      }
    } while (from !== undefined);
    return { ...sum, children: [...sum.children.values()] };
  }

  // It runs few scans at a time: while others run, it answers 429 and this retries.
  async function scan(from) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await session.api.get("/residency", { bucket, prefix, delimiter: DELIMITER, from }, stop.signal);
      } catch (problem) {
        if (problem.status !== BUSY || attempt === 20) {
          throw problem;
        }
        await new Promise((resume) => setTimeout(resume, 1000));
      }
    }
  }

  load();
  return () => stop.abort();
}

// A folder may be in several steps. Steps are in the order of keys, so the first children are those of the first steps.
function add(sum, step) {
  const plus = (all, one) => Object.assign(all, { objects: all.objects + one.objects, cachedObjects: all.cachedObjects + one.cachedObjects, cachedBytes: all.cachedBytes + one.cachedBytes });
  plus(sum, step);
  plus(sum.others, step.others);
  for (const child of step.children) {
    const known = sum.children.get(child.name);
    if (known || sum.children.size === MOST_CHILDREN) {
      plus(known ?? sum.others, child);
    } else {
      sum.children.set(child.name, child);
    }
  }
}

function crumbs(bucket, prefix) {
  const parts = prefix.split(DELIMITER).slice(0, -1);
  const links = parts.map((part, i) => [part, parts.slice(0, i + 1).join(DELIMITER) + DELIMITER]);
  const steps = [h("a", { href: "#/cached" }, "All buckets"), step(bucket, linkTo("cached", bucket), links.length === 0)];
  links.forEach(([part, place], i) => steps.push(step(part || "(no name)", linkTo("cached", bucket, place), i === links.length - 1)));
  return h("nav", { class: "crumbs", "aria-label": "Folders" }, steps.flatMap((one, i) => (i === 0 ? [one] : [h("span", { "aria-hidden": "true" }, "/"), one])));
}

const step = (text, href, last) => h("a", { href, "aria-current": last ? "location" : undefined }, h("code", {}, text));

function listed({ buckets }) {
  if (buckets.length === 0) {
    return [h("p", { class: "empty" }, "You have no right on any bucket of this server.")];
  }
  const rows = buckets.map((bucket) => [
    bucket.rights.includes("list") ? h("a", { href: linkTo("cached", bucket.name) }, h("code", {}, bucket.name)) : h("code", {}, bucket.name),
    bucket.backend,
    freshness(bucket.freshness),
    bucket.rights.length > 0 ? bucket.rights.join(", ") : "none",
  ]);
  return [
    h("p", { class: "lead" }, "Choose a bucket to see how much of it is cached. You need the right list on it."),
    card(table("Buckets", [{ title: "Bucket" }, { title: "Backend" }, { title: "Freshness" }, { title: "Your rights" }], rows)),
  ];
}

export function freshness({ mode, ttlSeconds }) {
  return mode === "ttl" ? `revalidated after ${ttlSeconds} s (ttl)` : mode === "strict" ? "revalidated on every read (strict)" : "never revalidated (immutable)";
}

function folder(bucket, prefix, found) {
  const lead = h("p", { class: "lead" }, `${bytes(found.cachedBytes)} of ${plural(found.cachedObjects, "object")} ${found.cachedObjects === 1 ? "is" : "are"} cached.`);
  if (found.objects === 0) {
    return [h("p", { class: "empty" }, "Nothing is cached here. Reads fill the cache; a prefetch job fills it in advance.")];
  }
  const rows = found.children.map((child) => row(bucket, prefix, child));
  if (found.others.objects > 0) {
    rows.push(["All others", ...figures(found.others)]);
  }
  const columns = [{ title: "Name" }, { title: "Cached objects", number: true }, { title: "Cached bytes", number: true }];
  return [lead, card(table(`Below s3://${bucket}/${prefix}`, columns, rows))];
}

function row(bucket, prefix, child) {
  const name = h("code", {}, child.name.slice(prefix.length) || child.name);
  const link = child.folder ? h("a", { href: linkTo("cached", bucket, child.name) }, name) : h("a", { href: linkTo("explain", bucket, child.name), title: "Explain what the next GET would do" }, name);
  return [link, ...figures(child)];
}

const figures = ({ cachedObjects, cachedBytes }) => [count(cachedObjects), bytes(cachedBytes)];

function card(element) {
  element.classList.add("stacked");
  return h("div", { class: "card" }, element);
}
