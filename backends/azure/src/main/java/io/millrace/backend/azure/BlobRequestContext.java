package io.millrace.backend.azure;

import io.millrace.backend.http.PrintableText;
import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;

/**
 * Describes a request so that an error response to it can be interpreted.
 *
 * @param description for messages, on one line whatever the key contains
 * @param notFound the meaning of a 404 without an error code that decides
 * @param notModified the meaning of a 304
 * @param conditionFailed the meaning of a 412
 * @param invalidRange the meaning of a 416
 * @param unmodifiedTag the ETag of a 304, if the response does not repeat it
 * @param write whether it changes something: if the response is lost, the outcome is unknown
 */
record BlobRequestContext(
        String description,
        FailureKind notFound,
        FailureKind notModified,
        FailureKind conditionFailed,
        FailureKind invalidRange,
        Optional<String> unmodifiedTag,
        boolean write) {
    /** Returns the context of a read of an object. */
    static BlobRequestContext read(String method, SendableReadRequest read) {
        return new BlobRequestContext(
                method + " " + printable(read.request().object()),
                FailureKind.NO_SUCH_KEY,
                read.notModified(),
                read.conditionFailed(),
                read.invalidRange(),
                read.ifNoneMatch(),
                false);
    }

    /** Returns the context of a request about a blob, a container or the account that changes nothing. */
    static BlobRequestContext query(String description, FailureKind notFound) {
        FailureKind nonsense = FailureKind.INVALID_RESPONSE;
        return new BlobRequestContext(description, notFound, nonsense, nonsense, nonsense, Optional.empty(), false);
    }

    /** Returns the context of a write to an object. */
    static BlobRequestContext write(String method, ObjectRef object) {
        return write(method + " " + printable(object), FailureKind.NO_SUCH_KEY);
    }

    /** Returns the context of a write to a container. */
    static BlobRequestContext write(String method, BucketName container) {
        return write("%s of container %s".formatted(method, container), FailureKind.NO_SUCH_BUCKET);
    }

    /** Returns whether it is about a container or all of them, of whose absence the service has a word of its own. */
    boolean isOfAContainer() {
        return notFound == FailureKind.NO_SUCH_BUCKET || notFound == FailureKind.UNEXPECTED;
    }

    private static BlobRequestContext write(String description, FailureKind notFound) {
        FailureKind failed = FailureKind.PRECONDITION_FAILED;
        return new BlobRequestContext(
                description, notFound, failed, failed, FailureKind.INVALID_RANGE, Optional.empty(), true);
    }

    private static String printable(ObjectRef object) {
        return PrintableText.of(object.toString());
    }
}
