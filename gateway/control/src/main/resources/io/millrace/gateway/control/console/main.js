// The signed-in user and the current page. Each page is a function that fills an element and returns a function that stops it.
import { accessPage } from "./access.js";
import { makeApi } from "./api.js";
import { showBanner } from "./banner.js";
import { bucketsPage } from "./buckets.js";
import { byId, h } from "./dom.js";
import { errorsPage } from "./errors.js";
import { explainPage } from "./explain.js";
import { jobsPage } from "./jobs.js";
import { overviewPage } from "./overview.js";
import { parseRoute } from "./route.js";
import { settingsPage } from "./settings.js";
import { signIn } from "./signin.js";
import { themeSwitch } from "./theme.js";
import { storedToken } from "./token.js";

const PAGES = [
  { name: "overview", title: "Overview", open: overviewPage },
  { name: "jobs", title: "Jobs", open: jobsPage },
  { name: "buckets", title: "Buckets", open: bucketsPage },
  { name: "explain", title: "Explain", open: explainPage },
  { name: "errors", title: "Errors", open: errorsPage, operator: true },
  { name: "access", title: "Access", open: accessPage, operator: true },
  { name: "settings", title: "Settings", open: settingsPage, operator: true },
];

let session = null;
let leave = () => {};
let shown = "";
let banner = { stop: () => {}, again: () => {} };

const pagesOf = ({ operator }) => PAGES.filter((page) => operator || !page.operator);

function find({ page: name }) {
  const fallback = session.identity.operator ? "overview" : "jobs";
  const pages = pagesOf(session.identity);
  return pages.find((one) => one.name === name) ?? pages.find((one) => one.name === fallback);
}

function show() {
  leave();
  const route = parseRoute(location.hash);
  const page = find(route);
  document.title = `${[page.title, ...route.places].join(" / ")} · Millrace`;
  for (const link of byId("nav").children) {
    link.toggleAttribute("aria-current", link.dataset.page === page.name);
    if (link.dataset.page === page.name) {
      link.setAttribute("aria-current", "page");
    }
  }
  const root = h("div", { class: "page" });
  byId("main").replaceChildren(root);
  leave = page.open(root, session, route) ?? (() => {});
  shown = page.name;
  banner.again();
}

function startBanner() {
  const stop = new AbortController();
  const again = session.identity.operator ? showBanner(byId("banner"), session, () => shown !== "overview", stop.signal) : () => {};
  banner = { stop: () => stop.abort(), again };
}

function begin(token, identity) {
  session = { identity, api: makeApi(token, () => end("Your session has ended. Sign in again.")) };
  byId("identity").textContent = identity.name;
  byId("nav").replaceChildren(...pagesOf(identity).map(({ name, title }) => h("a", { href: `#/${name}`, "data-page": name }, title)));
  byId("bar").hidden = false;
  startBanner();
  show();
}

function end(why = "") {
  storedToken.forget();
  showSignIn(why);
}

function showSignIn(why) {
  leave();
  leave = () => {};
  session = null;
  banner.stop();
  byId("banner").replaceChildren();
  byId("banner").hidden = true;
  byId("bar").hidden = true;
  byId("identity").textContent = "";
  byId("live").textContent = "";
  document.title = "Sign in · Millrace";
  signIn(byId("main"), why, (token, identity) => {
    begin(token, identity);
    byId("main").focus();
  });
}

async function resume() {
  const token = storedToken.get();
  if (!token) {
    end();
    return;
  }
  try {
    begin(token, await makeApi(token).get("/whoami"));
  } catch (problem) {
    if (problem.status === 401) {
      end("Your session has ended. Sign in again.");
    } else {
      showSignIn(`${problem.message} Load this page again, or sign in.`);
    }
  }
}

byId("sign-out").addEventListener("click", () => end());
window.addEventListener("hashchange", () => {
  if (session && (location.hash.startsWith("#/") || location.hash === "")) {
    show();
    byId("main").focus();
  }
});
byId("theme").append(themeSwitch());
resume();
