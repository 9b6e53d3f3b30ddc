// Scans how much of a prefix is cached. The server scans for about a second a request, and runs few scans at a time.

const DELIMITER = "/";
const BUSY = 429;
const MOST_CHILDREN = 1000;
const ATTEMPTS = 20;
const RETRY_PAUSE = 1000;

const nothing = () => ({ objects: 0, cachedObjects: 0, cachedBytes: 0 });

// Calls progress(share) after each step but the last.
export async function scanResidency(session, bucket, prefix, signal, progress) {
  const sum = { ...nothing(), children: new Map(), others: nothing(), unanswered: [], derivedFrom: undefined };
  let from = "";
  do {
    const step = await scanStep(session, { bucket, prefix, delimiter: DELIMITER, from }, signal);
    add(sum, step);
    from = step.next;
    if (from !== undefined) {
      progress(step.read);
    }
  } while (from !== undefined);
  return { ...sum, children: [...sum.children.values()].sort((one, other) => (one.name < other.name ? -1 : 1)) };
}

// While other scans run, the server returns 429 and this retries.
async function scanStep(session, params, signal) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await session.api.get("/residency", params, signal);
    } catch (problem) {
      if (problem.status !== BUSY || attempt === ATTEMPTS) {
        throw problem;
      }
      await new Promise((resume) => setTimeout(resume, RETRY_PAUSE));
    }
  }
}

// A folder may be in several steps. Steps of one member are in the order of keys, so the first children are those of the first steps.
function add(sum, step) {
  const plus = (all, one) => Object.assign(all, { objects: all.objects + one.objects, cachedObjects: all.cachedObjects + one.cachedObjects, cachedBytes: all.cachedBytes + one.cachedBytes });
  plus(sum, step);
  plus(sum.others, step.others);
  sum.derivedFrom = step.derivedFrom;
  if (step.unanswered) {
    sum.unanswered.push(step.unanswered);
  }
  for (const child of step.children) {
    const known = sum.children.get(child.name);
    if (known || sum.children.size === MOST_CHILDREN) {
      plus(known ?? sum.others, child);
    } else {
      sum.children.set(child.name, child);
    }
  }
}
