// The steps of console.mjs that are about jobs.
import assert from "node:assert/strict";
import { goTo, page, picture } from "./browser.mjs";
import { HOSTILE, click, newest, state, tab, tabTo } from "./hand.mjs";

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

async function submitted(values) {
  await (await submit(values)).waitFor({ state: "detached" });
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
    await tabTo("Filters and limits");
    await page.keyboard.press("Enter");
    for (let i = 0; i < 30 && (await page.evaluate(() => document.activeElement.name)) !== "bandwidth"; i++) {
      await tab();
    }
    await page.keyboard.type("1MiB");
    await page.keyboard.press("Enter");
    const job = newest("s3://data/train/");
    await state(job, "running");
    const bar = job.getByRole("progressbar");
    const seen = new Set();
    for (let i = 0; i < 100 && !(await job.locator(".state.done").count()); i++) {
      // Not waited for: it goes with the end of the job.
      (await bar.evaluateAll((bars) => bars.map((one) => one.getAttribute("aria-valuenow")))).forEach((now) => seen.add(now));
      await page.waitForTimeout(100);
    }
    await state(job, "done");
    assert.ok(seen.size >= 2, `the bar went through ${[...seen]}`);
    assert.match(await job.locator(".figures").innerText(), /40 objects · .* · 1 skipped/);
    assert.match(await page.locator("#live").innerText(), /is done/);
  },
  async slow() {
    await submitted({ "What to do": "evict", Prefix: "train/" });
    await state(newest("Evict"), "done");
    await submitted({ Prefix: "train/", "Bytes per second": "300KiB", "Objects at a time": "1" });
    const job = page.locator(`[data-job="${await page.locator(".job").first().getAttribute("data-job")}"]`);
    await state(job, "running");
    await click(job, "Pause");
    await state(job, "paused");
    await click(job, "Resume");
    await state(job, "running");
    await picture(page, "jobs-running");
    await click(job, "Cancel");
    await page.getByRole("dialog").getByRole("button", { name: "Keep it" }).click();
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
    await submitted({ "Which objects": "keys", Keys: `val/one\nmissing/${HOSTILE}\n`, "Attempts for each object": "1" });
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
