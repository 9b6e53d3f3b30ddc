package io.millrace.backend.web;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.Backend;
import io.millrace.config.Secret;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Builds the settings of a backend under test. */
record WebSettings(
        String url,
        ListingSource listing,
        Optional<String> username,
        Optional<String> token,
        List<String> redirects,
        List<String> addresses) {
    static WebSettings of(String url, ListingSource listing) {
        return new WebSettings(url, listing, Optional.empty(), Optional.empty(), List.of(), List.of());
    }

    WebSettings withUser(String name) {
        return new WebSettings(url, listing, Optional.of(name), token, redirects, addresses);
    }

    WebSettings withToken(String bearer) {
        return new WebSettings(url, listing, username, Optional.of(bearer), redirects, addresses);
    }

    WebSettings withRedirects(String pattern, String... permitted) {
        return new WebSettings(url, listing, username, token, List.of(pattern), List.of(permitted));
    }

    /** Returns a backend, whose user has the password {@code word}. */
    Backend backend() {
        return backend(true);
    }

    Backend backend(boolean bucketInPath) {
        return backend(bucketInPath, Duration.ofSeconds(60), Duration.ofSeconds(60));
    }

    Backend backend(boolean bucketInPath, Duration firstByteTimeout, Duration idleTimeout) {
        return new WebBackendProvider()
                .create(
                        "web",
                        new WebBackendSettings(
                                WebUrl.parse(url),
                                bucketInPath,
                                listing,
                                "manifest.txt",
                                username,
                                username.map(name -> Secret.of("word")),
                                token.map(Secret::of),
                                redirects.stream().map(AllowedUrlPattern::parse).toList(),
                                addresses.stream().map(AddressRange::parse).toList(),
                                new ConnectionSettings(
                                        64,
                                        BackendTlsSettings.DEFAULTS,
                                        Optional.empty(),
                                        Duration.ofSeconds(20),
                                        firstByteTimeout,
                                        idleTimeout)));
    }
}
