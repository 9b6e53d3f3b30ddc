// An OpenID provider (oidc-provider) at which people sign in by their name alone; "ada" is of the staff, "bo" of the operators.
//   people.mjs FOLDER CALLBACK
// Writes the provider's URL into FOLDER/url. The client is console, its secret console-secret-that-stays-here.
import { createServer } from "node:http";
import { renameSync, writeFileSync } from "node:fs";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

const [folder, callback] = process.argv.slice(2);
const GROUPS = { ada: ["staff"], bo: ["staff", "operators"] };
const key = await generateKeyPair("RS256", { extractable: true });

const server = createServer();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: "first", use: "sig", alg: "RS256" }] },
  clients: [{ client_id: "console", client_secret: "console-secret-that-stays-here", redirect_uris: [callback] }],
  claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
  conformIdTokenClaims: false,
  cookies: { keys: ["of this run"] },
  features: { devInteractions: { enabled: false } },
  findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true, groups: GROUPS[id] ?? [] }) }),
  interactions: { url: (context, interaction) => `/interaction/${interaction.uid}` },
  // Nobody is asked for consent.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope("openid email groups");
    await grant.save();
    return grant;
  },
});

const PAGE = `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,">
<form method="post"><label>Name <input name="name"></label> <button>Continue</button></form>`;

async function interact(request, response) {
  if (request.method !== "POST") {
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    return;
  }
  let body = "";
  for await (const chunk of request) {
    body += chunk;
  }
  await provider.interactionFinished(request, response, { login: { accountId: new URLSearchParams(body).get("name") } });
}

const serve = provider.callback();
server.on("request", (request, response) => (request.url.startsWith("/interaction/") ? interact(request, response) : serve(request, response)));
writeFileSync(`${folder}/url.new`, issuer);
renameSync(`${folder}/url.new`, `${folder}/url`);
