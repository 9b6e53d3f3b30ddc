// The form for an access key and its secret, and the way to an identity provider.
import { beginSession, makeApi } from "./api.js";
import { field, h, note } from "./dom.js";
import { makeToken } from "./token.js";

const PLACE = "millrace.place";

// Returns the place at which the user left for the provider, once.
export function placeBefore() {
  const place = sessionStorage.getItem(PLACE) ?? "";
  sessionStorage.removeItem(PLACE);
  return place.startsWith("#/") ? place : "";
}

// Calls done(identity) after a sign-in. why stands above the form unless it is empty.
export function signIn(root, why, provider, done) {
  const accessKey = h("input", { name: "access-key", required: true, autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
  const secret = h("input", { name: "secret", type: "password", required: true, autocomplete: "off" });
  const trouble = h("p", { class: "note bad", role: "alert", hidden: true });
  const button = h("button", { type: "submit" }, "Sign in");

  const refuse = (text) => {
    trouble.textContent = text;
    trouble.hidden = false;
    secret.focus();
    secret.select();
  };

  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const token = await makeToken(accessKey.value.trim(), secret.value);
      await beginSession(token);
      secret.value = "";
      done(await makeApi().get("/whoami"));
    } catch (problem) {
      refuse(problem.status === 401 ? refused(problem) : problem.message);
    } finally {
      button.disabled = false;
    }
  };

  root.replaceChildren(
    h(
      "section",
      { class: "sign-in card" },
      h("h1", {}, h("img", { src: "icon.svg", alt: "", width: 28, height: 28 }), "Millrace"),
      why ? note(why) : null,
      provider ? h("p", {}, h("a", { href: "sign-in", class: "button", onclick: () => sessionStorage.setItem(PLACE, location.hash) }, `Sign in with ${provider}`)) : null,
      h(
        "form",
        { onsubmit: submit },
        field("Access key", accessKey),
        field("Secret key", secret, "Is neither sent nor stored: it signs a token, for which this browser gets a session of 12 hours."),
        trouble,
        button,
      ),
    ),
  );
  (root.querySelector("a.button") ?? accessKey).focus();
}

function refused(problem) {
  return problem.message.includes("future") || problem.message.includes("expired")
    ? `${problem.message} The clock of this computer shows ${new Date().toISOString()}.`
    : "No identity of this server has this access key and secret.";
}
