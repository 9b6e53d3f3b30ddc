package io.millrace.backend.s3;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import java.util.Map;

/**
 * The contract over any server: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and {@code _SECRET_KEY} say which,
 * {@code _REGION} if it is not us-east-1. Skipped without them.
 */
class S3BackendEndpointContractTest extends S3Contract {
    private static final String PREFIX = "MILLRACE_TEST_S3_";

    @Override
    S3Server server() {
        Map<String, String> environment = System.getenv();
        assumeTrue(environment.containsKey(PREFIX + "ENDPOINT"), "no " + PREFIX + "ENDPOINT");
        return new S3Server(
                URI.create(environment.getOrDefault(PREFIX + "ENDPOINT", "")),
                environment.getOrDefault(PREFIX + "ACCESS_KEY", ""),
                environment.getOrDefault(PREFIX + "SECRET_KEY", ""),
                environment.getOrDefault(PREFIX + "REGION", "us-east-1"));
    }
}
