package io.millrace.backend.gcs;

import io.millrace.backend.http.PrintableText;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;

/**
 * Facts that explain the failure of a request to Google Cloud Storage: its description, its bucket, and what a 404 and
 * a 412 mean.
 *
 * @param description for messages, on one line whatever the key contains
 * @param bucket the bucket to ask for if a 404 may be about object or bucket; empty if it cannot be about an object
 * @param notFound the meaning of a 404 about an object
 * @param preconditionFailed the meaning of a 412
 * @param write whether it changes something: if the response is lost, the outcome is unknown
 */
record GcsFailureContext(
        String description,
        Optional<BucketName> bucket,
        FailureKind notFound,
        FailureKind preconditionFailed,
        boolean write) {
    /** A read of an object, whose only precondition is the required version. */
    static GcsFailureContext read(String method, ObjectRef object) {
        return of(method, object, FailureKind.NO_SUCH_KEY, FailureKind.VERSION_CHANGED, false);
    }

    /** A write of an object that need not exist. */
    static GcsFailureContext write(String method, ObjectRef object) {
        return new GcsFailureContext(
                describe(method, object),
                Optional.empty(),
                FailureKind.NO_SUCH_BUCKET,
                FailureKind.PRECONDITION_FAILED,
                true);
    }

    /** A write to an object, or from objects, that must exist. */
    static GcsFailureContext change(String method, ObjectRef object) {
        return of(method, object, FailureKind.NO_SUCH_KEY, FailureKind.PRECONDITION_FAILED, true);
    }

    /** A copy, whose source must exist. */
    static GcsFailureContext copy(ObjectRef source, ObjectRef target) {
        return change("copy to %s of".formatted(PrintableText.of(target.toString())), source);
    }

    /** An operation on a bucket. */
    static GcsFailureContext bucket(String method, BucketName bucket, boolean write) {
        return new GcsFailureContext(
                "%s of bucket %s".formatted(method, bucket),
                Optional.empty(),
                FailureKind.NO_SUCH_BUCKET,
                FailureKind.PRECONDITION_FAILED,
                write);
    }

    static GcsFailureContext buckets() {
        return new GcsFailureContext(
                "list of buckets", Optional.empty(), FailureKind.UNEXPECTED, FailureKind.INVALID_RESPONSE, false);
    }

    private static GcsFailureContext of(
            String method, ObjectRef object, FailureKind notFound, FailureKind preconditionFailed, boolean write) {
        return new GcsFailureContext(
                describe(method, object), Optional.of(object.bucket()), notFound, preconditionFailed, write);
    }

    private static String describe(String method, ObjectRef object) {
        return method + " " + PrintableText.of(object.toString());
    }
}
