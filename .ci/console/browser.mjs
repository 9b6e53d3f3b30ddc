// A Chromium, and watchers of all requests and errors of a page.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.NODE_PATH}/`);
const { chromium } = require("playwright-core");
export const axe = require("axe-core");

const { ADMIN_PORT, CHROMIUM, MEMBER_PORT, SHOTS } = process.env;
export const HOME = `http://127.0.0.1:${ADMIN_PORT}/`;
export const MEMBER = `http://127.0.0.1:${MEMBER_PORT}/`;
export const SECRETS = ["admin-secret-that-stays-here", "bob-secret-that-stays-here"];

// The errors that Chromium logs for a wrong key, an ended session and the wrong fields of these checks.
const EXPECTED = /40[01] \((Unauthorized|Bad Request)\)/;

let browser;
export let page;
export const contexts = [];

export const say = (text) => console.log(text);

export async function begin() {
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    timeout: 120_000,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP millrace.test 127.0.0.1"],
  });
  page = await open();
}

export const end = () => browser.close();

// A page of its own session, with axe in it where that is wanted.
export async function open({ withAxe = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  if (withAxe) {
    await context.addInitScript({ content: axe.source });
  }
  const opened = await context.newPage();
  const watched = { errors: [], foreign: [], requests: [], close: () => context.close() };
  contexts.push(watched);
  // A guard against a hang, on the slowest machine.
  opened.setDefaultTimeout(60_000);
  opened.on("pageerror", (failure) => watched.errors.push(String(failure)));
  opened.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !EXPECTED.test(message.text())) {
      watched.errors.push(message.text());
    }
  });
  context.on("request", (request) => {
    const url = new URL(request.url());
    watched.requests.push({ path: url.pathname, all: [request.url(), JSON.stringify(request.headers()), request.postData() ?? ""].join("\n") });
    if (url.protocol !== "data:" && ![ADMIN_PORT, MEMBER_PORT].includes(url.port)) {
      watched.foreign.push(request.url());
    }
  });
  opened.watched = watched;
  return opened;
}

export async function signIn(on, accessKey, secret, home = HOME) {
  await on.goto(home);
  await on.getByLabel("Access key").fill(accessKey);
  await on.getByLabel("Secret key").fill(secret);
  await on.getByRole("button", { name: "Sign in" }).click();
  await on.getByRole("button", { name: "Sign out" }).waitFor();
}

export async function goTo(on, place) {
  await on.evaluate((hash) => (location.hash = hash), `#/${place}`);
}

export async function picture(on, name) {
  if (SHOTS) {
    await on.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  }
}
