// What a person does with the page, step by step; each step has a sentence, and the first that fails ends the run.
import assert from "node:assert/strict";
import { begin, contexts, end, page, say } from "./browser.mjs";
import { get } from "./hand.mjs";
import { jobs } from "./jobs.mjs";
import { cachedAndExplained, gone, overview, strangers } from "./steps.mjs";

const steps = [
  ["a wrong secret is refused, and nothing was asked for before", gone.wrongSecret],
  ["the right one signs in by keyboard alone, and is neither sent nor kept", gone.signIn],
  ["a prefetch started from the form by keyboard goes on to its end, live", jobs.prefetch],
  ["a slow one is paused, resumed, cancelled and deleted", jobs.slow],
  ["what failed is shown, and a key that is markup is text", jobs.hostile],
  ["a wrong field of the form is told where it is", jobs.wrongField],
  ["folders lead down to objects", cachedAndExplained.drillDown],
  ["an object is a miss before its GET, and a hit after it", cachedAndExplained.beforeAndAfter],
  ["traffic shows the GETs just made; disks and backends are there", overview.traffic],
  ["each page is accessible, light and dark, and fits 375 px", overview.accessible],
  ["every page is reached and left by keyboard, with a focus to see", overview.keyboard],
  ["who is no operator is told so plainly, without an error", strangers.bob],
  ["a page that came over plain HTTP signs in too, without WebCrypto", strangers.plainHttp],
  ["a session that has ended leads back to the form", gone.ended],
  ["signing out leaves nothing behind", gone.signOut],
];

await begin();
await get("data/train/shard-01.tar");
let status = 0;
try {
  for (const [sentence, step] of steps) {
    const started = Date.now();
    await step();
    say(`ok    ${sentence} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  }
  for (const context of contexts) {
    assert.deepEqual(context.errors, [], "errors in the console");
    assert.deepEqual(context.foreign, [], "requests to other hosts");
  }
  say("ok    no error in the console, no request to another host");
} catch (failure) {
  status = 1;
  say(`FAILED: ${failure.stack}`);
  say(await page.locator("body").innerText());
}
await end();
process.exit(status);
