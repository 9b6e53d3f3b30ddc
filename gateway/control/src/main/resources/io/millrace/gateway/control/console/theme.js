// The theme: that of the system, light or dark. The browser remembers the choice.
import { h } from "./dom.js";

const STORED = "millrace.theme";
const THEMES = { system: "System theme", light: "Light theme", dark: "Dark theme" };

const stored = () => (Object.hasOwn(THEMES, localStorage.getItem(STORED)) ? localStorage.getItem(STORED) : "system");

function apply(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  dispatchEvent(new Event("themechange"));
}

export function themeSwitch() {
  const select = h("select", { "aria-label": "Theme" }, Object.entries(THEMES).map(([value, title]) => h("option", { value }, title)));
  select.value = stored();
  select.addEventListener("change", () => {
    localStorage.setItem(STORED, select.value);
    apply(select.value);
  });
  return select;
}

// Calls redraw whenever the colours change, by choice or by the system.
export function onThemeChange(redraw, signal) {
  addEventListener("themechange", redraw, { signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw, { signal });
}

apply(stored());
