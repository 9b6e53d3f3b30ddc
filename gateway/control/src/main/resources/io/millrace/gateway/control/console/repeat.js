// Calls work now and again after each pause (milliseconds) while the page is visible; returns a function that calls it at once.
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
