// Elements. Text only ever becomes text: there is no way here from data to markup.

const SVG = "http://www.w3.org/2000/svg";

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

export const svg = (tag, properties = {}, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

export const byId = (id) => document.getElementById(id);

// Writes a text only where it has changed, so that nothing is read out twice.
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

// Says something to whoever listens instead of looking.
export const announce = (text) => setText(byId("live"), text);

export const note = (text, kind = "") => h("p", { class: `note ${kind}` }, text);

let labels = 0;

// A labelled control; hint and error belong to it for those who listen, too.
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

// Asks before something that cannot be undone; a promise of the answer.
export function confirmed(question, yes) {
  return new Promise((answer) => {
    const dialog = h(
      "dialog",
      { class: "ask", "aria-label": question, onclose: () => answer(dialog.returnValue === "yes") },
      h("p", {}, question),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close("no") }, "Keep it"),
        h("button", { type: "button", class: "danger", onclick: () => dialog.close("yes") }, yes),
      ),
    );
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });
}
