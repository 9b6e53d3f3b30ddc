// The signed-in user and the current page. Each page is a function that fills an element and returns a function that stops it.
import { accessPage } from "./access.js";
import { makeApi, signInMethods } from "./api.js";
import { showBanner } from "./banner.js";
import { bucketsPage } from "./buckets.js";
import { clusterPage } from "./cluster.js";
import { byId, h } from "./dom.js";
import { errorsPage } from "./errors.js";
import { explainPage } from "./explain.js";
import { jobsPage } from "./jobs.js";
import { overviewPage } from "./overview.js";
import { parseRoute } from "./route.js";
import { settingsPage } from "./settings.js";
import { has, loadRights } from "./rights.js";
import { placeBefore, signIn } from "./signin.js";
import { themeSwitch } from "./theme.js";

const PAGES = [
  { name: "overview", title: "Overview", open: overviewPage },
  { name: "jobs", title: "Jobs", open: jobsPage },
  { name: "buckets", title: "Buckets", open: bucketsPage },
  { name: "explain", title: "Explain", open: explainPage },
  { name: "errors", title: "Errors", open: errorsPage, right: "view" },
  { name: "cluster", title: "Cluster", open: clusterPage, right: "view", isThere: ({ identity }) => identity.cluster !== undefined },
  { name: "access", title: "Access", open: accessPage, right: "admin" },
  { name: "settings", title: "Settings", open: settingsPage, right: "admin" },
];

let session = null;
let leave = () => {};
let shown = "";
let banner = { stop: () => {}, again: () => {} };

const pages = () => PAGES.filter(({ right, isThere = () => true }) => (!right || has(session, right)) && isThere(session));

function find({ page: name }) {
  const fallback = has(session, "view") ? "overview" : "jobs";
  return pages().find((one) => one.name === name) ?? pages().find((one) => one.name === fallback);
}

function show() {
  leave();
  // A dialog belongs to the page before.
  document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
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
  const again = has(session, "view") ? showBanner(byId("banner"), session, () => shown !== "overview", stop.signal) : () => {};
  banner = { stop: () => stop.abort(), again };
}

const ENDED = "Your session has ended. Sign in again.";

function begin(identity) {
  const begun = { identity, api: makeApi(() => session === begun && showSignIn(ENDED)) };
  session = begun;
  begun.loaded = loadRights(begun);
  byId("identity").textContent = identity.name;
  byId("nav").replaceChildren(...pages().map(({ name, title }) => h("a", { href: `#/${name}`, "data-page": name }, title)));
  byId("bar").hidden = false;
  startBanner();
  show();
}

// Other tabs learn of it by their next request.
async function signOut() {
  try {
    await session.api.delete("/session");
    showSignIn("");
  } catch (problem) {
    showSignIn(problem.status === 401 ? "" : `You are not signed out: ${problem.message}`);
  }
}

async function showSignIn(why, known) {
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
  const { provider } = known ?? (await methods());
  signIn(byId("main"), why, provider, (identity) => {
    begin(identity);
    byId("main").focus();
  });
}

async function methods() {
  try {
    return await signInMethods();
  } catch {
    return { provider: "", hasSession: false };
  }
}

async function resume() {
  const known = await methods();
  const place = placeBefore();
  if (!known.hasSession) {
    showSignIn("", known);
    return;
  }
  if (place && location.hash === "") {
    history.replaceState(null, "", place);
  }
  try {
    begin(await makeApi().get("/whoami"));
  } catch (problem) {
    if (problem.status === 401) {
      showSignIn(ENDED);
    } else {
      showSignIn(`${problem.message} Load this page again, or sign in.`);
    }
  }
}

byId("sign-out").addEventListener("click", signOut);
window.addEventListener("hashchange", () => {
  if (session && (location.hash.startsWith("#/") || location.hash === "")) {
    show();
    byId("main").focus();
  }
});
byId("theme").append(themeSwitch());
resume();
