// What the checks share: GETs, the Tab key, rows of jobs.
import assert from "node:assert/strict";
import { page } from "./browser.mjs";

const { S3_PORT } = process.env;

export const HOSTILE = "<img src=x onerror=boom()>";

export async function get(path) {
  const answer = await fetch(`http://127.0.0.1:${S3_PORT}/${path}`);
  assert.equal(answer.status, 200, path);
  await answer.arrayBuffer();
}

export const tab = (times = 1) => page.keyboard.press("Tab").then(() => (times > 1 ? tab(times - 1) : undefined));
const focused = (on = page) => on.evaluate(() => document.activeElement.textContent || document.activeElement.name || document.activeElement.tagName);
export const stored = () => page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]));
export const newest = (text) => page.locator("tr.job", { hasText: text }).first();
export const state = (job, text) => job.locator(".state", { hasText: new RegExp(`^${text}$`) }).waitFor();
export const button = (name) => page.getByRole("button", { name, exact: true });
export const confirm = (name) => page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

export async function tabTo(name, most = 40) {
  for (let i = 0; i < most; i++) {
    if ((await focused()).startsWith(name)) {
      return;
    }
    await tab();
  }
  assert.fail(`Tab does not lead to ${name}`);
}
