package io.millrace.backend.hub;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.RedirectSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.config.FlatSettings;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings of a Hub backend: URL, token, branches, redirects, connections and timeouts. */
public record HubBackendSettings(
        @SettingDescription(
                value = "URL of the Hub, or of a server with its API.",
                defaultValue = "https://huggingface.co")
        WebUrl url,

        @SettingDescription(
                "The access token of the Hub for private and gated repositories, and for higher limits. Sent to the"
                        + " server of url and to no other. What it may read, everybody may read who has rights to the"
                        + " bucket, or reaches the port of hub.")
        Optional<Secret> token,

        @SettingDescription(
                value = "How long a branch or tag stands for the commit that it was found at. A commit is never asked"
                        + " for again.",
                defaultValue = "60s")
        Duration branchTtl,

        @SettingDescription(
                value = "URL prefixes that the Hub may redirect to, where it keeps large files: scheme, host, port and"
                        + " path up to the end of a segment; *. before a host stands for all its subdomains. Redirects"
                        + " within the Hub are always followed, all others are refused.",
                defaultValue = "[ \"https://*.hf.co/\", \"https://*.huggingface.co/\" ]")
        List<AllowedUrlPattern> allowedRedirects,

        @SettingDescription(
                value = "Address ranges that redirects may lead to although they are not public, such as private"
                        + " networks.",
                example = "10.1.0.0/16")
        List<AddressRange> allowedPrivateAddresses,

        @FlatSettings(defaults = @FlatSettings.Default(key = "max-connections", value = "512"))
        ConnectionSettings connections)
        implements SelfValidatingSettings {
    private static final String ADDRESSES = "allowed-private-addresses";

    /**
     * Returns how servers are reached, and where redirects may lead.
     *
     * @param name the backend's name in the settings
     */
    public RedirectSettings redirects(String name) {
        return new RedirectSettings(
                "hub-" + name,
                url,
                allowedRedirects,
                allowedPrivateAddresses,
                "backends.%s.%s".formatted(name, ADDRESSES),
                connections);
    }

    @Override
    public void check(ProblemReporter problems) {
        if (url.query().isPresent()) {
            problems.add("url", url.withoutQuery(), "has a query", "write scheme, host and path");
        }
        if (token.filter(text -> text.reveal().chars().anyMatch(c -> c <= ' ' || c >= 0x7F))
                .isPresent()) {
            problems.add("token", "", "has a blank, a line end or a letter outside ASCII", "write the token alone");
        }
        if (branchTtl.isNegative() || branchTtl.compareTo(Duration.ofDays(1)) > 0) {
            problems.add("branch-ttl", branchTtl, "is not between 0s and 1d", "write a time such as 60s");
        }
    }
}
