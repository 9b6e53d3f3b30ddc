// The pictures of docs/, of one run with traffic, jobs, errors and alarms.
import { HOME, SECRETS, begin, end, goTo, open, page, picture, say, signIn } from "./browser.mjs";
import { button } from "./hand.mjs";

const { S3_PORT } = process.env;
const DESK = { width: 1440, height: 900 };
const TELEPHONE = { width: 390, height: 844 };
const MINUTES = 3.5;

const number = (below, digits) => String(Math.floor(Math.random() * below)).padStart(digits, "0");
const request = (path, headers = {}) => fetch(`http://127.0.0.1:${S3_PORT}/${path}`, { headers }).then((answer) => answer.arrayBuffer());

// What clients do: reads of two data sets in waves, some of logs, and errors of four kinds.
async function traffic(until) {
  for (let second = 0; Date.now() < until; second++) {
    const wave = 18 + 16 * Math.sin(second / 6);
    const reads = Array.from({ length: Math.round(wave) }, () =>
      request(Math.random() < 0.75 ? `imagenet/train/shard-${number(60, 3)}.tar` : `openimages/dog/img-${number(20, 2)}.parquet`),
    );
    const others = [
      [0.5, () => request(`logs/2026/11/part-${number(5, 2)}.json`)],
      [0.5, () => request(`openimages/cat/img-${number(9, 1)}9.parquet`)],
      [0.5, () => request(`checkpoints/llm-7b/step-${1 + Math.floor(Math.random() * 6)}000.pt`)],
      [0.2, () => request(`crawl/2026-47/part-${number(90, 5)}.warc.gz`)],
      [0.2, () => request("imagenet/meta/labels1.json", { range: "bytes=90000-90001" })],
    ].filter(([often]) => Math.random() < often);
    await Promise.all([...reads, ...others.map(([, send]) => send()), new Promise((then) => setTimeout(then, 1000))]);
  }
}

// Submits a job as the page does.
const submit = (on, job) =>
  on.evaluate(async (body) => {
    const headers = { "X-Millrace-Console": "1", "Content-Type": "application/json" };
    const answer = await fetch("/api/v1/jobs", { method: "POST", headers, body });
    const text = await answer.text();
    if (!answer.ok) {
      throw new Error(text);
    }
    return JSON.parse(text).id;
  }, JSON.stringify(job));

const states = (id, wanted) =>
  page.waitForFunction(
    async ([job, state]) => (await (await fetch(`/api/v1/jobs/${job}`, { headers: { "X-Millrace-Console": "1" } })).json()).state === state,
    [id, wanted],
    { timeout: 300_000, polling: 500 },
  );

async function submitJobs() {
  const trainer = await open();
  await signIn(trainer, "CONSOLE-BOB", SECRETS[1]);
  await submit(page, { kind: "prefetch", from: { bucket: "openimages", prefix: "horse/" } });
  await submit(page, { kind: "prefetch", from: { bucket: "crawl", prefix: "2026-47/" } });
  await submit(page, { kind: "evict", from: { bucket: "imagenet", prefix: "train/", glob: "**-05x.tar" } }).catch((problem) => say(problem.message));
  await submit(trainer, { kind: "prefetch", from: { bucket: "openimages", prefix: "cat/" } }).catch((problem) => say(problem.message));
  await states(await submit(page, { kind: "copy", from: { bucket: "openimages", prefix: "dog/" }, to: { bucket: "mirror", prefix: "dogs/" }, dryRun: true }), "done");
  await submit(page, { kind: "prefetch", from: { bucket: "openimages", keys: ["dog/img-00.parquet", "dog/img-90.parquet", "dog/img-91.parquet"] } });
  await trainer.watched.close();
}

async function shot(name, place, ready, size = DESK, { isWhole = false, height } = {}) {
  await page.setViewportSize(height ? { ...size, height } : size);
  if (place) {
    await goTo(page, place);
  }
  await ready();
  await page.waitForTimeout(1500);
  await (isWhole ? picture(page, `console-${name}-${size.width}`) : page.screenshot({ path: `${process.env.SHOTS}/console-${name}-${size.width}.png` }));
  say(name);
}

const heading = (name) => () => page.getByRole("heading", { name, exact: true }).waitFor();

await begin();
await page.goto(HOME);
await page.setViewportSize({ width: 1440, height: 520 });
await page.getByLabel("Access key").waitFor();
await picture(page, "console-sign-in-1440");
await signIn(page, "CONSOLE-ADMIN", SECRETS[0]);
const clients = traffic(Date.now() + MINUTES * 60_000);
await page.waitForTimeout(3000);
await submitJobs();
await page.waitForTimeout(100_000);
const copy = await submit(page, { kind: "copy", from: { bucket: "openimages" }, to: { bucket: "mirror", prefix: `${new Date().toISOString().slice(0, 10)}/` }, workers: 4, bandwidth: "900KiB" });
await goTo(page, `jobs/${copy}`);
await states(copy, "running");
await page.waitForTimeout(8000);
await button("Pause").click();
await states(copy, "paused");
await page.waitForTimeout(3000);
await button("Resume").click();
await states(copy, "running");
await page.waitForTimeout(30_000);

// An operator knows of one of them, so that it comes last.
await goTo(page, "overview");
await page.getByRole("button", { name: /^Acknowledge Job/ }).first().click();
await page.locator(".alarm.known").first().waitFor();
for (const [size, name] of [[DESK, "desk"], [TELEPHONE, "telephone"]]) {
  say(`on a ${name}`);
  await shot("overview", "overview", () => page.getByRole("row", { name: /^openimages/ }).waitFor(), size, { isWhole: true });
  await shot("buckets", "buckets", () => page.getByRole("row", { name: /^openimages/ }).waitFor(), size, { isWhole: size !== DESK });
  await shot("jobs", "jobs", () => page.locator("tr.job").first().waitFor(), size, { isWhole: size !== DESK });
  await shot("errors", "errors", () => page.getByRole("row", { name: /NoSuchKey/ }).first().waitFor(), size, { height: size === DESK ? 1500 : 3640 });
  if (size === DESK) {
    await shot("job", `jobs/${copy}`, heading("Submit it again"));
  }
}
await page.setViewportSize(DESK);
await goTo(page, "overview");
await page.getByLabel("Traffic shown").selectOption("bucket");
const chart = page.getByRole("region", { name: "GETs and HEADs of clients", exact: true });
await chart.locator(".u-legend").getByText("imagenet", { exact: true }).waitFor();
await shot("chart", undefined, async () => {
  await page.getByRole("heading", { name: "Traffic" }).evaluate((title) => window.scrollTo(0, title.getBoundingClientRect().top + window.scrollY - 20));
  const box = await chart.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.93, box.y + box.height / 2);
});
await shot("bucket", "buckets/imagenet", async () => {
  await button("Open train/").click();
  await page.getByRole("link", { name: "shard-001.tar" }).waitFor();
  await page.getByLabel("Select meta/").check();
});
await shot("explain", `explain/imagenet/${encodeURIComponent("train/shard-052.tar")}`, heading("What happened last"));
await shot("access", "access", heading("Buckets with rights of their own"), DESK, { isWhole: true });
await shot("settings", "settings", () => page.getByRole("row", { name: /^s3.port/ }).waitFor());
await clients;
await states(copy, "done");
await shot("job", `jobs/${copy}`, heading("Submit it again"), TELEPHONE, { isWhole: true });
await end();
