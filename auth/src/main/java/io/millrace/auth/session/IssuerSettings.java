package io.millrace.auth.session;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.URI;

/** Settings of one identity provider whose tokens are accepted. */
public record IssuerSettings(
        @SettingDescription(
                value = "The provider's URL, exactly as in the iss claim of its tokens. Its keys are found by"
                        + " /.well-known/openid-configuration below it. It must be https, but for loopback"
                        + " addresses.",
                example = "https://login.example.org/realms/research")
        URI url,

        @SettingDescription(
                value = "The audience that tokens must be for, the aud claim. Choose one that no other service"
                        + " accepts.",
                example = "millrace")
        String audience)
        implements SelfValidatingSettings {
    private static final int LONGEST_URL = 512;

    @Override
    public void check(ProblemReporter problems) {
        if (!problems.hasProblem("url")
                && (url.toString().length() > LONGEST_URL
                        || !isSafe(url)
                        || url.getRawQuery() != null
                        || url.getRawFragment() != null)) {
            problems.add(
                    "url",
                    url,
                    "is not an issuer's URL",
                    "write an https URL without query, such as" + " https://login.example.org");
        }
        if (!problems.hasProblem("audience") && audience.isBlank()) {
            problems.add("audience", audience, "is empty", "write the aud claim of the tokens, such as millrace");
        }
    }

    /** Returns whether nobody between can replace what is fetched from {@code url}. */
    static boolean isSafe(URI url) {
        String host = url.getHost();
        return host != null
                && url.getRawUserInfo() == null
                && ("https".equals(url.getScheme())
                        || ("http".equals(url.getScheme())
                                && (host.equals("127.0.0.1") || host.equals("[::1]") || host.equals("localhost"))));
    }
}
