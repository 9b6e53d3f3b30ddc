// Server-sent events read from a fetch, since EventSource sends no bearer token.

// Calls told(name, data) for each event with data in JSON, until the body ends.
export async function readEvents(body, told) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = { name: "message", data: [] };
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (rest + piece.value).split(/\r\n|\n/);
    rest = lines.pop();
    for (const line of lines) {
      event = take(event, line, told);
    }
  }
}

function take(event, line, told) {
  if (line === "") {
    if (event.data.length > 0) {
      told(event.name, JSON.parse(event.data.join("\n")));
    }
    return { name: "message", data: [] };
  }
  const colon = line.indexOf(":");
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "event") {
    return { ...event, name: value };
  }
  return field === "data" ? { ...event, data: [...event.data, value] } : event;
}

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15000;

// Reads the events of a path again and again until signal aborts, with told(name, data, whether it is a stream's first);
// onState(problem) tells of trouble, and of its end by null.
export async function follow(api, path, signal, told, onState) {
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    let isFirst = true;
    try {
      await api.events(path, signal, (name, data) => {
        pause = FIRST_PAUSE;
        onState(null);
        told(name, data, isFirst);
        isFirst = false;
      });
    } catch (problem) {
      if (signal.aborted || problem.status === 401) {
        return;
      }
      onState(problem);
    }
    await new Promise((resume) => setTimeout(resume, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

// Calls work now and again after each pause (milliseconds), while somebody looks at the page; returns what calls it at once.
export function repeat(work, pause, signal) {
  let timer = 0;
  const run = async () => {
    clearTimeout(timer);
    if (!document.hidden) {
      await work();
    }
    if (!signal.aborted) {
      clearTimeout(timer);
      timer = setTimeout(run, pause());
    }
  };
  document.addEventListener("visibilitychange", () => document.hidden || run(), { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  run();
  return run;
}
