package io.millrace.gateway.read;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The server of this machine that the environment names: an S3 server by {@code MILLRACE_TEST_S3_ENDPOINT}, an emulator
 * by {@code MILLRACE_TEST_GCS_ENDPOINT} or {@code MILLRACE_TEST_AZURE_ENDPOINT}, another gateway below the folder
 * {@code MILLRACE_TEST_TIER_FOLDER}, a web server by {@code MILLRACE_TEST_WEB_URL} that serves {@code
 * MILLRACE_TEST_WEB_FOLDER}.
 */
public final class EnvironmentOrigin {
    private static final String PREFIX = "MILLRACE_TEST_";

    private EnvironmentOrigin() {}

    /** Skips the class without one. */
    public static void assumeNamed() {
        assumeTrue(
                Stream.of("S3_ENDPOINT", "GCS_ENDPOINT", "AZURE_ENDPOINT", "TIER_FOLDER", "WEB_URL")
                        .anyMatch(name -> variable(name).isPresent()),
                "no server is named");
    }

    /** Returns that server; skips the class without one. */
    public static OriginFixture connect() throws IOException {
        Optional<String> gcs = variable("GCS_ENDPOINT");
        Optional<String> azure = variable("AZURE_ENDPOINT");
        Optional<String> tier = variable("TIER_FOLDER");
        if (gcs.isPresent()) {
            return CloudOriginFixture.gcs(URI.create(gcs.get()));
        }
        if (azure.isPresent()) {
            return CloudOriginFixture.azure(
                    URI.create(azure.get()), variable("AZURE_ACCOUNT_KEY").orElse(""));
        }
        Optional<String> web = variable("WEB_URL");
        if (web.isPresent()) {
            return WebOriginFixture.at(web.get(), Path.of(variable("WEB_FOLDER").orElse("")));
        }
        return tier.isPresent() ? TierOriginFixture.below(Path.of(tier.get())) : S3OriginFixture.ofEnvironment();
    }

    /** Returns the name of the server, by which its ways are known; empty for one of unknown ways. */
    public static String server() {
        return variable("GCS_ENDPOINT")
                .map(found -> "fake-gcs")
                .or(() -> variable("AZURE_ENDPOINT").map(found -> "azurite"))
                .or(() -> variable("TIER_FOLDER").map(found -> "millrace"))
                .or(() -> variable("WEB_URL").map(found -> "nginx"))
                .or(() -> variable("S3_SERVER"))
                .orElse("");
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(PREFIX + name));
    }
}
