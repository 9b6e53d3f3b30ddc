// Who is here, and which page they look at. Each page is a function of its place that returns how to leave it.
import { makeApi } from "./api.js";
import { byId, h } from "./dom.js";
import { cachedPage } from "./cached.js";
import { explainPage } from "./explain.js";
import { jobsPage } from "./jobs.js";
import { overviewPage } from "./overview.js";
import { signIn } from "./signin.js";
import { kept } from "./token.js";

const PAGES = [
  { name: "overview", title: "Overview", open: overviewPage },
  { name: "jobs", title: "Jobs", open: jobsPage },
  { name: "cached", title: "Cached", open: cachedPage },
  { name: "explain", title: "Explain", open: explainPage },
];

let session = null;
let leave = () => {};

// #/cached/bucket/prefix: the page, and what it is to show.
function place() {
  const [name, ...rest] = location.hash.replace(/^#\//, "").split("/").map(decode);
  const fallback = session.who.operator ? "overview" : "jobs";
  const page = PAGES.find((one) => one.name === name) ?? PAGES.find((one) => one.name === fallback);
  return { page, rest };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function show() {
  leave();
  const { page, rest } = place();
  document.title = `${page.title} · Millrace`;
  for (const link of byId("nav").children) {
    link.toggleAttribute("aria-current", link.dataset.page === page.name);
    if (link.dataset.page === page.name) {
      link.setAttribute("aria-current", "page");
    }
  }
  const root = h("div", { class: "page" });
  byId("main").replaceChildren(root);
  leave = page.open(root, session, rest) ?? (() => {});
}

function begin(token, who) {
  session = { who, api: makeApi(token, () => end("Your session has ended. Sign in again.")) };
  byId("who").textContent = who.name;
  byId("nav").replaceChildren(...PAGES.map(({ name, title }) => h("a", { href: `#/${name}`, "data-page": name }, title)));
  byId("bar").hidden = false;
  show();
}

function end(why = "") {
  kept.forget();
  ask(why);
}

function ask(why) {
  leave();
  leave = () => {};
  session = null;
  byId("bar").hidden = true;
  byId("who").textContent = "";
  byId("live").textContent = "";
  document.title = "Sign in · Millrace";
  signIn(byId("main"), why, (token, who) => {
    begin(token, who);
    byId("main").focus();
  });
}

async function resume() {
  const token = kept.get();
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
      ask(`${problem.message} Load this page again, or sign in.`);
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
resume();
