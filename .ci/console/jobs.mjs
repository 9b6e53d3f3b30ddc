// The checks of jobs.
import assert from "node:assert/strict";
import { goTo, page, picture } from "./browser.mjs";
import { HOSTILE, button, confirm, newest, state, tab, tabTo } from "./hand.mjs";

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

// A request of the page's session to the API.
const api = (method, path, body) =>
  page.evaluate(
    async ([verb, place, sent]) => {
      const headers = { "X-Millrace-Console": "1", "Content-Type": "application/json" };
      const answer = await fetch(`/api/v1${place}`, { method: verb, headers, body: sent });
      if (!answer.ok) {
        throw new Error(`${place}: ${await answer.text()}`);
      }
      return answer.status === 204 ? undefined : answer.json();
    },
    [method, path, body && JSON.stringify(body)],
  );

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
    // Slow enough for the page to show it running, whatever else the machine does.
    await page.keyboard.type("256KiB");
    await page.keyboard.press("Enter");
    const job = newest("s3://data/train/");
    await state(job, "running");
    const bar = job.getByRole("progressbar");
    const seen = new Set();
    const latest = Date.now() + 180_000;
    while (Date.now() < latest && !(await job.locator(".state.done").count())) {
      // Not waited for: the bar disappears at the end of the job.
      (await bar.evaluateAll((bars) => bars.map((one) => one.getAttribute("aria-valuenow")))).forEach((now) => seen.add(now));
      await page.waitForTimeout(100);
    }
    await state(job, "done");
    assert.ok(seen.size >= 2, `the bar showed ${[...seen]}`);
    assert.match(await job.locator(".figures").innerText(), /40 done · 1 skipped/);
    assert.match(await job.innerText(), /Prefetch[\s\S]*admin/);
    assert.match(await page.locator("#live").innerText(), /is done/);
  },
  async slow() {
    await submitted({ "What to do": "evict", Prefix: "train/" });
    await state(newest("Evict"), "done");
    await submitted({ Prefix: "train/", "Bytes per second": "300KiB", "Objects at a time": "1" });
    const id = await page.locator("tr.job").first().getAttribute("data-job");
    const job = page.locator(`.job[data-job="${id}"]`);
    await state(job, "running");
    await picture(page, "jobs-running");
    await job.getByRole("link").click();
    await button("Pause").click();
    await state(job, "paused");
    assert.match(page.url(), new RegExp(`#/jobs/${id}$`));
    await button("Resume").click();
    await state(job, "running");
    // At once: what the page has replaced meanwhile has no lines.
    const steps = await page.evaluate(() => [...document.querySelectorAll(".timeline li")].map((step) => step.innerText));
    assert.deepEqual(steps.map((text) => text.split("\n")[0]), ["Submitted", "Started", "Paused", "Resumed", "Running"]);
    assert.ok(steps.slice(2, 4).every((text) => text.includes("by admin")), steps.join("\n"));
    await picture(page, "job");
    await page.getByRole("link", { name: "All jobs" }).click();
    await job.getByRole("checkbox").check();
    await button("Cancel (1)").click();
    await confirm("Back");
    await state(job, "running");
    await button("Cancel (1)").click();
    await confirm("Cancel");
    await state(job, "cancelled");
    await button("Delete (1)").click();
    await confirm("Delete");
    await job.waitFor({ state: "detached" });
  },
  async hostile() {
    await page.evaluate(() => (globalThis.boom = () => (globalThis.wasHit = true)));
    await submitted({ "Which objects": "keys", Keys: `val/one\nmissing/${HOSTILE}\n`, "Attempts for each object": "1" });
    const job = newest("s3://data/");
    await state(job, "done with failures");
    await job.getByRole("link").click();
    await page.getByRole("rowheader", { name: `missing/${HOSTILE}` }).waitFor();
    assert.equal(await page.evaluate(() => globalThis.wasHit), undefined);
    assert.equal(await page.locator("main img").count(), 0);
    await page.getByRole("listitem").filter({ hasText: "Started" }).getByText(/active for/).waitFor();
    await page.getByRole("listitem").filter({ hasText: "First object failed" }).waitFor();
    const command = page.getByLabel("Command");
    assert.equal(await command.innerText(), `millrace prefetch s3://data/ --attempts 1 --keys-from - <<'END_OF_LIST'\nval/one\nmissing/${HOSTILE}\nEND_OF_LIST`);
    await button("Copy").click();
    await page.getByRole("button", { name: /^(Copied|Selected)$/ }).waitFor();
    await picture(page, "job-failures");
    const before = page.url();
    await button("Retry failures").click();
    await page.waitForURL((url) => url.href !== before);
    await state(page.locator(".job"), "done with failures");
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
  async filters() {
    await goTo(page, "jobs");
    const rows = page.locator("tr.job");
    await page.getByLabel("Kind", { exact: true }).selectOption("evict");
    await page.waitForFunction(() => document.querySelectorAll("tr.job").length === 1);
    await page.getByLabel("Kind", { exact: true }).selectOption("");
    await page.getByLabel("State", { exact: true }).selectOption("done-with-failures");
    await page.waitForFunction(() => document.querySelectorAll("tr.job").length === 2);
    await page.getByLabel("Search").fill("NO SUCH");
    await page.getByText("No job matches the filters").waitFor();
    await page.getByLabel("Search").fill("S3://DATA");
    await button("Started").click();
    assert.match(page.url(), /#\/jobs\?state=done-with-failures&q=S3%3A%2F%2FDATA&sort=4$/);
    const ascending = await rows.evaluateAll((all) => all.map((row) => row.dataset.job));
    await button("Started").click();
    assert.deepEqual(await rows.evaluateAll((all) => all.map((row) => row.dataset.job)), ascending.toReversed());
    await page.reload();
    await rows.first().waitFor();
    assert.equal(await rows.count(), 2);
    assert.equal(await page.getByLabel("State", { exact: true }).inputValue(), "done-with-failures");
  },
  async beyondTheNewest() {
    const train = { bucket: "data", prefix: "train/" };
    const emptied = await api("POST", "/jobs", { kind: "evict", from: train });
    await goTo(page, `jobs/${emptied.id}`);
    await state(page.locator(".job"), "done");
    const slow = await api("POST", "/jobs", { kind: "prefetch", from: train, workers: 1, bandwidth: "32KiB" });
    const newer = [];
    for (let i = 0; i < 100; i++) {
      newer.push(await api("POST", "/jobs", { kind: "evict", from: { bucket: "data", prefix: "val/" }, dryRun: true }));
    }
    await goTo(page, "jobs");
    const job = page.locator(`tr.job[data-job="${slow.id}"]`);
    await state(job, "running");
    await page.getByText(/^1 active, 101 jobs shown/).waitFor();
    await page.getByLabel("Kind", { exact: true }).selectOption("download");
    await page.getByText("No job matches the filters. Only the newest 100 and the unfinished ones were searched.").waitFor();
    await page.getByLabel("Kind", { exact: true }).selectOption("");
    await goTo(page, "overview");
    await page.locator(".alarm", { hasText: "1 failed object" }).first().waitFor();
    await goTo(page, "jobs");
    await state(job, "running");
    await api("POST", `/jobs/${slow.id}/cancel`);
    await state(job, "cancelled");
    for (const { id } of [...newer, slow, emptied]) {
      await api("DELETE", `/jobs/${id}`);
    }
  },
};
