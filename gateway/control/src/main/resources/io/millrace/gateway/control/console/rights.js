// What the user may do, as far as the console knows; the server decides.

// The right, on every bucket.
export const has = (session, right) => session.identity.rights.includes(right);

// One of the rights, on every bucket or somewhere in this one. What is not known is not hidden.
export const hasIn = (session, bucket, ...rights) => rights.some((right) => has(session, right) || (session.buckets?.get(bucket)?.includes(right) ?? true));

// Owners and operators change jobs; viewers see them.
export const changes = (session, job) => job.owner === session.identity.name || hasIn(session, job.request.from?.bucket ?? job.request.to?.bucket, "operate");

// Whether there is a bucket with whose objects a job may work.
export const submits = (session) => !session.buckets || [...session.buckets.values()].some((rights) => rights.includes("read") || rights.includes("operate"));

// The bucket that one is derived from, if it is and that is known.
export const sourceOf = (session, bucket) => session.sources?.get(bucket);

// Loads the rights on buckets, and what they are derived from, once.
export async function loadRights(session) {
  try {
    const { buckets } = await session.api.get("/buckets");
    session.buckets = new Map(buckets.map(({ name, rights }) => [name, rights]));
    session.sources = new Map(buckets.map(({ name, derivedFrom }) => [name, derivedFrom]));
  } catch {
    session.buckets = undefined;
  }
}
