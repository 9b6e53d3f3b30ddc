package io.millrace.backend.s3;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * The contract over any server: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and {@code _SECRET_KEY} say which,
 * {@code _REGION} if it is not us-east-1. Skipped without them.
 */
@EnabledIfEnvironmentVariable(named = "MILLRACE_TEST_S3_ENDPOINT", matches = ".+")
class S3BackendEndpointContractTest extends S3Contract {
    private static final String PREFIX = "MILLRACE_TEST_S3_";

    @Override
    S3Server server() {
        Map<String, String> environment = System.getenv();
        return new S3Server(
                URI.create(environment.getOrDefault(PREFIX + "ENDPOINT", "")),
                environment.getOrDefault(PREFIX + "ACCESS_KEY", ""),
                environment.getOrDefault(PREFIX + "SECRET_KEY", ""),
                environment.getOrDefault(PREFIX + "REGION", "us-east-1"));
    }

    /** A server on a file system refuses names; what it refuses it need not give back. */
    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        try {
            super.seed(key, bytes, headers);
        } catch (CompletionException e) {
            assumeFalse(e.getCause() instanceof S3Exception, () -> "the server refuses " + key + ": " + e.getCause());
            throw e;
        }
    }

    @Override
    @Test
    public void oddKeysAreListedAsTheyAre() {
        assumeTrue(canHold(new ObjectKey("a//b")), "the server folds slashes");
        super.oddKeysAreListedAsTheyAre();
    }
}
