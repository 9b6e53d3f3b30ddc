// The checks of identities, rights and settings.
import assert from "node:assert/strict";
import { SECRETS, goTo, page } from "./browser.mjs";

export const access = {
  async all() {
    await goTo(page, "access");
    await page.getByRole("row", { name: /bob CONSOLE-BOB read,list:data Deny s3:GetObject on data\/hidden\/\*/ }).waitFor();
    await page.getByRole("row", { name: /^shut none Deny s3:DeleteObject on shut\/\* for everyone under a condition/ }).waitFor();
    await page.getByRole("row", { name: /^viewer tokens of http:\S+ groups: staff view:\* none/ }).waitFor();
    await page.getByRole("row", { name: /data read none/ }).waitFor();
    await withoutSecrets();
    await goTo(page, "settings");
    await page.getByRole("row", { name: "identities[0].secret-key ***" }).waitFor();
    await page.getByLabel("Search").fill("cache.disks");
    await page.getByRole("row", { name: "cache.disks[0].size 1GiB" }).waitFor();
    assert.equal(await page.getByRole("row", { name: /identities/ }).count(), 0);
    await withoutSecrets();
    await page.reload();
    await page.getByRole("row", { name: "cache.disks[0].size 1GiB" }).waitFor();
    assert.equal(await page.getByLabel("Search").inputValue(), "cache.disks");
  },
};

async function withoutSecrets() {
  const content = await page.content();
  assert.ok(SECRETS.every((secret) => !content.includes(secret)));
}
