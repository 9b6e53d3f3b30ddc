package io.millrace.gateway.objects.derived;

import io.millrace.backend.http.PrintableText;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;

/** Creates the failures of transforms. Clients see those of an object, which name nothing that they may not know. */
final class TransformFailures {
    private TransformFailures() {}

    /** The failure of an object of which the service makes nothing, now or later. */
    static BackendException ofObject(String transform, String why) {
        String message =
                PrintableText.of("The transform '%s' makes nothing of the object: %s".formatted(transform, why));
        return new BackendException(FailureKind.INVALID_STATE, message)
                .withS3Error(new S3Error(422, "TransformFailed", message));
    }

    static BackendException tooLarge(String transform, long most) {
        return ofObject(transform, "the result has more than the %d bytes of its max-size".formatted(most));
    }

    static BackendException tooManyCalls() {
        return new BackendException(FailureKind.BUSY, "too many objects wait for a transform");
    }

    /** The failure of a read of bytes that belong to another result than the one that is made now. */
    static BackendException otherResult() {
        return new BackendException(FailureKind.VERSION_CHANGED, "the transform makes something else now");
    }
}
