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

// One line of what a statement of a policy does, without the prefixes that all names have.
export const statementText = ({ effect, principals, actions, notActions, resources, notResources, conditional }) =>
  [
    effect,
    eitherOf(actions, notActions),
    "on",
    eitherOf(resources, notResources),
    principals.length > 0 ? `for ${principals.map((name) => (name === "*" ? "everyone" : name.replace(/^arn:aws:iam::\d+:/, ""))).join(", ")}` : "",
    conditional ? "under a condition" : "",
  ]
    .filter(Boolean)
    .join(" ");

const eitherOf = (these, others) => (these.length > 0 ? named(these) : `all but ${named(others)}`);

const named = (names) => names.map((name) => name.replace("arn:aws:s3:::", "")).join(", ");

function show({ identities, roles, buckets }) {
  const list = (texts) => h("ul", { class: "plain" }, texts.map((text) => h("li", {}, h("code", {}, text))));
  const policyOf = ({ policyStatements, statements }) =>
    policyStatements === 0
      ? "none"
      : h(
          "ul",
          { class: "plain" },
          statements.map((one) => h("li", {}, h("code", { title: one.name }, statementText(one)))),
          policyStatements > statements.length ? h("li", {}, `and ${plural(policyStatements - statements.length, "more statement")}`) : null,
        );
  const rows = identities.map((identity) => [
    h("strong", {}, identity.name),
    h("code", {}, identity.accessKey),
    identity.allow.length > 0 ? list(identity.allow) : "none",
    policyOf(identity),
  ]);
  const assumed = roles.map((role) => [
    h("strong", {}, role.name),
    list(conditionsOf(role)),
    role.allow.length > 0 ? list(role.allow) : "none",
    policyOf(role),
  ]);
  const granting = buckets.map((one) => [h("code", {}, one.bucket), one.anonymous.join(", ") || "none", policyOf(one)]);
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
