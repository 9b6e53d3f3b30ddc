// The command that submits a job again, for a shell.

const SAFE = /^[\w@%+=:,./-]+$/;

const quote = (text) => (SAFE.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`);

const OPTIONS = [
  ["from.template", "--template"],
  ["from.manifest", "--manifest"],
  ["from.glob", "--glob"],
  ["from.regex", "--regex"],
  ["from.minSize", "--min-size"],
  ["from.maxSize", "--max-size"],
  ["from.newerThan", "--newer-than"],
  ["from.olderThan", "--older-than"],
  ["shards.size", "--shard-size"],
  ["shards.samples", "--samples"],
  ["shards.shuffle", "--shuffle"],
  ["shards.window", "--window"],
  ["shards.append", "--append"],
  ["range", "--range"],
  ["pin", "--pin"],
  ["overwrite", "--overwrite"],
  ["deleteExtra", "--delete-extra"],
  ["maxDelete", "--max-delete"],
  ["workers", "--workers"],
  ["bandwidth", "--bandwidth"],
  ["requestsPerSecond", "--requests-per-second"],
  ["attempts", "--attempts"],
  ["dryRun", "--dry-run"],
];

const at = (request, path) => path.split(".").reduce((value, name) => value?.[name], request);

const s3 = ({ bucket = "", prefix = "" }) => quote(`s3://${bucket}/${prefix}`);

// Returns the command, or undefined if a name has control characters, which a terminal may take for its own. The
// client token is left out, because with it the server would return the first job. A retry has no such command but that of its own.
export function commandOf(id, request) {
  const { kind, from = {}, shards } = request;
  // The command names the shards in full.
  const to = shards ? { ...request.to, prefix: (request.to.prefix ?? "") + shards.name } : request.to;
  if (from.failuresOf) {
    return `millrace jobs retry ${quote(from.failuresOf)}`;
  }
  const isDownload = kind === "download";
  const options = OPTIONS.filter(([path]) => !(isDownload && path === "from.template")).flatMap(([path, option]) => {
    const value = at(request, path);
    return value === undefined || value === null || value === false ? [] : value === true ? [option] : [option, quote(value)];
  });
  const lines = isDownload ? from.urls : from.keys;
  const input = lines ? [isDownload ? "--from-file" : "--keys-from", "-"] : [];
  const places = isDownload ? [...(from.template ? [quote(from.template)] : []), s3(to ?? {})] : [s3(from), ...(to ? [s3(to)] : [])];
  const parts = ["millrace", quote(kind), ...places, ...options, ...input];
  if ([...parts, ...(lines ?? [])].some((text) => CONTROL.test(text))) {
    return undefined;
  }
  return lines ? `${parts.join(" ")} <<'${endOf(lines)}'\n${lines.join("\n")}\n${endOf(lines)}` : parts.join(" ");
}

// A line that is none of the list.
function endOf(lines) {
  let end = "END_OF_LIST";
  while (lines.includes(end)) {
    end += "_";
  }
  return end;
}

const CONTROL = /\p{Cc}/u;
