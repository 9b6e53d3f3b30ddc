// The checks of sessions, cached objects, the overview and other identities.
import assert from "node:assert/strict";
import { HOME, MEMBER, SECRETS, goTo, open, page, picture, signIn } from "./browser.mjs";
import { HOSTILE, button, confirm, get, state, stored, tabTo } from "./hand.mjs";

const { ADMIN_PORT, S3_PORT } = process.env;
const PAGES = {
  overview: "Traffic",
  jobs: "Jobs",
  buckets: "Buckets",
  "buckets/data": "What is cached",
  "explain/data/val%2Fone": "Why did this object miss?",
  errors: "The last requests that failed",
  access: "Identities and rights",
  settings: "Settings in force",
};
const WIDTHS = { narrow: 390, desk: 1440, wide: 1920 };

export const session = {
  async wrongSecret() {
    await page.goto(HOME);
    await page.getByLabel("Access key").fill("CONSOLE-ADMIN");
    await page.getByLabel("Secret key").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("No identity of this server").waitFor();
    const requested = page.watched.requests.map(({ path }) => path).filter((path) => path.startsWith("/api"));
    assert.deepEqual(requested, ["/api/v1/session"]);
    assert.equal(await page.locator("#bar").isVisible(), false);
    await picture(page, "sign-in");
  },
  async signIn() {
    await page.goto(HOME);
    if (process.env.PROVIDER) {
      await page.locator("a.button:focus").waitFor();
      await page.keyboard.press("Tab");
    }
    await page.waitForFunction(() => document.activeElement.name === "access-key");
    await page.keyboard.type("CONSOLE-ADMIN");
    await page.keyboard.press("Tab");
    await page.keyboard.type(SECRETS[0]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Traffic" }).waitFor();
    const kept = await stored();
    assert.deepEqual(JSON.parse(kept).slice(0, 1), [{}]);
    assert.equal(JSON.parse(kept)[2], "");
    const [cookie] = await page.context().cookies(HOME);
    assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite], ["millrace-session", true, "Strict"]);
    assert.ok(!kept.includes(cookie.value) && !(await page.content()).includes(cookie.value));
    for (const { all } of page.watched.requests) {
      assert.ok(SECRETS.every((secret) => !all.includes(secret)), all);
      assert.ok(!/"cookie"/i.test(all), all);
    }
    assert.ok(SECRETS.every((secret) => !kept.includes(secret)));
    assert.ok(!(await page.content()).includes(SECRETS[0]));
  },
  async ended() {
    const [cookie] = await page.context().cookies(HOME);
    await page.context().addCookies([{ ...cookie, value: `${cookie.value.slice(0, -3)}AAA` }]);
    await page.reload();
    await page.getByText("Your session has ended").waitFor();
  },
  async signOut() {
    await signIn(page, "CONSOLE-ADMIN", SECRETS[0]);
    await goTo(page, "jobs");
    await page.locator("tr.job").first().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Access key").waitFor();
    assert.deepEqual(await page.context().cookies(HOME), []);
    const left = await page.locator("body").innerText();
    assert.ok(!left.includes("s3://") && !left.includes("admin"), left);
  },
};

export const tree = {
  async open() {
    const keys = [HOSTILE, "train/deep/er", "val/one", ...Array.from({ length: 40 }, (_, i) => `train/shard-${String(i + 1).padStart(2, "0")}.tar`)];
    await Promise.all(keys.map((key) => get(`data/${encodeURIComponent(key)}`)));
    await goTo(page, "buckets");
    await page.getByRole("row", { name: /^data local answers \d/ }).waitFor();
    await page.getByRole("row", { name: /^shut local/ }).waitFor();
    await page.getByRole("link", { name: "data" }).click();
    await page.getByRole("row", { name: /train\/ 41 / }).waitFor();
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    await button("Open train/").click();
    await page.getByRole("link", { name: "shard-01.tar" }).waitFor();
    await button("Open train/deep/").click();
    await page.getByRole("link", { name: "er", exact: true }).waitFor();
    await picture(page, "tree-open");
    await button("Open train/").click();
    await page.getByRole("link", { name: "er", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "train/" }).click();
    await page.getByRole("link", { name: "shard-01.tar" }).click();
    await page.getByText("all blocks are cached").waitFor();
    assert.equal(await page.evaluate(() => globalThis.wasHit), undefined);
  },
  async actions() {
    await goTo(page, "buckets/data");
    await button("Count at backend all").click();
    await page.getByText("The backend has 43 objects, ").waitFor();
    await page.getByLabel("Select val/").check();
    await page.getByLabel(`Select ${HOSTILE}`).check();
    await button("Evict (2)").click();
    await confirm("Evict");
    await page.getByText("Submitted 2 jobs").waitFor();
    await page.getByRole("link", { name: "evict s3://data/val/" }).click();
    await state(page.locator(".job"), "done");
    await goTo(page, "buckets/data");
    await page.getByRole("link", { name: "train/" }).waitFor();
    assert.equal(await page.getByRole("row", { name: /val\/ [1-9]/ }).count(), 0);
    await button("Pin all").click();
    await page.getByLabel("Pin for").fill("1h");
    await confirm("Pin");
    await page.getByRole("link", { name: "prefetch s3://data/" }).click();
    await page.getByText("1h", { exact: true }).waitFor();
    await state(page.locator(".job"), "done");
    await goTo(page, "buckets/data");
    await page.getByLabel("Select val/").check();
    await button("Invalidate (1)").click();
    await confirm("Invalidate");
    await page.getByText("Invalidated s3://data/val/.").waitFor();
  },
};

export const explain = {
  async beforeAndAfter() {
    await goTo(page, "explain");
    await page.getByLabel("Bucket").fill("news");
    await page.getByLabel("Key").fill("today");
    await page.keyboard.press("Enter");
    await page.getByText("because no metadata of it is cached").waitFor();
    await page.getByText("No recent request for this object").waitFor();
    await get("news/today");
    await button("Explain").click();
    await page.getByText("fresh for another").waitFor();
    assert.match(await page.locator(".answer").first().innerText(), /1 of 1 blocks/);
    await page.getByRole("row", { name: /GetObject miss 200 ok 5 B/ }).waitFor();
    await picture(page, "explain-recent");
    await page.getByLabel("Bucket").fill("nowhere");
    await page.keyboard.press("Enter");
    await page.getByText("is no bucket of this gateway").waitFor();
  },
};

export const overview = {
  async traffic() {
    await Promise.all(Array.from({ length: 30 }, () => get("data/train/shard-02.tar")));
    await goTo(page, "overview");
    await page.locator(".chart", { hasText: "GETs served from the cache" }).getByText(/\d\d of \d\d GETs/).waitFor();
    const table = page.getByRole("table", { name: "Requests", exact: true });
    assert.ok((await table.getByRole("row").count()) >= 2);
    await page.getByRole("row", { name: /\/cache\s+healthy/ }).waitFor();
    // On a busy machine a bucket may not be checked in time, and health is kept for 30 s.
    await page.getByRole("row", { name: /local file\s+answers\s+Bucket typo local, there no-such-folder is missing/ }).waitFor({ timeout: 90_000 });
    await page.getByRole("button", { name: "24 h" }).click();
    assert.equal(await page.getByRole("button", { name: "24 h" }).getAttribute("aria-pressed"), "true");
    await page.getByRole("button", { name: "15 min" }).click();
  },
  async alarms() {
    const alarm = page.locator(".alarm", { hasText: "Bucket typo" });
    await alarm.getByText("is missing").first().waitFor({ timeout: 90_000 });
    const first = await page.evaluate(() => document.querySelector("main section").contains(document.querySelector(".alarm")));
    assert.ok(first, "alarms are the first section");
    const failed = page.locator(".alarm", { hasText: "1 failed object" }).first();
    const subject = await failed.getByRole("link").innerText();
    await failed.getByRole("button", { name: `Acknowledge ${subject}` }).click();
    await page.locator(".alarm.known", { hasText: "Acknowledged by " }).first().waitFor();
    assert.equal(await page.locator(".alarm.known ~ .alarm:not(.known)").count(), 0, "what is known comes last");
    await page.locator(".alarm", { hasText: "1 failed object" }).first().getByRole("link").click();
    await page.getByRole("heading", { name: "Failures", exact: true }).waitFor();
    await page.goBack();
    await goTo(page, "jobs");
    await page.getByRole("button", { name: "New job" }).click();
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await goTo(page, "overview");
  },
  async banner() {
    await goTo(page, "jobs");
    const banner = page.getByRole("complementary", { name: "Alarms" });
    await banner.getByText(/(since|first seen) \d+ \w+, \d\d:\d\d:\d\d/).waitFor({ timeout: 90_000 });
    await banner.getByRole("link").first().waitFor();
    await picture(page, "banner");
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok(await banner.locator(".text").evaluate((text) => text.scrollWidth <= text.clientWidth), "the reason is cut");
    await page.setViewportSize({ width: 1280, height: 800 });
    await banner.getByRole("link", { name: /more alarm/ }).click();
    await page.getByRole("heading", { name: "Traffic" }).waitFor();
    await banner.waitFor({ state: "hidden" });
    await page.locator(".alarm", { hasText: "Bucket typo" }).getByText(/first seen /).waitFor({ timeout: 90_000 });
    // As the alarms of a backend and of a bucket lead to their tables.
    for (const id of ["backends", "bucket-states"]) {
      await goTo(page, `overview?show=${id}`);
      await page.waitForFunction((wanted) => document.activeElement?.id === wanted && location.hash === "#/overview", id);
    }
  },
  async errors() {
    const failed = await fetch(`http://127.0.0.1:${S3_PORT}/data/not-there`);
    assert.equal(failed.status, 403);
    await failed.arrayBuffer();
    const id = failed.headers.get("x-amz-request-id");
    await goTo(page, "errors");
    await page.getByRole("row", { name: new RegExp(`403\\s+AccessDenied GetObject s3://data/not-there\\s+Access Denied.*${id}`) }).waitFor();
    await page.getByLabel("Status", { exact: true }).selectOption("403");
    await page.getByLabel("Search").fill("no such thing");
    await page.getByText("No error matches the filters").waitFor();
    await page.getByRole("row", { name: /^403 AccessDenied data [1-9]\d* \d+ \w+, .*\d+ \w+, / }).waitFor({ timeout: 25_000 });
    await page.getByLabel("Search").fill(id);
    await page.reload();
    await page.getByRole("row", { name: new RegExp(id) }).waitFor();
    assert.equal(await page.getByLabel("Status", { exact: true }).inputValue(), "403");
    await page.getByRole("link", { name: "s3://data/not-there" }).click();
    await page.getByRole("heading", { name: "Why did this object miss?" }).waitFor();
  },
  async theme() {
    const colours = () => page.evaluate(() => getComputedStyle(document.body).color + getComputedStyle(document.documentElement).backgroundColor);
    const light = await colours();
    await page.getByLabel("Theme").selectOption("dark");
    assert.notEqual(await colours(), light);
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    assert.notEqual(await colours(), light);
    await page.getByLabel("Theme").selectOption("system");
    assert.equal(await colours(), light);
  },
  async accessible() {
    for (const colorScheme of ["light", "dark"]) {
      const other = await open({ withAxe: true, colorScheme });
      await other.goto(HOME);
      await judge(other, `sign-in ${colorScheme}`);
      await fits(other, "sign-in", colorScheme);
      await signIn(other, "CONSOLE-ADMIN", SECRETS[0]);
      for (const [place, heading] of Object.entries(PAGES)) {
        await goTo(other, place);
        await other.getByRole("heading", { name: heading }).waitFor();
        await other.waitForTimeout(300);
        await judge(other, `${place} ${colorScheme}`);
        await picture(other, `${place.replaceAll(/\W/g, "-")}-${colorScheme}`);
        await fits(other, place, colorScheme);
        assert.deepEqual(await brokenNames(other), [], `${place}: broken in mid-word at 1920 px`);
        await other.setViewportSize({ width: 1280, height: 800 });
      }
      await goTo(other, "jobs");
      await other.getByRole("button", { name: "New job" }).click();
      await judge(other, `form ${colorScheme}`);
      await picture(other, `form-${colorScheme}`);
      await other.watched.close();
    }
  },
  async keyboard() {
    for (const [name, heading] of [["Jobs", "Jobs"], ["Buckets", "Buckets"], ["Access", "Identities and rights"], ["Settings", "Settings in force"], ["Explain", "Why did this object miss?"], ["Errors", PAGES.errors], ["Overview", "Traffic"]]) {
      await page.locator("body").evaluate(() => document.activeElement.blur());
      await tabTo(name);
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      assert.notEqual(outline, "none", `the focus on ${name} cannot be seen`);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: heading }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    }
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement.closest("main") !== null));
  },
};

export const cluster = {
  async members() {
    assert.equal(await page.locator("#nav").getByRole("link", { name: "Cluster" }).count(), 0, "a gateway alone has the page of a cluster");
    for (const colorScheme of ["light", "dark"]) {
      const other = await open({ withAxe: true, colorScheme });
      await signIn(other, "CONSOLE-ADMIN", SECRETS[0], MEMBER);
      await other.locator("#nav").getByRole("link", { name: "Cluster" }).click();
      await other.getByText("Member gw-0 of cluster console: not ready, strong buckets revalidate, placement balancer.").waitFor();
      await other.getByText("Not yet confirmed by gw-1").first().waitFor();
      await other.getByRole("row", { name: /^gw-1 127\.0\.0\.1:1 away gw-1 at 127\.0\.0\.1:1 does not respond.*: start it, .* not since the start not held \d+ \d+$/ }).waitFor();
      // It goes on looking.
      await other.waitForResponse((response) => response.url().endsWith("/api/v1/cluster"));
      await judge(other, `cluster ${colorScheme}`);
      await fits(other, "cluster", colorScheme);
      await other.watched.close();
    }
  },
};

async function fits(on, place, colorScheme) {
  for (const [name, width] of Object.entries(WIDTHS)) {
    await on.setViewportSize({ width, height: 900 });
    await on.waitForTimeout(100);
    const needed = await on.evaluate(() => document.scrollingElement.scrollWidth);
    assert.ok(needed <= width, `${place} needs ${needed} of ${width} px`);
    await picture(on, `${place.replaceAll(/\W/g, "-")}-${colorScheme}-${name}`);
  }
}

// Names that take more than one line although they have nothing to break at.
const brokenNames = (on) =>
  on.evaluate(() =>
    [...document.querySelectorAll("main code, main strong, main td, main th")]
      .filter((element) => element.children.length === 0 && !/[\s\-–]/.test(element.textContent.trim()))
      .filter((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
      })
      .map((element) => element.textContent),
  );

async function judge(on, where) {
  const { violations } = await on.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const failures = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`);
  assert.deepEqual(failures, [], where);
}

export const strangers = {
  async bob() {
    const other = await open();
    await signIn(other, "CONSOLE-BOB", SECRETS[1]);
    await other.getByText("No jobs yet").waitFor();
    await goTo(other, "overview");
    await other.getByText("You are signed in as bob").waitFor();
    await goTo(other, "buckets");
    await other.getByRole("link", { name: "data" }).waitFor();
    assert.equal(await other.getByText("shut").count(), 0);
    await goTo(other, "settings");
    await other.getByText("No jobs yet").waitFor();
    const requested = other.watched.requests.map(({ path }) => path);
    assert.ok(!requested.some((path) => /^\/api.*(status|traffic|backends|errors|identities|settings)/.test(path)), String(requested));
    await other.watched.close();
  },
  async plainHttp() {
    const other = await open();
    await signIn(other, "CONSOLE-BOB", SECRETS[1], `http://millrace.test:${ADMIN_PORT}/`);
    assert.equal(await other.evaluate(() => globalThis.isSecureContext), false);
    await other.getByText("No jobs yet").waitFor();
    await other.watched.close();
  },
};
