package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Forwarder.Forwarded;
import io.millrace.backend.spi.Forwarder.Parameter;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.util.Optional;

/**
 * What was asked of the server, as far as it decides what an error means.
 *
 * @param text for messages: on one line whatever is in the key
 * @param missing what a 404 without a code means
 * @param onUnmodified what a 304 means
 * @param onFailed what a 412 means
 * @param onRange what a 416 means
 * @param head whether the answer has no body to say a code, so that the SDK makes one up
 * @param unmodifiedTag what a 304 says the tag is, for servers that do not repeat it
 * @param purpose what an error without a meaning of its own is taken for
 */
record Asked(
        String text,
        Kind missing,
        Kind onUnmodified,
        Kind onFailed,
        Kind onRange,
        boolean head,
        Optional<String> unmodifiedTag,
        Purpose purpose) {
    /** What it is for. */
    enum Purpose {
        /** To bring something, which is there to be asked for again. */
        READ,
        /** To change something: when its answer is lost, nobody knows whether that happened. */
        WRITE,
        /** To be passed on, and its answer too, whatever it says. */
        FORWARD
    }

    static Asked read(String method, ReadCall call) {
        Kind failed = call.pinSent() ? Kind.VERSION_CHANGED : Kind.PRECONDITION_FAILED;
        return new Asked(
                method + " " + printable(call.request().object()),
                call.request().versionId().isPresent() ? Kind.NO_SUCH_VERSION : Kind.NO_SUCH_KEY,
                call.mayBeUnmodified() ? Kind.NOT_MODIFIED : Kind.BROKEN_ANSWER,
                call.mayFail() ? failed : Kind.BROKEN_ANSWER,
                onRange(call.request()),
                method.equals("HEAD"),
                call.ifNoneMatch(),
                Purpose.READ);
    }

    /** A range that the pinned version satisfies is refused by another version: not every server looks at the pin first. */
    private static Kind onRange(ReadRequest request) {
        if (request.selection() instanceof Selection.Range range) {
            boolean inPinned = request.pin()
                    .flatMap(pin -> range.spec().within(pin.size()))
                    .isPresent();
            return inPinned ? Kind.VERSION_CHANGED : Kind.INVALID_RANGE;
        }
        return request.selection() instanceof Selection.Part ? Kind.INVALID_PART : Kind.BROKEN_ANSWER;
    }

    static Asked list(BucketName bucket) {
        return list("list of bucket " + bucket);
    }

    /** Of a page about a bucket, said as {@code text}. */
    static Asked list(String text) {
        return other(text, Kind.NO_SUCH_BUCKET, false);
    }

    /** Of a page about an upload. */
    static Asked parts(Upload upload) {
        return other("list of the parts of an upload of " + printable(upload.object()), Kind.NO_SUCH_UPLOAD, false);
    }

    /** Of a change of an object. */
    static Asked write(String method, ObjectRef object) {
        return write(method + " " + printable(object), Kind.NO_SUCH_BUCKET);
    }

    /** Of a change of an upload. */
    static Asked write(String method, Upload upload) {
        return write("%s of an upload of %s".formatted(method, printable(upload.object())), Kind.NO_SUCH_UPLOAD);
    }

    /** Of a change of a bucket. */
    static Asked write(String method, BucketName bucket) {
        return write("%s of bucket %s".formatted(method, bucket), Kind.NO_SUCH_BUCKET);
    }

    /** Of a request that is not understood here. */
    static Asked forward(Forwarded request) {
        String parameters =
                String.join("&", request.query().stream().map(Parameter::name).toList());
        String place = request.bucket() + request.key().map(key -> "/" + key).orElse("");
        return new Asked(
                printable("%s %s?%s".formatted(request.method(), place, parameters)),
                request.key().isPresent() ? Kind.NO_SUCH_KEY : Kind.NO_SUCH_BUCKET,
                Kind.NOT_MODIFIED,
                Kind.PRECONDITION_FAILED,
                Kind.INVALID_RANGE,
                request.method().equals("HEAD"),
                Optional.empty(),
                Purpose.FORWARD);
    }

    private static Asked write(String text, Kind missing) {
        return new Asked(
                text,
                missing,
                Kind.PRECONDITION_FAILED,
                Kind.PRECONDITION_FAILED,
                Kind.INVALID_RANGE,
                false,
                Optional.empty(),
                Purpose.WRITE);
    }

    static Asked bucket(BucketName bucket) {
        return other("HEAD of bucket " + bucket, Kind.NO_SUCH_BUCKET, true);
    }

    static Asked buckets() {
        return other("list of buckets", Kind.UNEXPECTED, false);
    }

    private static Asked other(String text, Kind missing, boolean head) {
        Kind nonsense = Kind.BROKEN_ANSWER;
        return new Asked(text, missing, nonsense, nonsense, nonsense, head, Optional.empty(), Purpose.READ);
    }

    private static String printable(ObjectRef object) {
        return printable(object.toString());
    }

    /** On one line and without control characters: keys and a server's words go into logs. */
    static String printable(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            int type = Character.getType(c);
            boolean hidden = type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR;
            if (hidden) {
                line.append("\\u{%x}".formatted(c));
            } else {
                line.appendCodePoint(c);
            }
        });
        return line.toString();
    }
}
