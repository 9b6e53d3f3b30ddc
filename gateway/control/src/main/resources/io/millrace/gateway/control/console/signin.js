// The form for an access key and its secret.
import { makeApi } from "./api.js";
import { field, h, note } from "./dom.js";
import { makeToken, storedToken } from "./token.js";

// Calls done(token, identity) after a sign-in. why stands above the form unless it is empty.
export function signIn(root, why, done) {
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
      const identity = await makeApi(token).get("/whoami");
      storedToken.set(token);
      secret.value = "";
      done(token, identity);
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
      h(
        "form",
        { onsubmit: submit },
        field("Access key", accessKey),
        field("Secret key", secret, "Stays in this tab: it signs a token that is valid for 12 hours, and is neither sent nor stored."),
        trouble,
        button,
      ),
    ),
  );
  accessKey.focus();
}

function refused(problem) {
  return problem.message.includes("future") || problem.message.includes("expired")
    ? `${problem.message} The clock of this computer shows ${new Date().toISOString()}.`
    : "No identity of this server has this access key and secret.";
}
