// The checks of sign-ins by an identity provider, and of sessions that last through new tabs.
import assert from "node:assert/strict";
import { HOME, SECRETS, goTo, open, picture, signIn } from "./browser.mjs";

const { PROVIDER } = process.env;

const cookiesOf = async (on) => (await on.context().cookies(HOME)).filter(({ name }) => name.startsWith("millrace"));

async function atProvider(on, name) {
  await on.goto(HOME);
  await picture(on, "sign-in-people");
  await on.getByRole("link", { name: "Sign in with 127.0.0.1" }).click();
  await on.getByLabel("Name").fill(name);
  await on.getByRole("button", { name: "Continue" }).click();
}

// Only the provider's pages are requested from elsewhere.
function leave(on) {
  assert.ok(on.watched.foreign.length > 0);
  assert.ok(on.watched.foreign.every((url) => url.startsWith(PROVIDER)), on.watched.foreign.join("\n"));
  on.watched.foreign.length = 0;
  return on.watched.close();
}

export const people = {
  async viewer() {
    const ada = await open();
    await ada.goto(`${HOME}console/#/buckets/data`);
    await ada.getByRole("link", { name: "Sign in with 127.0.0.1" }).click();
    await ada.getByLabel("Name").fill("ada");
    await ada.getByRole("button", { name: "Continue" }).click();
    await ada.getByRole("heading", { name: "What is cached" }).waitFor();
    await ada.getByText("assumed-role/viewer/person:ada@example.org").waitFor();
    assert.ok(!ada.url().includes("code="), ada.url());
    await ada.locator("button:disabled", { hasText: "Evict" }).waitFor();
    assert.equal(await ada.getByRole("link", { name: "Settings" }).count(), 0);
    // Everybody may read this bucket, and so prefetch from it.
    assert.equal(await ada.locator("button:disabled", { hasText: "Prefetch" }).count(), 0);
    const cookies = await cookiesOf(ada);
    assert.deepEqual(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]), [["millrace-session", true, "Strict"]]);
    assert.equal(await ada.evaluate(() => document.cookie), "");

    const second = await ada.context().newPage();
    await second.goto(HOME);
    await second.getByRole("heading", { name: "Traffic" }).waitFor();
    await second.getByRole("button", { name: "Sign out" }).click();
    await second.getByLabel("Access key").waitFor();
    assert.deepEqual(await cookiesOf(ada), []);
    await goTo(ada, "jobs");
    await ada.getByText("Your session has ended").waitFor();
    await leave(ada);
  },
  async operator() {
    const bo = await open();
    await atProvider(bo, "bo");
    await bo.getByRole("heading", { name: "Traffic" }).waitFor();
    await goTo(bo, "buckets/data");
    await bo.getByRole("button", { name: "Evict all" }).click();
    await bo.getByRole("dialog").getByRole("button", { name: "Evict", exact: true }).click();
    await bo.getByText("Submitted 1 job").waitFor();
    await leave(bo);
  },
  async stranger() {
    const eve = await open();
    await atProvider(eve, "eve");
    await eve.getByRole("heading", { name: "Not signed in" }).waitFor();
    assert.deepEqual(await cookiesOf(eve), []);
    // A page that is refused is an error in Chromium's log.
    assert.ok(eve.watched.errors.every((text) => text.includes("403")), eve.watched.errors.join("\n"));
    eve.watched.errors.length = 0;
    await leave(eve);
  },
  // Another origin of the same site, as the S3 port is: its requests have the cookie, and the console's own page gets done what they want.
  async otherOrigin() {
    const victim = await open();
    await signIn(victim, "CONSOLE-ADMIN", SECRETS[0]);
    const ofConsole = { headers: { "x-millrace-console": "1" } };
    assert.equal(await scrub(victim, ofConsole), "basic 202");
    const elsewhere = await victim.context().newPage();
    await elsewhere.goto(PROVIDER).catch(() => {});
    const cookies = [];
    const responses = [];
    // A page sees no status of another origin, and Playwright no cookie that was sent there.
    const network = await victim.context().newCDPSession(elsewhere);
    network.on("Network.requestWillBeSentExtraInfo", ({ associatedCookies }) => cookies.push(...associatedCookies.filter(({ cookie }) => cookie.name === "millrace-session")));
    network.on("Network.responseReceived", ({ type, response }) => {
      // Not the icon of the page.
      if (response.url.startsWith(HOME)) {
        responses.push(`${type} ${response.status}`);
      }
    });
    await network.send("Network.enable");
    assert.deepEqual([await scrub(elsewhere, { mode: "no-cors" }), await scrub(elsewhere, ofConsole)], ["opaque 0", "refused"]);
    for (let i = 0; i < 600 && responses.length < 2; i++) {
      await elsewhere.waitForTimeout(100);
    }
    // Once or twice: Chromium may name it for the preflight too, which does not send it.
    const sent = cookies.map(({ cookie, blockedReasons }) => `${cookie.name} ${blockedReasons.length}`);
    assert.deepEqual([...new Set(sent)], ["millrace-session 0"]);
    assert.deepEqual(responses, ["Fetch 401", "Preflight 401"]);
    victim.watched.errors.length = 0;
    victim.watched.foreign.length = 0;
    await victim.watched.close();
  },
};

// Asks for a scrub of the first disk, with the cookie.
const scrub = (on, options) =>
  on.evaluate(
    async ([url, more]) => {
      try {
        const { type, status } = await fetch(url, { method: "POST", credentials: "include", ...more });
        return `${type} ${status}`;
      } catch {
        return "refused";
      }
    },
    [`${HOME}api/v1/disks/0/scrub`, options],
  );
