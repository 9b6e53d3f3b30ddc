// The checks of the charts.
import assert from "node:assert/strict";
import { goTo, page, picture } from "./browser.mjs";

const chart = (title) => page.getByRole("region", { name: title, exact: true });

const legend = (title) => chart(title).locator(".u-legend");

// Points at the middle of a chart, or drags over it.
async function pointer(title, from, to = from) {
  await chart(title).scrollIntoViewIfNeeded();
  const box = await chart(title).locator(".u-over").boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  if (to !== from) {
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * to, y, { steps: 5 });
    await page.mouse.up();
  }
}

export const charts = {
  async all() {
    await goTo(page, "overview");
    await page.getByRole("button", { name: "15 min" }).click();
    await legend("Requests").getByText("Errors").waitFor();
    await pointer("Requests", 0.995);
    await legend("Requests").getByText(/\d\/s/).first().waitFor();
    await picture(page, "charts-pointer");

    await pointer("Requests", 0.5, 0.9);
    const whole = page.getByRole("button", { name: /show all$/ });
    await whole.waitFor();
    const link = page.url();
    assert.match(link, /from=\d+&to=\d+/);
    await whole.click();
    assert.doesNotMatch(page.url(), /from=/);

    for (const [group, title, line] of [["operation", "Mean duration", "GetObject"], ["backend", "Calls", "local"], ["bucket", "GETs and HEADs of clients", "data"]]) {
      await page.getByLabel("Traffic shown").selectOption(group);
      await legend(title).getByText(line, { exact: true }).waitFor();
      await page.getByLabel("Line shown").selectOption(line);
      assert.match(page.url(), new RegExp(`by=${group}&name=${line}`));
      await page.waitForFunction(() => [...document.querySelectorAll(".chart .u-legend")].every((one) => one.querySelectorAll("tr").length === 2));
    }
    await picture(page, "charts-bucket");
    await page.reload();
    await legend("GETs and HEADs of clients").getByText("data", { exact: true }).waitFor();
    assert.equal(await page.getByLabel("Traffic shown").inputValue(), "bucket");
    await page.getByLabel("Traffic shown").selectOption("");
    await page.getByRole("button", { name: "1 h", exact: true }).click();
  },  async errors() {
    await Promise.all(["data/none", "shut/none", "nowhere/none"].map((path) => fetch(`http://127.0.0.1:${process.env.S3_PORT}/${path}`)));
    await goTo(page, "errors");
    await page.getByRole("button", { name: "15 min" }).click();
    for (const [title, line] of [["Errors by status", "403"], ["Errors by code", "AccessDenied"], ["Errors by bucket", "data"]]) {
      await legend(title).getByText(line, { exact: true }).waitFor({ timeout: 25_000 });
    }
    await page.getByRole("row", { name: /^403 AccessDenied shut / }).waitFor({ timeout: 25_000 });
    await pointer("Errors by status", 0.995);
    await legend("Errors by bucket").getByText(/\d\/s/).first().waitFor();
    await picture(page, "errors-pointer");
    await page.getByLabel("Bucket", { exact: true }).selectOption("shut");
    await legend("Errors by bucket").getByText("data", { exact: true }).waitFor({ state: "detached" });
    assert.equal(await page.getByRole("row", { name: /^403 AccessDenied data / }).count(), 0);
    await pointer("Errors by bucket", 0.5, 0.999);
    const whole = page.getByRole("button", { name: /show all$/ });
    await whole.waitFor();
    assert.match(page.url(), /bucket=shut&minutes=15&from=\d+&to=\d+$/);
    await page.reload();
    await page.getByRole("row", { name: /^403 AccessDenied shut / }).waitFor();
    assert.equal(await page.getByLabel("Bucket", { exact: true }).inputValue(), "shut");
    await whole.click();
    await page.getByRole("button", { name: "1 h", exact: true }).click();
    assert.doesNotMatch(page.url(), /from=|minutes=/);
  },
};
