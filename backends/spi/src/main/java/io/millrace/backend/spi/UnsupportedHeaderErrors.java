package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.Map;
import java.util.Set;

/**
 * Creates the failure of a write with a header that a type of backend cannot honour. The client is told which header.
 */
public final class UnsupportedHeaderErrors {
    private UnsupportedHeaderErrors() {}

    /**
     * Returns the failure.
     *
     * @param type of the backend, as in the settings
     */
    public static BackendException error(String header, String type) {
        String message = "%s is not supported by backend type %s".formatted(header, type);
        return new BackendException(FailureKind.UNSUPPORTED, message)
                .withS3Error(new S3Error(501, "NotImplemented", message + "."));
    }

    /**
     * Returns the failure, with the header's value if others of it are honoured; any other value may be a secret.
     *
     * @param honoured the values that the backend honours, by the names of headers
     */
    public static BackendException error(HeaderField header, Map<String, Set<String>> honoured, String type) {
        boolean isOfTheValue = honoured.containsKey(header.name());
        return error(isOfTheValue ? header.name() + ": " + header.value() : header.name(), type);
    }
}
