// The checks of the console, step by step; each has a sentence, and the first failure ends the run.
import assert from "node:assert/strict";
import { begin, contexts, end, page, say } from "./browser.mjs";
import { access } from "./access.mjs";
import { charts } from "./charts.mjs";
import { get } from "./hand.mjs";
import { jobs } from "./jobs.mjs";
import { people } from "./people.mjs";
import { cluster, explain, overview, session, strangers, tree } from "./steps.mjs";

const steps = [
  ["a wrong secret is refused, and nothing was requested before", session.wrongSecret],
  ["the right one signs in by keyboard alone, and is neither sent nor stored", session.signIn],
  ["a prefetch started from the form by keyboard runs to its end, live", jobs.prefetch],
  ["a slow job is paused and resumed on its page, and cancelled and deleted as a selection", jobs.slow],
  ["failures are shown, and a key that is markup is text", jobs.hostile],
  ["a wrong field of the form is marked", jobs.wrongField],
  ["filters, search and sorting are part of a link", jobs.filters],
  ["an active job is shown and a failed one is an alarm, however many are newer", jobs.beyondTheNewest],
  ["buckets have sizes, and folders open down to objects", tree.open],
  ["selected folders and objects are evicted, pinned and invalidated", tree.actions],
  ["an object is a miss before its GET, a hit after it, and the miss is what happened last", explain.beforeAndAfter],
  ["traffic shows the GETs just made; disks and backends are there", overview.traffic],
  ["alarms come first, and lead to the cause", overview.alarms],
  ["a banner on every other page says what is wrong, since when, and leads there", overview.banner],
  ["the last errors have request ids, and filters that a link keeps", overview.errors],
  ["charts show values under the pointer, zoom, and divide by operation, backend and bucket", charts.all],
  ["errors are charted by status and by bucket, with sums since when, by filters and zoom that a link keeps", charts.errors],
  ["identities have their rights, settings are searched, and no secret is shown", access.all],
  ["the theme is chosen and remembered", overview.theme],
  ["each page is accessible, light and dark, and fits 390 px and 1920 px", overview.accessible],
  ["every page is reached and left by keyboard, with a visible focus", overview.keyboard],
  ["a member of a cluster shows the others and what to do, and a gateway alone has no such page", cluster.members],
  ["an identity that is no operator is told so, without an error", strangers.bob],
  ["a page over plain HTTP signs in too, without WebCrypto", strangers.plainHttp],
  ["a person signs in at an identity provider, in two tabs, sees and changes nothing, and signs out of both", people.viewer],
  ["an operator by the same provider evicts", people.operator],
  ["who has no role does not get in", people.stranger],
  ["a page of another origin on the same host does nothing with the cookie", people.otherOrigin],
  ["a session that has ended leads back to the form", session.ended],
  ["signing out leaves nothing behind", session.signOut],
];

const BRIEF = [session.signIn, jobs.prefetch];
const chosen = process.env.BRIEF ? steps.filter(([, step]) => BRIEF.includes(step)) : steps;

await begin();
await get("data/train/shard-01.tar");
let status = 0;
try {
  for (const [sentence, step] of chosen) {
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
