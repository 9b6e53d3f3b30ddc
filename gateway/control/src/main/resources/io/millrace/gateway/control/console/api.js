// Requests to the API: with the cookie of the session, which no script can read, and problems as errors.

const ROOT = "/api/v1";

// Without it a cookie counts for nothing, and pages of other origins cannot send it.
const OF_CONSOLE = { "X-Millrace-Console": "1" };

// What the API says is wrong; status 0 if it could not be reached.
export class Problem extends Error {
  constructor(status, detail, field = "") {
    super(detail);
    this.status = status;
    this.field = field;
  }
}

// How people sign in here, and whether this browser has a session, perhaps one that has ended.
export async function signInMethods() {
  const { provider, session } = await (await fetch("sign-in/methods", { cache: "no-store", redirect: "error" })).json();
  return { provider: String(provider), hasSession: session === true };
}

// Exchanges a token for the cookie of a session.
export const beginSession = (token) => makeApi(() => {}, { Authorization: `Bearer ${token}` }).post("/session");

// onEnded is called when the session is not good any more.
export function makeApi(onEnded = () => {}, credentials = OF_CONSOLE) {
  async function send(method, path, { params = {}, body, signal } = {}) {
    const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== undefined));
    const headers = { ...credentials, Accept: "application/json" };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    const url = `${ROOT}${path}${query.size > 0 ? `?${query}` : ""}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const options = { method, headers, body: text, signal, cache: "no-store", credentials: "same-origin", redirect: "error" };
    let answer;
    try {
      answer = await fetch(url, options);
    } catch (failure) {
      throw signal?.aborted ? failure : new Problem(0, "The server cannot be reached.");
    }
    if (!answer.ok) {
      const problem = await problemOf(answer);
      if (answer.status === 401) {
        onEnded(problem);
      }
      throw problem;
    }
    return answer;
  }

  const json = async (method, path, options) => {
    const answer = await send(method, path, options);
    return answer.status === 204 ? undefined : answer.json();
  };

  return {
    get: (path, params, signal) => json("GET", path, { params, signal }),
    post: (path, body) => json("POST", path, { body }),
    delete: (path) => json("DELETE", path),
  };
}

async function problemOf(answer) {
  try {
    const { detail, field } = await answer.json();
    return new Problem(answer.status, String(detail ?? answer.statusText), field);
  } catch {
    return new Problem(answer.status, `The server answered with status ${answer.status}.`);
  }
}
