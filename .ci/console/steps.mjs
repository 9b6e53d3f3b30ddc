// The steps of console.mjs.
import assert from "node:assert/strict";
import { HOME, SECRETS, goTo, open, page, picture, signIn } from "./browser.mjs";
import { HOSTILE, get, stored, tabTo } from "./hand.mjs";

const { ADMIN_PORT } = process.env;
const PAGES = { overview: "Traffic", jobs: "Jobs", cached: "What is cached", "cached/data": "What is cached", "explain/data/val%2Fone": "Why did this object miss?" };

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

export const cachedAndExplained = {
  async drillDown() {
    const keys = [HOSTILE, "train/deep/er", ...Array.from({ length: 40 }, (_, i) => `train/shard-${String(i + 1).padStart(2, "0")}.tar`)];
    await Promise.all(keys.map((key) => get(`data/${encodeURIComponent(key)}`)));
    await goTo(page, "cached");
    await page.getByRole("link", { name: "shut" }).waitFor();
    await page.getByRole("link", { name: "data" }).click();
    await page.getByRole("row", { name: /train\// }).getByText("41").waitFor();
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    await page.getByRole("link", { name: "train/" }).click();
    await page.getByRole("link", { name: "shard-01.tar" }).waitFor();
    await page.getByRole("link", { name: "deep/" }).click();
    await page.getByRole("link", { name: "er", exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "shard-01.tar" }).click();
    await page.getByText("all blocks are cached").waitFor();
    assert.equal(await page.evaluate(() => globalThis.wasHit), undefined);
  },
  async beforeAndAfter() {
    await goTo(page, "explain");
    await page.getByLabel("Bucket").fill("news");
    await page.getByLabel("Key").fill("today");
    await page.keyboard.press("Enter");
    await page.getByText("because no metadata of it is cached").waitFor();
    await get("news/today");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("fresh for another").waitFor();
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
    await page.locator(".chart", { hasText: "GETs answered" }).getByText(/\d\d of \d\d GETs/).waitFor({ timeout: 25_000 });
    const table = page.getByRole("table", { name: "Requests" });
    assert.ok((await table.getByRole("row").count()) >= 2);
    await page.getByRole("row", { name: /\/cache\s+healthy/ }).waitFor();
    await page.getByRole("row", { name: /local file\s+answers\s+Bucket typo local, there no-such-folder is missing/ }).waitFor();
    await page.getByRole("row", { name: /news local, there morning-news/ }).waitFor();
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
    assert.equal(await other.getByText("shut").count(), 0);
    const asked = other.watched.requests.map(({ path }) => path);
    assert.ok(!asked.some((path) => /^\/api.*(status|traffic|backends)/.test(path)), String(asked));
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
