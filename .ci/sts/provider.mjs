// An OpenID provider (oidc-provider) on a port of its own. Gets a token from it as a client with a secret does, and forges others.
//   provider.mjs FOLDER AUDIENCE
// Writes FOLDER/tokens/valid, FOLDER/tokens/... for each forgery, and then the provider's URL into FOLDER/url.
import { createServer } from "node:http";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { decodeJwt, exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import Provider from "oidc-provider";

const [folder, audience] = process.argv.slice(2);
const kid = "first";
const key = await generateKeyPair("RS256", { extractable: true });
const other = await generateKeyPair("RS256", { extractable: true });

const server = createServer();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid, use: "sig", alg: "RS256" }] },
  clients: [
    {
      client_id: "trainer",
      client_secret: "trainer-secret",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: "client_secret_post",
    },
  ],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => "urn:millrace",
      getResourceServerInfo: () => ({
        scope: "read",
        audience,
        accessTokenTTL: 600,
        accessTokenFormat: "jwt",
        jwt: { sign: { alg: "RS256" } },
      }),
    },
  },
  formats: {
    customizers: {
      // As tokens of pods and of users are: of no type of their own.
      jwt: (context, token, parts) => {
        parts.header = { ...parts.header, typ: "JWT" };
        parts.payload = { ...parts.payload, groups: ["all", "ml-team"] };
      },
    },
  },
});
server.on("request", provider.callback());

const answer = await fetch(`${issuer}/token`, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_id: "trainer",
    client_secret: "trainer-secret",
    resource: "urn:millrace",
  }),
});
if (!answer.ok) {
  throw new Error(`the provider issues no token: ${answer.status} ${await answer.text()}`);
}
const valid = (await answer.json()).access_token;
const claims = decodeJwt(valid);
const now = Math.floor(Date.now() / 1000);

const signed = (changed, by = key.privateKey, header = {}) =>
  new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: "RS256", typ: "JWT", kid, ...header }).sign(by);
const [head, , signature] = valid.split(".");
const admin = Buffer.from(JSON.stringify({ ...claims, groups: ["admins"] })).toString("base64url");
const publicKey = new TextEncoder().encode(await exportSPKI(key.publicKey));

const tokens = {
  valid,
  expired: await signed({ iat: now - 7200, exp: now - 3600 }),
  "not-yet": await signed({ nbf: now + 3600 }),
  "other-audience": await signed({ aud: "another" }),
  "other-issuer": await signed({ iss: `${issuer}/other` }),
  "other-group": await signed({ groups: ["all"] }),
  "no-expiry": await signed({ exp: undefined }),
  "alg-none": new UnsecuredJWT(claims).encode(),
  // The id of the provider's key, replayed with another one.
  "other-key": await signed({}, other.privateKey),
  "unknown-key": await signed({}, other.privateKey, { kid: "unknown" }),
  "own-key-in-header": await signed({}, other.privateKey, { jwk: await exportJWK(other.publicKey) }),
  "public-key-as-secret": await signed({}, publicKey, { alg: "HS256" }),
  changed: `${head}.${admin}.${signature}`,
  "no-token": "not a token",
};
mkdirSync(`${folder}/tokens`, { recursive: true });
for (const [name, token] of Object.entries(tokens)) {
  writeFileSync(`${folder}/tokens/${name}`, token);
}
writeFileSync(`${folder}/url.new`, issuer);
renameSync(`${folder}/url.new`, `${folder}/url`);
