// Bearer tokens, made in the browser from an access key and its secret, which is neither sent nor stored. Each is exchanged for the cookie of a session at once.
import { hmac } from "./sha256.js";

const PURPOSE = "millrace bearer token 1";
const LIFETIME_SECONDS = 12 * 60 * 60;

const utf8 = (text) => new TextEncoder().encode(text);

function base64url(bytes) {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const part = (claims) => base64url(utf8(JSON.stringify(claims)));

async function sign(key, message) {
  const crypto = globalThis.crypto?.subtle;
  if (!crypto) {
    return hmac(key, message);
  }
  const imported = await crypto.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.sign("HMAC", imported, message));
}

// A token for the holder of the key, valid from now (milliseconds) on.
export async function makeToken(accessKey, secret, now = Date.now()) {
  const begin = Math.floor(now / 1000);
  const claims = { sub: accessKey, aud: "millrace", iat: begin, exp: begin + LIFETIME_SECONDS };
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  const key = await sign(utf8(secret), utf8(PURPOSE));
  return `${signed}.${base64url(await sign(key, utf8(signed)))}`;
}
