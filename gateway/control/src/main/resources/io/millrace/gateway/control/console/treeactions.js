// What can be done with cached objects and folders: jobs, and invalidations.
import { askFor, confirmed, h } from "./dom.js";
import { plural } from "./format.js";
import { what } from "./jobwords.js";
import { linkTo } from "./route.js";

export const TREE_ACTIONS = [
  { title: "Prefetch", kind: "prefetch" },
  { title: "Evict", kind: "evict", danger: true },
  { title: "Invalidate" },
  { title: "Pin", kind: "prefetch", pins: true },
];

// Returns the message of success, or undefined if the user dismissed the dialog.
export async function runAction(session, action, bucket, chosen) {
  const subject = describe(bucket, chosen);
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
