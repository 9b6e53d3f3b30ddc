package io.millrace.backend.s3;

import io.millrace.backend.http.PrintableText;
import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;

/**
 * Describes a request so that an error response to it can be interpreted: the meaning of each status, and a text for
 * messages.
 *
 * @param description describes the request in messages, on one line whatever the key contains
 * @param notFoundKind the meaning of a 404 without an error code
 * @param notModifiedKind the meaning of a 304
 * @param preconditionFailedKind the meaning of a 412
 * @param invalidRangeKind the meaning of a 416
 * @param head whether the response has no body and so no error code
 * @param unmodifiedTag the ETag of a 304, for servers that do not repeat it
 * @param purpose decides the meaning of any other error
 */
record ErrorResponseContext(
        String description,
        FailureKind notFoundKind,
        FailureKind notModifiedKind,
        FailureKind preconditionFailedKind,
        FailureKind invalidRangeKind,
        boolean head,
        Optional<String> unmodifiedTag,
        Purpose purpose) {
    /** The purpose of a request. */
    enum Purpose {
        /** Reads something; safe to repeat. */
        READ,
        /** Changes something: if the response is lost, the outcome is unknown. */
        WRITE,
        /** Is forwarded, as is its response. */
        FORWARD
    }

    static ErrorResponseContext read(String method, SendableReadRequest call) {
        return new ErrorResponseContext(
                method + " " + printable(call.request().object()),
                call.request().versionId().isPresent() ? FailureKind.NO_SUCH_VERSION : FailureKind.NO_SUCH_KEY,
                call.notModified(),
                call.conditionFailed(),
                call.invalidRange(),
                method.equals("HEAD"),
                call.ifNoneMatch(),
                Purpose.READ);
    }

    static ErrorResponseContext list(BucketName bucket) {
        return list("list of bucket " + bucket);
    }

    /** Returns the context of a listing of a bucket, described by {@code text}. */
    static ErrorResponseContext list(String text) {
        return other(text, FailureKind.NO_SUCH_BUCKET, false);
    }

    /** Returns the context of a listing of an upload's parts. */
    static ErrorResponseContext parts(MultipartUpload upload) {
        return other(
                "list of the parts of an upload of " + printable(upload.object()), FailureKind.NO_SUCH_UPLOAD, false);
    }

    /** Returns the context of a write to an object. */
    static ErrorResponseContext write(String method, ObjectRef object) {
        return write(method + " " + printable(object), FailureKind.NO_SUCH_BUCKET);
    }

    /** Returns the context of a write to an upload. */
    static ErrorResponseContext write(String method, MultipartUpload upload) {
        return write("%s of an upload of %s".formatted(method, printable(upload.object())), FailureKind.NO_SUCH_UPLOAD);
    }

    /** Returns the context of a write to a bucket. */
    static ErrorResponseContext write(String method, BucketName bucket) {
        return write("%s of bucket %s".formatted(method, bucket), FailureKind.NO_SUCH_BUCKET);
    }

    /** Returns the context of a forwarded request. */
    static ErrorResponseContext forward(ForwardRequest request) {
        String parameters = String.join(
                "&", request.query().stream().map(QueryParameter::name).toList());
        String place = request.bucket() + request.key().map(key -> "/" + key).orElse("");
        return new ErrorResponseContext(
                PrintableText.of("%s %s?%s".formatted(request.method(), place, parameters)),
                request.key().isPresent() ? FailureKind.NO_SUCH_KEY : FailureKind.NO_SUCH_BUCKET,
                FailureKind.NOT_MODIFIED,
                FailureKind.PRECONDITION_FAILED,
                FailureKind.INVALID_RANGE,
                request.method().equals("HEAD"),
                Optional.empty(),
                Purpose.FORWARD);
    }

    private static ErrorResponseContext write(String text, FailureKind missing) {
        return new ErrorResponseContext(
                text,
                missing,
                FailureKind.PRECONDITION_FAILED,
                FailureKind.PRECONDITION_FAILED,
                FailureKind.INVALID_RANGE,
                false,
                Optional.empty(),
                Purpose.WRITE);
    }

    static ErrorResponseContext bucket(BucketName bucket) {
        return other("HEAD of bucket " + bucket, FailureKind.NO_SUCH_BUCKET, true);
    }

    static ErrorResponseContext buckets() {
        return other("list of buckets", FailureKind.UNEXPECTED, false);
    }

    private static ErrorResponseContext other(String text, FailureKind missing, boolean head) {
        FailureKind nonsense = FailureKind.INVALID_RESPONSE;
        return new ErrorResponseContext(
                text, missing, nonsense, nonsense, nonsense, head, Optional.empty(), Purpose.READ);
    }

    private static String printable(ObjectRef object) {
        return PrintableText.of(object.toString());
    }
}
