package io.millrace.gateway.read;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import java.util.Map;

/**
 * The suite over any S3 server of this machine: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and
 * {@code _SECRET_KEY} say which. Skipped without them.
 */
class EndpointReadTest extends S3ReadSuite {
    private static final String PREFIX = "MILLRACE_TEST_S3_";

    @Override
    OriginFixture connect() {
        Map<String, String> environment = System.getenv();
        assumeTrue(environment.containsKey(PREFIX + "ENDPOINT"), "no " + PREFIX + "ENDPOINT");
        return S3OriginFixture.probed(
                URI.create(environment.getOrDefault(PREFIX + "ENDPOINT", "")),
                environment.getOrDefault(PREFIX + "ACCESS_KEY", ""),
                environment.getOrDefault(PREFIX + "SECRET_KEY", ""));
    }
}
