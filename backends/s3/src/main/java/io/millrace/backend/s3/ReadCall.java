package io.millrace.backend.s3;

import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;

/**
 * A read as it is put to the server. Every precondition is evaluated again on the answer; sent along is what saves the body of
 * an answer that nobody wants, in a form that every server understands: one strong tag, and If-Modified-Since. A list,
 * {@code *}, a weak tag and If-Unmodified-Since, which servers with finer clocks than their Last-Modified get wrong, are left
 * to us, and with them whatever RFC 9110, 13.2.2 evaluates later.
 *
 * <p>The pin goes as {@code If-Match}, unless the client's own tag does: then only the answer is compared with the pin.
 *
 * @param ifMatch the tag sent, the client's or the pin's
 * @param pinSent whether it is the pin's, so that a 412 means another version
 */
record ReadCall(
        ReadRequest request,
        Optional<String> ifMatch,
        boolean pinSent,
        Optional<String> ifNoneMatch,
        Optional<Instant> ifModifiedSince) {
    static ReadCall of(ReadRequest request) {
        Conditions asked = request.conditions();
        Optional<String> own = asked.ifMatch().flatMap(ReadCall::sendable);
        Optional<String> pin = request.pin().map(ObjectVersion::validator);
        boolean firstIsOurs = asked.ifMatch().isPresent()
                ? own.isEmpty()
                : asked.ifUnmodifiedSince().isPresent();
        return new ReadCall(
                request,
                own.or(() -> pin),
                own.isEmpty() && pin.isPresent(),
                asked.ifNoneMatch().filter(tags -> !firstIsOurs).flatMap(ReadCall::sendable),
                asked.ifModifiedSince()
                        .filter(since -> !firstIsOurs && asked.ifNoneMatch().isEmpty()));
    }

    GetObjectRequest get() {
        return GetObjectRequest.builder()
                .bucket(request.object().bucket().value())
                .key(request.object().key().value())
                .versionId(request.versionId().orElse(null))
                .range(range())
                .partNumber(part())
                .ifMatch(ifMatch.orElse(null))
                .ifNoneMatch(ifNoneMatch.orElse(null))
                .ifModifiedSince(ifModifiedSince.orElse(null))
                .overrideConfiguration(this::addChecksumMode)
                .build();
    }

    HeadObjectRequest head() {
        return HeadObjectRequest.builder()
                .bucket(request.object().bucket().value())
                .key(request.object().key().value())
                .versionId(request.versionId().orElse(null))
                .range(range())
                .partNumber(part())
                .ifMatch(ifMatch.orElse(null))
                .ifNoneMatch(ifNoneMatch.orElse(null))
                .ifModifiedSince(ifModifiedSince.orElse(null))
                .overrideConfiguration(this::addChecksumMode)
                .build();
    }

    /** Whether the server was given a precondition that a 412 can mean. */
    boolean mayFail() {
        return ifMatch.isPresent();
    }

    /** Whether the server was given a precondition that a 304 can mean. */
    boolean mayBeUnmodified() {
        return ifNoneMatch.isPresent() || ifModifiedSince.isPresent();
    }

    /** As a header of the request and not as its parameter, for which the SDK would compute checksums itself. */
    private void addChecksumMode(AwsRequestOverrideConfiguration.Builder override) {
        if (request.checksums()) {
            override.putHeader("x-amz-checksum-mode", "ENABLED");
        }
    }

    private @Nullable String range() {
        return request.selection() instanceof Selection.Range range
                ? range.spec().header()
                : null;
    }

    private @Nullable Integer part() {
        return request.selection() instanceof Selection.Part part ? part.number() : null;
    }

    private static Optional<String> sendable(List<ETag> tags) {
        return tags.stream()
                .filter(tag -> tags.size() == 1 && isPlain(tag))
                .map(ETag::toString)
                .findFirst();
    }

    private static boolean isPlain(ETag tag) {
        return !tag.weak() && tag.opaque().chars().allMatch(c -> c > ' ' && c < 0x7F && c != '"');
    }
}
