package io.millrace.auth.session;

import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Settings of the sign-in of people at the console by an identity provider. */
public record SignInSettings(
        @SettingDescription(
                value = "The provider's URL, exactly as in the iss claim of its tokens, as that of sts.issuers. People"
                        + " sign in there.",
                example = "https://login.example.org/realms/research")
        URI issuer,

        @SettingDescription(
                value = "The name under which the console is registered at the provider, the aud claim of its ID"
                        + " tokens.",
                example = "millrace-console")
        String clientId,

        @SettingDescription(
                value = "The secret of that registration, sent by HTTP Basic authentication. Without it the console is"
                        + " a public client, which PKCE protects alone.",
                example = "${CONSOLE_SECRET}")
        Optional<Secret> clientSecret,

        @SettingDescription(
                value = "The scopes that the console asks for, besides openid. Choose those that bring the claims of"
                        + " your roles.",
                example = "[ profile, groups ]")
        List<String> scopes,

        @SettingDescription(
                value = "The roles that people may get, of sts.roles, whose issuer is this one. The first whose"
                        + " subjects and claims match applies; without a match nobody gets in.",
                example = "[ console-admin, console-viewer ]")
        List<String> roles,

        @SettingDescription(
                value = "The claim that names a person in logs, in the console and in revocations, of 2 to 64 letters,"
                        + " digits or _ + = , . @ -; others get a name made of sub. It must not be one that"
                        + " people choose themselves, such as preferred_username at many providers: who takes"
                        + " another's name gets at the other's jobs.",
                defaultValue = "sub",
                example = "email")
        String nameClaim,

        @SettingDescription(
                value = "Where browsers find the control port. Register this with /console/sign-in/callback after it at"
                        + " the provider. It must be https, but for loopback addresses.",
                example = "https://millrace.example.org:9081")
        URI url)
        implements SelfValidatingSettings {
    /** The path of the callback below {@link #url}. */
    public static final String CALLBACK = "/console/sign-in/callback";

    private static final int LONGEST_URL = 512;
    private static final Pattern CLIENT_ID = Pattern.compile("[!-~]{1,256}");
    /** A scope as RFC 6749 has it. */
    private static final Pattern SCOPE = Pattern.compile("[!#-\\[\\]-~]{1,128}");

    private static final int MOST_SCOPES = 20;

    /** Copies the lists. */
    public SignInSettings {
        scopes = List.copyOf(scopes);
        roles = List.copyOf(roles);
    }

    @Override
    public void check(ProblemReporter problems) {
        if (!problems.hasProblem("issuer") && !isUrl(issuer)) {
            problems.add(
                    "issuer",
                    issuer,
                    "is not an issuer's URL",
                    "write an https URL without query, such as https://login.example.org");
        }
        if (!problems.hasProblem("client-id") && !CLIENT_ID.matcher(clientId).matches()) {
            problems.add("client-id", clientId, "is not a valid name", "write 1 to 256 visible ASCII characters");
        }
        if (!problems.hasProblem("scopes")) {
            scopes.stream()
                    .filter(scope -> !SCOPE.matcher(scope).matches() || scopes.size() > MOST_SCOPES)
                    .findFirst()
                    .ifPresent(scope -> problems.add(
                            "scopes", scope, "cannot be asked for", "write at most 20 names without spaces"));
        }
        if (!problems.hasProblem("roles") && roles.isEmpty()) {
            problems.add("roles", "", "are none, so nobody could sign in", "write names of sts.roles");
        }
        if (!problems.hasProblem("url")
                && (!isUrl(url)
                        || !(url.getRawPath().isEmpty() || url.getRawPath().equals("/")))) {
            problems.add(
                    "url",
                    url,
                    "is not where browsers find the control port",
                    "write an https URL without path, such as https://millrace.example.org:9081");
        }
    }

    private static boolean isUrl(URI url) {
        return url.toString().length() <= LONGEST_URL
                && IssuerSettings.isSafe(url)
                && url.getRawQuery() == null
                && url.getRawFragment() == null;
    }

    /** Returns whether browsers reach the console over TLS. */
    public boolean isSecure() {
        return "https".equals(url.getScheme());
    }

    /** Returns whether people whom an issuer names may get a role. */
    public boolean admits(String subjectsIssuer, String role) {
        return issuer.toString().equals(subjectsIssuer) && roles.contains(role);
    }

    /** Returns the URL to which the provider sends people back. */
    public String callback() {
        String base = url.toString();
        return (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + CALLBACK;
    }
}
