package io.millrace.gateway.bucket;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;

/**
 * A bucket as clients name it, and where it lives.
 *
 * @param backendName the backend's name in the operator's file
 * @param real its name at the backend
 * @param prefix what its keys begin with at the backend; may be empty
 */
public record BucketView(
        BucketName name,
        String backendName,
        Backend backend,
        BucketName real,
        String prefix,
        FreshnessSettings freshness) {
    /**
     * Where an object lives.
     *
     * @throws S3Exception KeyTooLong if the prefix makes the key longer than the backend's can be
     */
    public ObjectRef at(ObjectKey key) {
        try {
            return new ObjectRef(real, prefix.isEmpty() ? key : new ObjectKey(prefix + key.value()));
        } catch (IllegalArgumentException tooLong) {
            throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
        }
    }

    /** The backend's text for a prefix or marker of ours. */
    public String inside(String text) {
        return prefix + text;
    }

    /**
     * Our text for a key or prefix of the backend's.
     *
     * @throws BackendException of kind BROKEN_ANSWER if it is beside our prefix, which no answer to us may name
     */
    public String outside(String text) {
        if (!text.startsWith(prefix)) {
            throw new BackendException(
                    BackendException.Kind.BROKEN_ANSWER,
                    "bucket %s: a listing of '%s' names what is not below it".formatted(real, prefix));
        }
        return text.substring(prefix.length());
    }
}
