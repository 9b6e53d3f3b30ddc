// The tree of what is cached in a bucket, with sizes. Folders are scanned when they are opened; actions apply to the selected rows.
import { h, note, setText } from "./dom.js";
import { bytes, count, percent, plural } from "./format.js";
import { scanResidency } from "./residency.js";
import { hasIn, sourceOf } from "./rights.js";
import { linkTo } from "./route.js";
import { meter } from "./storage.js";
import { TREE_ACTIONS, runAction } from "./treeactions.js";

export function crumbs(bucket, prefix) {
  const parts = prefix.split("/").slice(0, -1);
  const links = parts.map((part, i) => [part, `${parts.slice(0, i + 1).join("/")}/`]);
  const steps = [h("a", { href: "#/buckets" }, "All buckets"), step(bucket, linkTo("buckets", bucket), links.length === 0)];
  links.forEach(([part, place], i) => steps.push(step(part || "(no name)", linkTo("buckets", bucket, place), i === links.length - 1)));
  return h("nav", { class: "crumbs", "aria-label": "Folders" }, steps.flatMap((one, i) => (i === 0 ? [one] : [h("span", { "aria-hidden": "true" }, "/"), one])));
}

const step = (text, href, last) => h("a", { href, "aria-current": last ? "location" : undefined }, h("code", {}, text));

export function treePage(root, session, bucket, prefix, signal) {
  const lead = h("p", { class: "lead", role: "status" });
  const trouble = note("", "bad");
  const done = h("p", { class: "note", role: "status", hidden: true });
  const body = h("tbody", {});
  const card = h(
    "div",
    { class: "card wide" },
    h(
      "table",
      { class: "stacked tree", "aria-label": `Cached below s3://${bucket}/${prefix}` },
      h("thead", {}, h("tr", {}, h("td", { class: "select" }), h("th", { scope: "col" }, "Name"), ...["Cached objects", "Cached bytes", "Share"].map((title) => h("th", { scope: "col", class: "number" }, title)))),
      body,
    ),
  );
  const empty = h("p", { class: "empty", hidden: true }, "Nothing is cached here. Reads fill the cache; a prefetch fills it in advance.");
  const buttons = TREE_ACTIONS.map((action) => ({ action, button: h("button", { type: "button", class: "quiet", onclick: () => act(action) }, action.title) }));
  let whole = 0;
  let rows = [];
  trouble.hidden = true;
  root.append(
    h(
      "div",
      { class: "filters" },
      h("div", { class: "actions", role: "group", "aria-label": "Selected objects and folders" }, buttons.map(({ button }) => button), h("button", { type: "button", class: "quiet", onclick: () => load() }, "Reload")),
    ),
    lead,
    trouble,
    done,
    card,
    empty,
  );

  const here = { name: prefix, folder: true };
  const selected = () => rows.filter(({ box }) => box.checked).map(({ child }) => child);

  // Without a selection the actions apply to the whole folder.
  function showSelection() {
    const chosen = selected();
    buttons.forEach(({ action, button }) => (button.hidden = action.ofCache === true && sourceOf(session, bucket) !== undefined));
    buttons.forEach(({ action, button }) => (button.disabled = !hasIn(session, bucket, ...action.rights)));
    buttons.forEach(({ action, button }) => setText(button, chosen.length > 0 ? `${action.title} (${chosen.length})` : `${action.title} all`));
  }

  async function load() {
    fail("");
    card.setAttribute("aria-busy", "true");
    setText(lead, "Scanning what is cached …");
    try {
      const found = await scan(prefix);
      await session.loaded;
      // Of the members of archives; what a transform makes is counted as any object is.
      const source = found.derivedFrom;
      whole = found.cachedBytes;
      rows = [];
      body.replaceChildren(...rowsOf(found, prefix, 1));
      card.hidden = found.objects === 0;
      empty.hidden = found.objects > 0 || source !== undefined;
      setText(lead, source !== undefined ? `The objects of this bucket are cached as parts of those of ${source}. Only the content of deflated members is cached here, and counted on the page Buckets.` : `${bytes(found.cachedBytes)} of ${plural(found.cachedObjects, "object")} ${found.cachedObjects === 1 ? "is" : "are"} cached.`);
    } catch (problem) {
      card.hidden = true;
      setText(lead, "");
      fail(signal.aborted ? "" : problem.message);
    }
    card.setAttribute("aria-busy", "false");
    showSelection();
  }

  async function scan(below) {
    const found = await scanResidency(session, bucket, below, signal, (share) => setText(lead, `Scanning what is cached: ${percent(share)} …`));
    if (found.unanswered.length > 0) {
      fail(found.unanswered.map(({ member, problem }) => `Without member ${member}: ${problem}.`).join(" "));
    }
    return found;
  }

  function rowsOf(found, below, level) {
    const children = found.children.map((child) => row(child, below, level));
    return found.others.objects > 0 ? [...children, figures(h("tr", {}, h("td", {}), name(level, "All others")), found.others)] : children;
  }

  function row(child, below, level) {
    const text = child.name.slice(below.length) || child.name;
    const box = h("input", { type: "checkbox", "aria-label": `Select ${child.name}`, onchange: showSelection });
    const toggle = child.folder ? h("button", { type: "button", class: "toggle", "aria-expanded": "false", "aria-label": `Open ${child.name}`, onclick: () => open() }, "▸") : h("span", { class: "toggle" });
    const link = child.folder ? h("a", { href: linkTo("buckets", bucket, child.name) }, h("code", {}, text)) : h("a", { href: linkTo("explain", bucket, child.name), title: "Explain the next GET" }, h("code", {}, text));
    const element = figures(h("tr", {}, h("td", { class: "select" }, box), name(level, toggle, link)), child);
    let inside = [];

    async function open() {
      const opens = toggle.getAttribute("aria-expanded") === "false";
      toggle.setAttribute("aria-expanded", String(opens));
      toggle.textContent = opens ? "▾" : "▸";
      if (!opens) {
        close();
        return;
      }
      try {
        const found = await scan(child.name);
        if (toggle.getAttribute("aria-expanded") === "true" && element.isConnected) {
          inside = rowsOf(found, child.name, level + 1);
          element.after(...inside);
        }
      } catch (problem) {
        fail(signal.aborted ? "" : problem.message);
      }
    }

    // Closes the folders inside, too.
    function close() {
      const gone = new Set(inside);
      rows.filter((one) => gone.has(one.element)).forEach((one) => one.close());
      rows = rows.filter((one) => !gone.has(one.element));
      inside.forEach((one) => one.remove());
      inside = [];
      showSelection();
    }

    rows.push({ child, box, element, close });
    return element;
  }

  function figures(element, { cachedObjects, cachedBytes }) {
    const cell = (title, content) => h("td", { class: "number", "data-title": title }, content);
    element.append(cell("Cached objects", count(cachedObjects)), cell("Cached bytes", bytes(cachedBytes)), cell("Share", whole > 0 ? meter(cachedBytes / whole) : "–"));
    return element;
  }

  function fail(text) {
    trouble.hidden = text === "";
    setText(trouble, text);
  }

  async function act(action) {
    const chosen = selected();
    fail("");
    done.hidden = true;
    try {
      const result = await runAction(session, action, bucket, chosen.length > 0 ? chosen : [here]);
      if (result) {
        done.replaceChildren(...result);
        done.hidden = false;
      }
    } catch (problem) {
      fail(problem.message);
    }
  }

  session.loaded.then(showSelection);
  load();
}

function name(level, ...content) {
  const cell = h("th", { scope: "row", "data-title": "Name" }, h("span", { class: "name" }, ...content));
  cell.style.paddingLeft = `${(level - 1) * 22}px`;
  return cell;
}
