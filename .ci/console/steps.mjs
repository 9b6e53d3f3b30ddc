// The steps of console.mjs.
import assert from "node:assert/strict";
import { HOME, SECRETS, goTo, open, page, picture, signIn } from "./browser.mjs";

const { ADMIN_PORT, S3_PORT } = process.env;
const HOSTILE = "<img src=x onerror=boom()>";
const PAGES = { overview: "Traffic", jobs: "Jobs", cached: "What is cached", "cached/data": "What is cached", "explain/data/val%2Fone": "Why did this object miss?" };

export async function get(path) {
  const answer = await fetch(`http://127.0.0.1:${S3_PORT}/${path}`);
  assert.equal(answer.status, 200, path);
  await answer.arrayBuffer();
}

const tab = (times = 1) => page.keyboard.press("Tab").then(() => (times > 1 ? tab(times - 1) : undefined));
const focused = (on = page) => on.evaluate(() => document.activeElement.textContent || document.activeElement.name || document.activeElement.tagName);
const stored = () => page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]));
const newest = (text) => page.locator(".job", { hasText: text }).first();
const state = (job, text) => job.locator(".state", { hasText: new RegExp(`^${text}$`) }).waitFor();
const click = (job, name) => job.getByRole("button", { name: new RegExp(`^${name}`) }).click();

async function tabTo(name, most = 40) {
  for (let i = 0; i < most; i++) {
    if ((await focused()).startsWith(name)) {
      return;
    }
    await tab();
  }
  assert.fail(`Tab does not lead to ${name}`);
}

export const gone = {
  async wrongSecret() {
    await page.goto(HOME);
    await page.getByLabel("Access key").fill("CONSOLE-ADMIN");
    await page.getByLabel("Secret key").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("No identity of this server").waitFor();
    const asked = page.watched.requests.map(({ path }) => path).filter((path) => path.startsWith("/api"));
    assert.deepEqual(asked, ["/api/v1/whoami"]);
    assert.equal(await page.locator("#bar").isVisible(), false);
    await picture(page, "sign-in");
  },
  async signIn() {
    await page.goto(HOME);
    await page.keyboard.type("CONSOLE-ADMIN");
    await page.keyboard.press("Tab");
    await page.keyboard.type(SECRETS[0]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Traffic" }).waitFor();
    const kept = await stored();
    assert.ok(kept.includes("millrace.token"));
    for (const { all } of page.watched.requests) {
      assert.ok(SECRETS.every((secret) => !all.includes(secret)), all);
      assert.ok(!/"cookie"/i.test(all), all);
    }
    assert.ok(SECRETS.every((secret) => !kept.includes(secret)));
    assert.ok(!(await page.content()).includes(SECRETS[0]));
  },
  async ended() {
    await page.evaluate(() => sessionStorage.setItem("millrace.token", `${sessionStorage.getItem("millrace.token").slice(0, -3)}AAA`));
    await page.reload();
    await page.getByText("Your session has ended").waitFor();
    assert.ok(!(await stored()).includes("millrace.token"));
  },
  async signOut() {
    await signIn(page, "CONSOLE-ADMIN", SECRETS[0]);
    await goTo(page, "jobs");
    await page.locator(".job").first().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Access key").waitFor();
    assert.ok(!(await stored()).includes("millrace.token"));
    const left = await page.locator("body").innerText();
    assert.ok(!left.includes("s3://") && !left.includes("admin"), left);
  },
};

async function submit(values) {
  await goTo(page, "jobs");
  await page.getByRole("button", { name: "New job" }).click();
  const form = page.getByRole("dialog", { name: "New job" });
  await form.getByText("Filters and limits").click();
  for (const [label, value] of Object.entries(values)) {
    const control = form.getByLabel(label, { exact: true });
    await ((await control.evaluate((element) => element.tagName)) === "SELECT" ? control.selectOption(value) : control.fill(value));
  }
  await form.getByRole("button", { name: "Start" }).click();
  return form;
}

export const jobs = {
  async prefetch() {
    await tabTo("Jobs");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    await page.getByText("No jobs yet").waitFor();
    await tabTo("New job");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.name), "kind");
    await tab(3);
    await page.keyboard.type("train/");
    await tab(1);
    await page.keyboard.press("Enter");
    for (let i = 0; i < 30 && (await page.evaluate(() => document.activeElement.name)) !== "bandwidth"; i++) {
      await tab();
    }
    await page.keyboard.type("2MiB");
    await page.keyboard.press("Enter");
    const job = newest("s3://data/train/");
    await state(job, "running");
    const bar = job.getByRole("progressbar");
    const seen = new Set();
    for (let i = 0; i < 100 && !(await job.locator(".state.done").count()); i++) {
      seen.add(await bar.getAttribute("aria-valuenow"));
      await page.waitForTimeout(100);
    }
    await state(job, "done");
    assert.ok(seen.size >= 2, `the bar went through ${[...seen]}`);
    assert.match(await job.locator(".figures").innerText(), /41 objects · 5 MiB/);
    assert.match(await page.locator("#live").innerText(), /is done/);
  },
  async slow() {
    await submit({ "What to do": "verify", Prefix: "train/", "Bytes per second": "300KiB", "Objects at a time": "1" });
    const job = page.locator(".job", { hasText: "Verify" }).first();
    await state(job, "running");
    await click(job, "Pause");
    await state(job, "paused");
    await click(job, "Resume");
    await state(job, "running");
    await picture(page, "jobs-running");
    await click(job, "Cancel");
    await page.getByRole("dialog").getByRole("button", { name: "Leave it" }).click();
    await state(job, "running");
    await click(job, "Cancel");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await state(job, "cancelled");
    await click(job, "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await job.waitFor({ state: "detached" });
  },
  async hostile() {
    await page.evaluate(() => (globalThis.boom = () => (globalThis.wasHit = true)));
    await submit({ "Which objects": "keys", Keys: `val/one\nmissing/${HOSTILE}\n`, "Attempts for each object": "1" });
    const job = newest("s3://data/");
    await state(job, "done with failures");
    await job.getByText("Details").click();
    await job.getByRole("rowheader", { name: `missing/${HOSTILE}` }).waitFor();
    assert.equal(await page.evaluate(() => globalThis.wasHit), undefined);
    assert.equal(await page.locator("main img").count(), 0);
    await picture(page, "jobs-failures");
    const before = await page.locator(".job").count();
    await click(job, "Retry failures");
    await page.waitForFunction((count) => document.querySelectorAll(".job").length > count, before);
  },
  async wrongField() {
    const form = await submit({ "Only keys like": "[", "Objects at a time": "9" });
    await form.getByRole("alert").getByText("Only keys like").waitFor();
    const wrong = form.getByLabel("Only keys like", { exact: true });
    assert.equal(await wrong.getAttribute("aria-invalid"), "true");
    assert.equal(await wrong.evaluate((element) => element === document.activeElement), true);
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
  },
};

export const cachedAndExplained = {
  async drillDown() {
    await get(`data/${encodeURIComponent(HOSTILE)}`);
    await goTo(page, "cached");
    await page.getByRole("link", { name: "data" }).click();
    await page.getByRole("row", { name: /train\// }).getByText("41").waitFor();
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    await page.getByRole("link", { name: "train/" }).click();
    await page.getByRole("link", { name: "shard-01.tar" }).waitFor();
    await page.getByRole("link", { name: "deep/" }).click();
    await page.getByRole("link", { name: "er", exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "shard-01.tar" }).click();
    await page.getByText("all of its bytes are here").waitFor();
    assert.equal(await page.evaluate(() => globalThis.wasHit), undefined);
  },
  async beforeAndAfter() {
    await goTo(page, "explain");
    await page.getByLabel("Bucket").fill("news");
    await page.getByLabel("Key").fill("today");
    await page.keyboard.press("Enter");
    await page.getByText("since nothing is known of this object").waitFor();
    await get("news/today");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("is not asked again for another").waitFor();
    assert.match(await page.locator(".answer").innerText(), /1 of 1 blocks/);
    await page.getByLabel("Bucket").fill("nowhere");
    await page.keyboard.press("Enter");
    await page.getByText("is no bucket of this gateway").waitFor();
  },
};

export const overview = {
  async traffic() {
    await Promise.all(Array.from({ length: 30 }, () => get("data/train/shard-02.tar")));
    await goTo(page, "overview");
    await page.locator(".chart", { hasText: "GETs answered" }).getByText(/3\d of 3\d GETs/).waitFor({ timeout: 25_000 });
    const table = page.getByRole("table", { name: "Requests" });
    assert.ok((await table.getByRole("row").count()) >= 2);
    await page.getByRole("row", { name: /\/cache good/ }).waitFor();
    await page.getByRole("row", { name: /local file answers/ }).waitFor();
    await page.getByRole("button", { name: "24 h" }).click();
    assert.equal(await page.getByRole("button", { name: "24 h" }).getAttribute("aria-pressed"), "true");
    await page.getByRole("button", { name: "15 min" }).click();
  },
  async accessible() {
    for (const colorScheme of ["light", "dark"]) {
      const other = await open({ withAxe: true, colorScheme });
      await other.goto(HOME);
      await judge(other, `sign-in ${colorScheme}`);
      await signIn(other, "CONSOLE-ADMIN", SECRETS[0]);
      for (const [place, heading] of Object.entries(PAGES)) {
        await goTo(other, place);
        await other.getByRole("heading", { name: heading }).waitFor();
        await other.waitForTimeout(300);
        await judge(other, `${place} ${colorScheme}`);
        await picture(other, `${place.replaceAll(/\W/g, "-")}-${colorScheme}`);
        await other.setViewportSize({ width: 375, height: 700 });
        await other.waitForTimeout(100);
        const width = await other.evaluate(() => document.scrollingElement.scrollWidth);
        assert.ok(width <= 375, `${place} is ${width} px wide`);
        await picture(other, `${place.replaceAll(/\W/g, "-")}-${colorScheme}-narrow`);
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
    for (const [name, heading] of [["Jobs", "Jobs"], ["Cached", "What is cached"], ["Explain", "Why did this object miss?"], ["Overview", "Traffic"]]) {
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

async function judge(on, where) {
  const { violations } = await on.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const told = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`);
  assert.deepEqual(told, [], where);
}

export const strangers = {
  async bob() {
    const other = await open();
    await signIn(other, "CONSOLE-BOB", SECRETS[1]);
    await other.getByText("No jobs yet").waitFor();
    await goTo(other, "overview");
    await other.getByText("You are signed in as bob").waitFor();
    await goTo(other, "cached");
    await other.getByRole("link", { name: "data" }).waitFor();
    assert.equal(await other.getByText("news").count(), 0);
    const asked = other.watched.requests.map(({ path }) => path);
    assert.ok(!asked.some((path) => /status|traffic|backends/.test(path)), String(asked));
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
