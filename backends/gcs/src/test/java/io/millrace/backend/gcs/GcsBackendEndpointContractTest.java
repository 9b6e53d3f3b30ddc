package io.millrace.backend.gcs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Runs the backend contract against fake-gcs-server (1.56.1) at {@code MILLRACE_TEST_GCS_ENDPOINT}. Skipped without it.
 * What that emulator lacks is tested over {@link DocumentedGcsServer}.
 */
@EnabledIfEnvironmentVariable(
        named = "MILLRACE_TEST_GCS_ENDPOINT",
        matches = ".+",
        disabledReason = "MILLRACE_TEST_GCS_ENDPOINT names no server")
class GcsBackendEndpointContractTest extends GcsContract {
    @Override
    TestGcsServer server() {
        return TestGcsServer.at(URI.create(System.getenv().getOrDefault("MILLRACE_TEST_GCS_ENDPOINT", "")));
    }

    /** The emulator ignores preconditions of rewrites. */
    @Override
    public boolean supportsConditionalCopy() {
        return false;
    }

    @Override
    @Test
    public void delimiterMayBeAnyText() {
        assumeTrue(false, "the emulator takes the first character of a delimiter");
    }

    /** Its names are written by another test, {@link #namesOfTheTortureListAreWrittenAndDeleted}. */
    @Override
    @Test
    public void tortureListIsHeldReadAndListed() {
        assumeTrue(false, "the emulator takes the first character of a delimiter");
    }
}
