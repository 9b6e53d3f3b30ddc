// The words for jobs: state, source and target, progress. Lists have only the first of many keys and URLs, so those are not counted.

export const KINDS = { prefetch: "Prefetch", copy: "Copy", pack: "Pack", download: "Download", evict: "Evict", verify: "Verify" };

export const isActive = ({ state }) => ["submitted", "planning", "running", "pausing", "cancelling"].includes(state);

// Will change, or waits for someone who resumes it.
export const isUnfinished = (job) => isActive(job) || job.state === "paused";

export const stateText = ({ state, request }) => state.replaceAll("-", " ") + (request?.dryRun ? " (dry run)" : "");

// Ended before all of it was done: how far it came still matters.
export const isCutShort = ({ state }) => ["paused", "cancelled", "failed"].includes(state);

export const processed = ({ done, skipped, failed }) => done + skipped + failed;

export const transferred = (progress) => progress.doneBytes + progress.skippedBytes + progress.failedBytes + progress.underWayBytes;

// From 0 to 1; null while the total is unknown.
export const shareOf = (job) => (job.percent === undefined ? (isActive(job) ? null : 0) : job.percent / 100);

export function what({ request: { from, to } }) {
  const source = sourceOf(from);
  return to ? `${source} → ${s3(to.bucket, to.prefix)}` : source;
}

const sourceOf = (from) => (from?.bucket ? objects(from) : web(from ?? {}));

const s3 = (bucket, prefix) => `s3://${bucket ?? ""}/${prefix ?? ""}`;

const objects = (from) => s3(from.bucket, from.template ?? from.manifest ?? from.prefix) + selection(from);

const selection = ({ keys, failuresOf, glob }) =>
  keys ? " (by keys)" : failuresOf ? ` (failures of ${failuresOf})` : glob ? ` ${glob}` : "";

function web({ urls, template, manifest, failuresOf }) {
  if (urls) {
    return withoutQuery(urls[0]) + (urls.length > 1 ? " and more" : "");
  }
  return failuresOf ? `failures of ${failuresOf}` : withoutQuery(template ?? manifest ?? "");
}

// The query may hold a signature.
const withoutQuery = (url) => url.replace(/\?.*/s, "");
