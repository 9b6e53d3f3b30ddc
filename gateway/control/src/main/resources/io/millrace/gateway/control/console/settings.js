// The settings in force: file, environment and defaults together, with secrets redacted.
import { h, note, setText, table } from "./dom.js";
import { plural } from "./format.js";
import { keepParams } from "./route.js";
import { stacked } from "./storage.js";

export function settingsPage(root, session, { params }) {
  const stop = new AbortController();
  const search = h("input", { type: "search", "aria-label": "Search", placeholder: "Key or value", value: params.q ?? "", spellcheck: "false", oninput: narrow });
  const lead = h("p", { class: "lead", role: "status" }, "Loading settings …");
  const content = h("div", {});
  let settings = [];
  root.append(h("div", { class: "head" }, h("h1", {}, "Settings in force")), h("div", { class: "filters" }, search), lead, content);

  function narrow() {
    keepParams({ q: search.value });
    show();
  }

  function show() {
    const text = search.value.trim().toLowerCase();
    const found = settings.filter(({ path, value }) => `${path} ${value}`.toLowerCase().includes(text));
    setText(lead, `${found.length === settings.length ? plural(found.length, "setting") : `${found.length} of ${plural(settings.length, "setting")}`}. Secrets are shown as ***.`);
    content.replaceChildren(found.length === 0 ? h("p", { class: "empty" }, "No setting matches.") : stacked(table("Settings", [{ title: "Key" }, { title: "Value" }], found.map(({ path, value }) => [h("code", {}, path), h("code", {}, value)]))));
  }

  session.api
    .get("/settings", {}, stop.signal)
    .then((found) => {
      settings = found.settings;
      show();
    })
    .catch((problem) => stop.signal.aborted || content.replaceChildren(note(problem.message, "bad")));
  return () => stop.abort();
}
