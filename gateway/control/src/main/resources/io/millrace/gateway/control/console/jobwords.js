// What a job is and is about. Lists of jobs tell the first of many keys and URLs only, so those are not counted.

export const isActive = ({ state }) => ["submitted", "planning", "running", "pausing", "cancelling"].includes(state);

export const ended = ({ done, skipped, failed }) => done + skipped + failed;

export function what({ request: { from, to } }) {
  const source = from?.bucket ? objects(from) : web(from ?? {});
  return to ? `${source} → ${place(to.bucket, to.prefix)}` : source;
}

const place = (bucket, prefix) => `s3://${bucket ?? ""}/${prefix ?? ""}`;

const objects = (from) => place(from.bucket, from.template ?? from.manifest ?? from.prefix) + besides(from);

const besides = ({ keys, failuresOf, glob }) =>
  keys ? " (by keys)" : failuresOf ? ` (failures of ${failuresOf})` : glob ? ` ${glob}` : "";

function web({ urls, template, manifest, failuresOf }) {
  if (urls) {
    return withoutQuery(urls[0]) + (urls.length > 1 ? " and more" : "");
  }
  return failuresOf ? `failures of ${failuresOf}` : withoutQuery(template ?? manifest ?? "");
}

// It may hold a signature.
const withoutQuery = (url) => url.replace(/\?.*/s, "");
