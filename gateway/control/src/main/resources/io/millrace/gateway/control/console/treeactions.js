// What can be done with cached objects and folders: jobs, and invalidations.
import { askFor, confirmed, h } from "./dom.js";
import { bytes, plural } from "./format.js";
import { isActive, what } from "./jobwords.js";
import { linkTo } from "./route.js";

const COUNT_PAUSE = 500;

// Those on what is cached are on a bucket of its own: what is cached of a derived one is another's.
export const TREE_ACTIONS = [
  { title: "Prefetch", kind: "prefetch", rights: ["read", "operate"] },
  { title: "Evict", kind: "evict", danger: true, ofCache: true, rights: ["operate"] },
  { title: "Invalidate", ofCache: true, rights: ["write", "operate"] },
  { title: "Pin", kind: "prefetch", pins: true, ofCache: true, rights: ["read", "operate"] },
  { title: "Count at backend", kind: "prefetch", counts: true, rights: ["read", "operate"] },
];

// Returns the message of success, or undefined if the user dismissed the dialog.
export async function runAction(session, action, bucket, chosen) {
  const subject = describe(bucket, chosen);
  if (action.counts) {
    return countAtBackend(session, bucket, chosen, subject);
  }
  if (!action.kind) {
    return (await confirmed(`Invalidate ${subject}? The next read of each object is revalidated at the backend.`, "Invalidate")) ? invalidate(session, bucket, chosen, subject) : undefined;
  }
  const pin = action.pins ? await askFor(`Pin ${subject}: prefetch it, and do not evict it for this time.`, "Pin for", "7d", "Pin") : undefined;
  const confirmedByUser = action.pins ? pin !== undefined : await confirmed(`${action.title} ${subject}?${action.danger ? " The next read of each object fetches it from the backend again." : ""}`, action.title);
  if (!confirmedByUser) {
    return undefined;
  }
  const jobs = [];
  for (const from of selections(bucket, chosen)) {
    jobs.push(await session.api.post("/jobs", pin === undefined ? { kind: action.kind, from } : { kind: action.kind, from, pin }));
  }
  return [`Submitted ${plural(jobs.length, "job")}: `, ...jobs.flatMap((job, i) => [i > 0 ? ", " : "", h("a", { href: linkTo("jobs", job.id) }, `${job.kind} ${what(job)}`)]), "."];
}

// A dry run lists at the backend and moves nothing.
async function countAtBackend(session, bucket, chosen, subject) {
  const jobs = [];
  for (const from of selections(bucket, chosen)) {
    jobs.push(await ended(session, await session.api.post("/jobs", { kind: "prefetch", from, dryRun: true })));
  }
  const sum = (field) => jobs.reduce((total, { progress }) => total + progress[field], 0);
  const links = jobs.map((job, i) => h("a", { href: linkTo("jobs", job.id) }, jobs.length > 1 ? `dry run ${i + 1}` : "dry run"));
  const unfinished = jobs.find((job) => !job.progress.counted);
  const text = unfinished ? `The objects in ${subject} could not be counted: ${unfinished.message || unfinished.state} (` : `The backend has ${plural(sum("found"), "object")}, ${bytes(sum("foundBytes"))}, in ${subject} (`;
  return [text, ...links.flatMap((link, i) => (i > 0 ? [", ", link] : [link])), ")."];
}

async function ended(session, job) {
  let now = job;
  while (isActive(now)) {
    await new Promise((resume) => setTimeout(resume, COUNT_PAUSE));
    now = await session.api.get(`/jobs/${encodeURIComponent(job.id)}`, { brief: true });
  }
  return now;
}

async function invalidate(session, bucket, chosen, subject) {
  for (const { name, folder } of chosen) {
    await session.api.post("/invalidations", folder ? { bucket, prefix: name || undefined } : { bucket, key: name });
  }
  return [`Invalidated ${subject}.`];
}

const describe = (bucket, chosen) => (chosen.length === 1 ? `s3://${bucket}/${chosen[0].name}` : plural(chosen.length, "object or folder", "objects and folders"));

// A job for each folder, and one for all objects.
function selections(bucket, chosen) {
  const keys = chosen.filter(({ folder }) => !folder).map(({ name }) => name);
  const folders = chosen.filter(({ folder }) => folder).map(({ name }) => ({ bucket, prefix: name }));
  return keys.length > 0 ? [...folders, { bucket, keys }] : folders;
}
