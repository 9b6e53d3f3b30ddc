// The page's modules that need no page: hashes, tokens, numbers.
import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";

const files = new URL("../../gateway/control/src/main/resources/io/millrace/gateway/control/console/", import.meta.url);
const { sha256, hmac } = await import(new URL("sha256.js", files));
const { makeToken } = await import(new URL("token.js", files));
const { bytes, duration, percent, perSecond } = await import(new URL("format.js", files));
const { shareOf, stateText, what } = await import(new URL("jobwords.js", files));
const { progressText, speedText } = await import(new URL("jobrow.js", files));
const { bucketStates, cachedBytes } = await import(new URL("storage.js", files));
const { commandOf } = await import(new URL("jobcommand.js", files));
const { kindText, timesText } = await import(new URL("schedules.js", files));
const { requestFacts, timelineOf, transferredText } = await import(new URL("job.js", files));
const { levelOf, linkOf, sinceText } = await import(new URL("alarms.js", files));
const { heardText, homesText, standing } = await import(new URL("cluster.js", files));
const { conditionsOf, statementText } = await import(new URL("access.js", files));
const { linkTo, linkWith, parseRoute } = await import(new URL("route.js", files));
const { splitLines, chartsOf } = await import(new URL("trafficcharts.js", files));
const { errorLines, errorSums, matches } = await import(new URL("errordata.js", files));
const { rowsOf } = await import(new URL("chart.js", files));
const { periodParams, rangeOf, zoomOf } = await import(new URL("period.js", files));

const hex = (data) => Buffer.from(data).toString("hex");

test("SHA-256 is that of the standard, at every length around its blocks", () => {
  assert.equal(hex(sha256(Buffer.from("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  for (let length = 0; length < 300; length++) {
    const data = randomBytes(length);
    assert.equal(hex(sha256(data)), createHash("sha256").update(data).digest("hex"), `${length} bytes`);
  }
  const long = randomBytes(1_000_003);
  assert.equal(hex(sha256(long)), createHash("sha256").update(long).digest("hex"));
});

test("HMAC-SHA256 is that of RFC 4231, with keys shorter and longer than a block", () => {
  assert.equal(
    hex(hmac(Buffer.alloc(20, 0x0b), Buffer.from("Hi There"))),
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  );
  assert.equal(
    hex(hmac(Buffer.alloc(131, 0xaa), Buffer.from("Test Using Larger Than Block-Size Key - Hash Key First"))),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  );
  for (let length = 0; length < 200; length++) {
    const [key, data] = [randomBytes(length), randomBytes(200 - length)];
    assert.equal(hex(hmac(key, data)), createHmac("sha256", key).update(data).digest("hex"), `a key of ${length} bytes`);
  }
});

test("a token is signed as docs/jobs.md says, with and without WebCrypto", async () => {
  const now = 1_800_000_000_999;
  const token = await makeToken("KEY", "sécret", now);
  const [header, claims, signature] = token.split(".");
  assert.deepEqual(JSON.parse(Buffer.from(header, "base64url")), { alg: "HS256", typ: "JWT" });
  assert.deepEqual(JSON.parse(Buffer.from(claims, "base64url")), { sub: "KEY", aud: "millrace", iat: 1_800_000_000, exp: 1_800_043_200 });
  const key = createHmac("sha256", "sécret").update("millrace bearer token 1").digest();
  assert.equal(signature, createHmac("sha256", key).update(`${header}.${claims}`).digest("base64url"));

  const crypto = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  try {
    assert.equal(await makeToken("KEY", "sécret", now), token);
  } finally {
    Object.defineProperty(globalThis, "crypto", crypto);
  }
});

test("a job is described in a line, and a URL without its query", () => {
  const line = (from, to) => what({ request: { from, to } });
  const to = { bucket: "sets", prefix: "raw/" };
  assert.equal(line({ bucket: "data", prefix: "train/" }), "s3://data/train/");
  assert.equal(line({ bucket: "data", keys: ["a", "b"] }, to), "s3://data/ (by keys) → s3://sets/raw/");
  assert.equal(line({ urls: ["https://h/a.tar?sig=secret k"] }, to), "https://h/a.tar → s3://sets/raw/");
  assert.equal(line({ urls: ["https://h/a?b=c", "https://h/d"] }, to), "https://h/a and more → s3://sets/raw/");
  assert.equal(line({ template: "https://h/{1..2}?sig=secret" }, to), "https://h/{1..2} → s3://sets/raw/");
  assert.equal(line({ manifest: "s3://lists/urls" }, to), "s3://lists/urls → s3://sets/raw/");
  assert.equal(line({ failuresOf: "j1" }, to), "failures of j1 → s3://sets/raw/");
});

test("numbers are for people", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1023), "1023 B");
  assert.equal(bytes(1536), "1.5 KiB");
  assert.equal(bytes(2 ** 40), "1 TiB");
  assert.equal(duration(59), "59 s");
  assert.equal(duration(3600), "1 h");
  assert.equal(duration(90061), "1 d 1 h");
  assert.equal(percent(0.5), "50%");
  assert.equal(percent(0.1234), "12.3%");
  assert.equal(perSecond(1234.5), "1,235");
});

test("a link leads back to what it was made from", () => {
  const link = linkWith(linkTo("buckets", "data", "a/b c?#%/"), { q: "x&y=z", empty: "", none: undefined });
  assert.deepEqual(parseRoute(link), { page: "buckets", places: ["data", "a/b c?#%/"], params: { q: "x&y=z" } });
  assert.deepEqual(parseRoute("#/jobs"), { page: "jobs", places: [], params: {} });
  assert.deepEqual(parseRoute("#/jobs/%"), { page: "jobs", places: ["%"], params: {} });
  assert.deepEqual(parseRoute(""), { page: "", places: [], params: {} });
});

test("a breakdown has the busiest lines, zero where there was no traffic, and no latency", () => {
  const times = ["2026-01-01T00:00:10Z", "2026-01-01T00:00:20Z"];
  const series = Array.from({ length: 12 }, (_, i) => ({ name: `b${i}`, points: [{ at: times[1], millis: 10_000, requests: i * 10, meanMicros: 2000 }] }));
  const [requests, , , latency] = chartsOf("operation");
  const found = splitLines(requests, { times, series }, "");
  assert.deepEqual(found.times, [1767225610, 1767225620]);
  assert.equal(found.lines.length, 8);
  assert.deepEqual(found.lines[0], { name: "b11", values: [0, 11] });
  assert.deepEqual(splitLines(latency, { times, series }, "b3").lines, [{ name: "b3", values: [null, 2] }]);
});

test("a dry run says that it is one in every state", () => {
  assert.equal(stateText({ state: "done-with-failures", request: {} }), "done with failures");
  assert.equal(stateText({ state: "planning", request: { dryRun: true } }), "planning (dry run)");
  assert.equal(stateText({ state: "paused" }), "paused");
});

test("every bucket of the settings has its state and what is cached of it, by the names of clients", () => {
  const backends = [
    { name: "far", buckets: [{ bucket: "typo", backendBucket: "tpyo", state: "missing", message: "no such bucket" }] },
    { name: "near", buckets: [{ bucket: "data", backendBucket: "data", state: "answers", message: "" }] },
  ];
  const residency = [
    { bucket: "data", prefix: "", cachedBytes: 7 },
    { bucket: "data", prefix: "a/", cachedBytes: 3 },
  ];
  assert.deepEqual(
    bucketStates(backends, residency).map(({ bucket, backend, state, cachedBytes }) => [bucket, backend, state, cachedBytes]),
    [
      ["data", "near", "answers", 7],
      ["typo", "far", "missing", undefined],
    ],
  );
  assert.equal(bucketStates(backends)[0].cachedBytes, undefined);
});

test("the cached bytes of a bucket that no setting names are counted on its own page", () => {
  const attributes = {};
  globalThis.document = { createElement: (tag) => ({ tag, append() {}, setAttribute: (name, value) => (attributes[name] = value) }) };
  try {
    assert.equal(cachedBytes("data", 0, true), "0 B");
    assert.equal(cachedBytes("data", undefined, true).tag, "a");
    assert.equal(attributes.href, "#/buckets/data");
    assert.equal(cachedBytes("data", undefined, false), "–");
  } finally {
    delete globalThis.document;
  }
});

test("a job that was cut short shows how far it came", () => {
  const job = (state, percent) => ({ state, percent, progress: { found: 4, counted: true, done: 1, skipped: 0, failed: 0 } });
  assert.equal(progressText(job("cancelled", 88.5), shareOf(job("cancelled", 88.5))), "88.5% · 1 of 4");
  assert.equal(progressText(job("failed"), shareOf(job("failed"))), "1 of 4");
  assert.equal(progressText(job("done", 100), shareOf(job("done", 100))), "1 done");
});

test("a dry run shows what it found, not that nothing is done", () => {
  const job = (state, counted) => ({ state, request: { dryRun: true }, progress: { found: 60, counted, done: 0, skipped: 0, failed: 0 } });
  assert.equal(progressText(job("done", true), null), "60 found");
  assert.equal(progressText(job("planning", false), null), "60+ found");
});

test("a copy inside one backend is not said to have transferred nothing without the reason", () => {
  const job = (kind, doneBytes, movedBytes) => ({ kind, progress: { doneBytes, movedBytes } });
  assert.equal(transferredText(job("copy", 2048, 0)), "nothing: 2 KiB copied by the backend");
  assert.equal(transferredText(job("copy", 2048, 2048)), "2 KiB");
  assert.equal(transferredText(job("copy", 0, 0)), "0 B");
  assert.equal(transferredText(job("verify", 2048, 0)), "0 B");
});

test("the request of a job is told in words, not by the fields of the API", () => {
  assert.deepEqual(requestFacts({ kind: "copy", from: { bucket: "data", keys: ["a", "b"] }, to: { prefix: "x/" }, deleteExtra: true, requestsPerSecond: 5 }), [
    ["Kind", "copy"],
    ["From bucket", "data"],
    ["From keys", "a\nb"],
    ["To prefix", "x/"],
    ["Delete extra", "yes"],
    ["Requests per second", "5"],
  ]);
});

test("a job that has listed nothing says so", () => {
  assert.equal(progressText({ state: "planning", request: {}, progress: { found: 0, counted: false, done: 0, skipped: 0, failed: 0 } }, null), "no object found yet");
});

test("a pack counts shards, and arranges them first", () => {
  const pack = (state, progress) => ({ kind: "pack", state, request: {}, progress: { skipped: 0, failed: 0, done: 0, ...progress } });
  assert.equal(progressText(pack("planning", { found: 0, counted: false }), null), "arranging its shards");
  assert.equal(progressText(pack("running", { found: 8, counted: true, done: 3 }), null), "3 of 8 shards");
  assert.equal(speedText({ kind: "pack", bytesPerSecond: 0, objectsPerSecond: 2 }), "2 shards/s");
});

test("a job has the command that submits it again, quoted for a shell, without its client token", () => {
  const command = (request) => commandOf("j1", request);
  assert.equal(command({ kind: "prefetch", from: { bucket: "data", prefix: "train/" }, pin: "7d", clientToken: "t", dryRun: false }), "millrace prefetch s3://data/train/ --pin 7d");
  assert.equal(
    command({ kind: "copy", from: { bucket: "data", prefix: "it's here/", glob: "**.tar", minSize: "1MiB" }, to: { bucket: "sets" }, overwrite: "always", deleteExtra: true, maxDelete: 500, workers: 4, bandwidth: "10MiB" }),
    "millrace copy 's3://data/it'\\''s here/' s3://sets/ --glob '**.tar' --min-size 1MiB --overwrite always --delete-extra --max-delete 500 --workers 4 --bandwidth 10MiB",
  );
  assert.equal(command({ kind: "evict", from: { bucket: "data", template: "shard-{0..9}" } }), "millrace evict s3://data/ --template 'shard-{0..9}'");
  assert.equal(
    command({ kind: "pack", from: { bucket: "data", prefix: "train/" }, to: { bucket: "sets", prefix: "a/" }, shards: { name: "s-%06d.tar", size: "1MiB", shuffle: 0 } }),
    "millrace pack s3://data/train/ s3://sets/a/s-%06d.tar --shard-size 1MiB --shuffle 0",
  );
  assert.equal(
    command({ kind: "pack", from: { bucket: "data", manifest: "order" }, to: { bucket: "sets" }, shards: { name: "%04d.tar", shuffle: 7, window: 64, append: true } }),
    "millrace pack s3://data/ s3://sets/%04d.tar --manifest order --shuffle 7 --window 64 --append",
  );
  assert.equal(command({ kind: "verify", from: { bucket: "data" }, to: { bucket: "copy" } }), "millrace verify s3://data/ s3://copy/");
  assert.equal(command({ kind: "download", from: { template: "https://h/{1..2}" }, to: { bucket: "sets", prefix: "raw/" } }), "millrace download 'https://h/{1..2}' s3://sets/raw/");
  assert.equal(command({ kind: "download", from: { urls: ["https://h/a?b=c sha256:00", "https://h/d"] }, to: { bucket: "sets" } }), "millrace download s3://sets/ --from-file - <<'END_OF_LIST'\nhttps://h/a?b=c sha256:00\nhttps://h/d\nEND_OF_LIST");
  assert.equal(command({ kind: "copy", from: { bucket: "data", failuresOf: "j0" } }), "millrace jobs retry j0");
  const evict = (...keys) => command({ kind: "evict", from: { bucket: "data", keys } });
  assert.equal(evict("END_OF_LIST", "x|sh"), "millrace evict s3://data/ --keys-from - <<'END_OF_LIST_'\nEND_OF_LIST\nx|sh\nEND_OF_LIST_");
  assert.equal(evict("a\nEND_OF_LIST\nx|sh"), undefined);
  assert.equal(command({ kind: "evict", from: { bucket: "data", prefix: "a\u0003b" } }), undefined);
});

test("the timeline of a job says how long each step took", () => {
  const job = { state: "done", submitted: "2026-01-01T00:00:00Z", started: "2026-01-01T00:00:05Z", ended: "2026-01-01T00:01:05Z", activeMillis: 30_000 };
  assert.deepEqual(timelineOf(job).map(({ title, after }) => [title, after]), [
    ["Submitted", "waited 5 s"],
    ["Started", "active for 30 s of 1 min"],
    ["Done", ""],
  ]);
  const waiting = { state: "submitted", submitted: "2026-01-01T00:00:00Z", activeMillis: 0 };
  assert.deepEqual(timelineOf(waiting).map(({ title, after }) => [title, after]), [["Submitted", ""], ["Waiting", "now"]]);
});

test("the timeline of a job says who paused it, what interrupted it, and how it ended", () => {
  const at = (second) => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
  const event = (second, name, by = "", detail = "") => ({ at: at(second), event: name, by, detail });
  const job = { state: "running", submitted: at(0), started: at(1), activeMillis: 5_000, events: [event(2, "paused", "alice"), event(9, "resumed", "bob"), event(10, "stopped"), event(11, "restarted"), event(12, "failed", "", "no bucket"), event(13, "something-newer")] };
  assert.deepEqual(timelineOf(job, at(5), at(20)).slice(2).map(({ title, after }) => [title, after]), [
    ["Paused", "by alice"],
    ["First object failed", ""],
    ["Resumed", "by bob"],
    ["Millrace stopped", ""],
    ["Went on", "Millrace was started again"],
    ["Failed", "no bucket"],
    ["something-newer", ""],
    ["Running", "now"],
  ]);
  const cancelled = { ...job, state: "cancelled", ended: at(9), events: [event(8, "cancelled", "alice")] };
  assert.deepEqual(timelineOf(cancelled).at(-1), { title: "Cancelled", at: at(8), after: "by alice" });
});

test("an alarm says since when it is, and leads to where it shows", () => {
  // The same day in nearly every time zone.
  const since = "2026-01-01T12:00:00Z";
  const later = Date.parse(since) + 3_600_000;
  assert.match(sinceText({ kind: "job", since }, later), /^since 1 Jan, .*\(1 h\)$/);
  assert.match(sinceText({ kind: "backend", since }, later), /^first seen 1 Jan, /);
  assert.deepEqual(["metadata-store", "requests", "disk-slow", "backend", "bucket", "member-away", "placement", "something-newer"].map((kind) => linkOf({ kind, target: "x" })), [
    "#/settings?q=cache.metadata",
    "#/errors",
    "#/overview?show=disks",
    "#/overview?show=backends",
    "#/overview?show=bucket-states",
    "#/cluster",
    "#/cluster",
    "#/overview",
  ]);
  assert.deepEqual(["01k8", ""].map((target) => linkOf({ kind: "job", target })), ["#/jobs/01k8", "#/jobs"]);
  assert.deepEqual(["critical", "warning"].map((level) => levelOf({ level })), ["bad", "warn"]);
});

test("a member of a cluster is described in the words of the command line", () => {
  assert.match(standing({ cluster: "prod", node: "gw-0", ready: true, leaseHeld: true, placement: "shared" }), /^Member gw-0 of cluster prod: ready, holds all leases, placement shared\./);
  assert.match(standing({ cluster: "prod", node: "gw-0", ready: false, leaseHeld: false, placement: "balancer" }), /^Member gw-0 of cluster prod: not ready, strong buckets revalidate, placement balancer\./);
  assert.deepEqual([{ silentMillis: 310 }, { silentMillis: 90_000 }, {}].map(heardText), ["310 ms ago", "1 min 30 s ago", "not since the start"]);
});

test("a member says what it is home of where objects have homes", () => {
  assert.equal(homesText({ node: "gw-0", homePercent: 33.3, copiedBytes: 1 << 20 }), "gw-0 is home of 33.3% of the objects. Beside their homes it has stored 1 MiB since it started.");
  assert.equal(homesText({ node: "gw-0" }), "");
});

test("a role says whose tokens and which callers may assume it", () => {
  const role = { issuer: "https://login", subjects: ["a", "b*"], claims: { groups: ["ml", "ops"] }, assumedBy: ["user/alice"] };
  assert.deepEqual(conditionsOf(role), ["tokens of https://login", "sub: a or b*", "groups: ml or ops", "user/alice"]);
  assert.deepEqual(conditionsOf({ subjects: [], claims: {}, assumedBy: ["role/x"] }), ["role/x"]);
});

test("a statement of a policy is a line", () => {
  const none = { principals: [], actions: [], notActions: [], resources: [], notResources: [], conditional: false };
  assert.equal(statementText({ ...none, effect: "Allow", actions: ["s3:GetObject", "s3:List*"], resources: ["arn:aws:s3:::data", "arn:aws:s3:::data/*"] }), "Allow s3:GetObject, s3:List* on data, data/*");
  assert.equal(
    statementText({ ...none, effect: "Deny", principals: ["*", "arn:aws:iam::000000000000:user/bob"], notActions: ["s3:Get*"], notResources: ["arn:aws:s3:::data/*"], conditional: true }),
    "Deny all but s3:Get* on all but data/* for everyone, user/bob under a condition",
  );
});

test("errors are found by what they name", () => {
  const error = { status: 404, bucket: "data", key: "Train/a", identity: "bob", peer: "10.0.0.1", requestId: "X1", operation: "GetObject" };
  const all = { q: "", status: "", bucket: "" };
  assert.ok(matches(error, all) && matches(error, { ...all, q: "train/A", status: "404", bucket: "data" }));
  assert.ok(!matches(error, { ...all, status: "503" }) && !matches(error, { ...all, bucket: "other" }) && !matches(error, { ...all, q: "alice" }));
  assert.ok(matches({ ...error, at: "2026-01-01T00:00:30Z" }, { ...all, from: String(Date.parse("2026-01-01T00:00:00Z") / 1000), to: String(Date.parse("2026-01-01T00:01:00Z") / 1000) }));
  assert.ok(!matches({ ...error, at: "2026-01-01T00:02:00Z" }, { ...all, from: String(Date.parse("2026-01-01T00:00:00Z") / 1000), to: String(Date.parse("2026-01-01T00:01:00Z") / 1000) }));
  assert.ok(matches({ ...error, status: 200, outcome: "broken" }, { ...all, status: "broken" }));
});

test("errors are summed by status, by code and by bucket, since when, in a period", () => {
  const at = (second) => `2026-01-01T00:00:${second}.000Z`;
  const history = {
    times: [at(10), at(20), at(30)],
    series: [
      { bucket: "data", status: "503", code: "SlowDown", points: [{ at: at(20), millis: 10_000, errors: 30 }, { at: at(30), millis: 10_000, errors: 10 }] },
      { bucket: "news", status: "503", code: "SlowDown", points: [{ at: at(20), millis: 10_000, errors: 10 }] },
      { bucket: "news", status: "404", code: "NoSuchKey", points: [{ at: at(10), millis: 10_000, errors: 5 }] },
    ],
  };
  const none = { bucket: "", status: "" };
  assert.deepEqual(errorLines(history, none, "status").lines, [{ name: "503", values: [0, 4, 1] }, { name: "404", values: [0.5, 0, 0] }]);
  const nameless = { times: history.times, series: [...history.series, { bucket: "data", status: "broken", code: "", points: [{ at: at(30), millis: 10_000, errors: 10 }] }] };
  assert.deepEqual(errorLines(nameless, none, "code").lines, [{ name: "SlowDown", values: [0, 4, 1] }, { name: "no code", values: [0, 0, 1] }, { name: "NoSuchKey", values: [0.5, 0, 0] }]);
  assert.deepEqual(errorLines(history, { ...none, status: "503" }, "bucket").lines, [{ name: "data", values: [0, 3, 1] }, { name: "news", values: [0, 1, 0] }]);
  const since = Date.parse(at(15)) / 1000;
  assert.deepEqual(errorSums(history, none, [since, since + 60]), [
    { bucket: "data", status: "503", code: "SlowDown", errors: 40, first: at(10), last: at(30) },
    { bucket: "news", status: "503", code: "SlowDown", errors: 10, first: at(10), last: at(20) },
  ]);
});

test("a period is the last minutes, or a zoom, and the usual one is not in the link", () => {
  const end = Date.parse("2026-01-01T01:00:00Z") / 1000;
  assert.deepEqual(rangeOf({ minutes: "15", from: "", to: "" }, "2026-01-01T01:00:00Z"), [end - 900, end]);
  assert.deepEqual(rangeOf({ minutes: "15", from: "5", to: "9" }, "2026-01-01T01:00:00Z"), [5, 9]);
  assert.equal(zoomOf({ from: "9", to: "5" }), null);
  assert.equal(periodParams({ minutes: "60" }).minutes, "");
  assert.equal(periodParams({ minutes: "7" }).minutes, "");
  assert.equal(periodParams({ minutes: "1440" }).minutes, "1440");
});

test("a row of a chart's table tells the mean of its span, not its last point", () => {
  const times = Array.from({ length: 24 }, (_, i) => i * 10);
  const values = times.map((_, i) => (i === 0 ? 10 : i === 3 ? null : 0));
  const rows = rowsOf({ format: String }, times, [{ name: "GET", values }, { name: "none", values: times.map(() => null) }]);
  assert.equal(rows.length, 12);
  assert.deepEqual(rows[0].slice(1), ["5", "none"]);
  assert.deepEqual(rows[1].slice(1), ["0", "none"]);
});

test("a schedule is shown with its times and what its job does", () => {
  const request = { kind: "copy", from: { bucket: "data", prefix: "a/" }, to: { bucket: "copy" } };
  assert.equal(timesText({ cron: "0 3 * * *", zone: "UTC" }), "0 3 * * * (UTC)");
  assert.equal(kindText({ request }), "Copy s3://data/a/ → s3://copy/");
});
