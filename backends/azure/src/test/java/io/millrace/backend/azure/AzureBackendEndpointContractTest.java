package io.millrace.backend.azure;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.server.CreatedBucketContract;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Runs the backend contract against a Blob service: {@code MILLRACE_TEST_AZURE_ENDPOINT}, with {@code _ACCOUNT} and
 * {@code _ACCOUNT_KEY} unless it is the emulator. Skipped without it.
 */
@EnabledIfEnvironmentVariable(
        named = AzureTestAccount.ENDPOINT,
        matches = ".+",
        disabledReason = AzureTestAccount.REASON)
class AzureBackendEndpointContractTest extends CreatedBucketContract {
    @Override
    protected Backend connect() {
        return AzureTestAccount.ofEnvironment().backend();
    }

    @Override
    public boolean supportsKey(ObjectKey key) {
        return BlobNameRules.isBlob(key.value());
    }

    @Override
    public boolean hasMd5Tags() {
        return false;
    }

    /** The emulator writes with {@code If-Match: *} though there is nothing. */
    @Override
    public boolean supportsExistsCondition() {
        return !AzureTestAccount.isEmulator();
    }

    /** The service discards the blocks of all uploads of a key when the key is written. */
    @Override
    public boolean keepsConcurrentUploads() {
        return false;
    }
}
