// Makes elements. Data becomes text, never markup.

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) {
      continue;
    }
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// h("p", { class: "note", onclick: f }, "text", element)
export const h = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);

export const byId = (id) => document.getElementById(id);

// Writes a text only if it has changed, so that no screen reader repeats it.
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

// Announces a text to users of screen readers.
export const announce = (text) => setText(byId("live"), text);

export const note = (text, kind = "") => h("p", { class: `note ${kind}` }, text);

let labels = 0;

// A labelled control, described by its hint and its error.
export function field(label, control, hint = "") {
  const id = control.id || `field-${++labels}`;
  control.id = id;
  control.setAttribute("aria-describedby", `${id}-hint ${id}-error`);
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    control,
    h("span", { class: "hint", id: `${id}-hint` }, hint),
    h("span", { class: "wrong", id: `${id}-error` }),
  );
}

export function setWrong(control, text) {
  byId(`${control.id}-error`).textContent = text;
  control.toggleAttribute("aria-invalid", text !== "");
  if (text !== "") {
    control.setAttribute("aria-invalid", "true");
  }
}

// A table whose rows are lists of cells: texts or elements. Columns are { title, number }.
export function table(caption, columns, rows) {
  const cell = (content, i) => {
    const properties = { class: columns[i].number ? "number" : undefined, "data-title": columns[i].title };
    return i === 0 ? h("th", { scope: "row", ...properties }, content) : h("td", properties, content);
  };
  return h(
    "table",
    {},
    h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, columns.map((one) => h("th", { scope: "col", class: one.number ? "number" : "" }, one.title)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell)))),
  );
}

// Asks for confirmation; returns a promise of the answer.
export const confirmed = (question, yes) => choose(question, yes, "danger", () => true).then((answer) => answer === true);

// Asks for a value; returns a promise of it, or of undefined if the dialog was dismissed.
export function askFor(question, label, value, yes) {
  const input = h("input", { value, required: true, spellcheck: "false", autocomplete: "off" });
  return choose(question, yes, "", () => input.value.trim(), field(label, input));
}

function choose(question, yes, kind, result, ...content) {
  return new Promise((answer) => {
    const dialog = h(
      "dialog",
      { class: "question", "aria-label": question, onclose: () => answer(dialog.returnValue === "yes" ? result() : undefined) },
      h(
        "form",
        { method: "dialog" },
        h("p", {}, question),
        ...content,
        h(
          "div",
          { class: "actions" },
          h("button", { type: "button", class: "quiet", onclick: () => dialog.close("no") }, "Back"),
          h("button", { value: "yes", class: kind }, yes),
        ),
      ),
    );
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });
}
