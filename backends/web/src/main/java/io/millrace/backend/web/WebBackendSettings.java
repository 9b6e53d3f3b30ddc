package io.millrace.backend.web;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.config.FlatSettings;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.util.List;
import java.util.Optional;

/** The settings of a web server backend: URL, listing, credentials, redirects, connections and timeouts. */
public record WebBackendSettings(
        @SettingDescription(
                value = "URL of a folder of the web server. Each folder in it is a bucket, and the rest of a path is"
                        + " the key.",
                example = "https://data.example.org/sets/")
        WebUrl url,

        @SettingDescription(
                value = "Whether the bucket's name at the backend is a folder below url. Set it to false if url itself"
                        + " is the bucket.",
                defaultValue = "true")
        boolean bucketInPath,

        @SettingDescription(
                value = "How buckets are listed. none: not at all; index: by the index pages of the server's folders"
                        + " (nginx autoindex as HTML or JSON, Apache, Python's http.server); manifest: by a file in"
                        + " each bucket.",
                defaultValue = "none")
        ListingSource listing,

        @SettingDescription(
                value = "The file in each bucket that lists it, for listing: manifest. A line has a key and, after"
                        + " tabs, its size in bytes and its time (2026-01-31T12:00:00Z), each of which may be"
                        + " missing.",
                defaultValue = "manifest.txt")
        String manifest,

        @SettingDescription(
                value = "The user of basic authentication; password goes with it. Sent to the server of url and to no"
                        + " other, whatever it redirects to.",
                example = "reader")
        Optional<String> username,

        @SettingDescription("The password of username.") Optional<Secret> password,

        @SettingDescription("The token that is sent as Authorization: Bearer, to the server of url and to no other."
                + " Not together with username.")
        Optional<Secret> bearerToken,

        @SettingDescription(
                value = "URL prefixes that the server may redirect to: scheme, host, port and path up to the end of a"
                        + " segment; *. before a host stands for all its subdomains. Redirects within the server"
                        + " itself are always followed, all others are refused.",
                example = "https://*.cdn.example.org/")
        List<AllowedUrlPattern> allowedRedirects,

        @SettingDescription(
                value = "Address ranges that redirects may lead to although they are not public, such as private"
                        + " networks.",
                example = "10.1.0.0/16")
        List<AddressRange> allowedPrivateAddresses,

        @FlatSettings(defaults = @FlatSettings.Default(key = "max-connections", value = "512"))
        ConnectionSettings connections)
        implements SelfValidatingSettings {
    /** The setting that names private addresses, for messages. */
    public static final String ADDRESSES = "allowed-private-addresses";

    /** Returns whether requests carry credentials. */
    boolean hasCredentials() {
        return username.isPresent() || bearerToken.isPresent();
    }

    @Override
    public void check(ProblemReporter problems) {
        WebSettingsValidator.validate(this, problems);
    }
}
