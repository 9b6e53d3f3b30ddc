// Identities, roles and their rights, as the settings have them. Secret keys are not among them.
import { h, note, table } from "./dom.js";
import { plural } from "./format.js";
import { stacked } from "./storage.js";

export function accessPage(root, session) {
  const stop = new AbortController();
  const content = h("div", { "aria-live": "polite" }, h("p", { class: "lead" }, "Loading identities …"));
  root.append(h("div", { class: "head" }, h("h1", {}, "Identities and rights")), content);
  session.api
    .get("/identities", {}, stop.signal)
    .then((found) => content.replaceChildren(...show(found)))
    .catch((problem) => stop.signal.aborted || content.replaceChildren(note(problem.message, "bad")));
  return () => stop.abort();
}

// Who may assume a role: conditions, each a line.
export const conditionsOf = ({ issuer, subjects, claims, assumedBy }) => [
  ...(issuer === undefined ? [] : [`tokens of ${issuer}`]),
  ...(subjects.length > 0 ? [`sub: ${subjects.join(" or ")}`] : []),
  ...Object.entries(claims).map(([name, patterns]) => `${name}: ${patterns.join(" or ")}`),
  ...assumedBy,
];

function show({ identities, roles, buckets }) {
  const list = (texts) => h("ul", { class: "plain" }, texts.map((text) => h("li", {}, h("code", {}, text))));
  const rows = identities.map((identity) => [
    h("strong", {}, identity.name),
    h("code", {}, identity.accessKey),
    identity.allow.length > 0 ? list(identity.allow) : "none",
    identity.policyStatements > 0 ? plural(identity.policyStatements, "statement") : "none",
  ]);
  const assumed = roles.map((role) => [
    h("strong", {}, role.name),
    list(conditionsOf(role)),
    role.allow.length > 0 ? list(role.allow) : "none",
    role.policyStatements > 0 ? plural(role.policyStatements, "statement") : "none",
  ]);
  const granting = buckets.map(({ bucket, anonymous, policyStatements }) => [h("code", {}, bucket), anonymous.join(", ") || "none", policyStatements > 0 ? plural(policyStatements, "statement") : "none"]);
  return [
    h("p", { class: "lead" }, "Rules are rights, a bucket and a pattern of keys, as in read,list:data/train/*. Policies can deny what rules allow."),
    stacked(table("Identities", [{ title: "Identity" }, { title: "Access key" }, { title: "Rules" }, { title: "IAM policies" }], rows)),
    h("div", { class: "head next" }, h("h2", {}, "Roles")),
    assumed.length > 0
      ? stacked(table("Roles", [{ title: "Role" }, { title: "Who may assume it" }, { title: "Rules" }, { title: "IAM policies" }], assumed))
      : h("p", { class: "lead" }, "None: there are no temporary credentials, and nobody signs in by an identity provider."),
    h("div", { class: "head next" }, h("h2", {}, "Buckets with rights of their own")),
    granting.length > 0
      ? stacked(table("Buckets with rights of their own", [{ title: "Bucket" }, { title: "Without a signature" }, { title: "Bucket policy" }], granting))
      : h("p", { class: "lead" }, "None: no bucket can be read without a signature, and none has a policy."),
  ];
}
