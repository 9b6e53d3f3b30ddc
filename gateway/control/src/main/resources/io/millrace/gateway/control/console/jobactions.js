// What can be done with a job, and in which states.
import { confirmed } from "./dom.js";
import { plural } from "./format.js";
import { changes } from "./rights.js";

export const ACTIONS = [
  { name: "pause", title: "Pause", when: ["submitted", "planning", "running"] },
  { name: "resume", title: "Resume", when: ["paused", "failed"], objects: true },
  { name: "cancel", title: "Cancel", when: ["submitted", "planning", "running", "pausing", "paused", "failed"], confirm: "What was done stays done, but a cancelled job cannot be resumed." },
  { name: "retry", title: "Retry failures", when: ["done-with-failures", "cancelled"], failures: true },
  { name: "delete", title: "Delete", when: ["done", "done-with-failures", "cancelled", "failed"], confirm: "The list of failures is deleted, too." },
];

// A failed job whose selection matched nothing cannot be resumed.
const selectsNothing = (job) => job.state === "failed" && job.progress.counted && job.progress.found === 0;

export const allows = (session, action, job) => changes(session, job) && action.when.includes(job.state) && (!action.failures || job.progress.failed > 0) && (!action.objects || !selectsNothing(job));

export const confirms = async (action, jobs) => !action.confirm || confirmed(`${action.title} ${plural(jobs.length, "job")}? ${action.confirm}`, action.title);

// Returns the job after the action: the new one of a retry, undefined if it was deleted.
export const perform = (session, action, job) => (action.name === "delete" ? session.api.delete(`/jobs/${job.id}`) : session.api.post(`/jobs/${job.id}/${action.name}`));
