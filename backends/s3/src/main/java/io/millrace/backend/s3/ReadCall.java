package io.millrace.backend.s3;

import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.Forwarder.Parameter;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import software.amazon.awssdk.http.SdkHttpMethod;

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
    /** Where servers' own arithmetic ends; a range up to there is one without an end. */
    private static final long BEYOND_ANY_OBJECT = 1L << 60;

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

    /** The request for it, by GET or HEAD. */
    WireRequest by(SdkHttpMethod method) {
        List<Parameter> query = new ArrayList<>(2);
        request.versionId().ifPresent(id -> query.add(new Parameter("versionId", id)));
        if (request.selection() instanceof Selection.Part part) {
            query.add(new Parameter("partNumber", String.valueOf(part.number())));
        }
        return WireRequest.of(method, request.object()).asking(query).with(headers());
    }

    private HeaderList headers() {
        List<Field> fields = new ArrayList<>(4);
        fields.addAll(request.fields().fields());
        if (request.selection() instanceof Selection.Range range) {
            fields.add(new Field("range", header(range.spec())));
        }
        ifMatch.ifPresent(tag -> fields.add(new Field("if-match", tag)));
        ifNoneMatch.ifPresent(tag -> fields.add(new Field("if-none-match", tag)));
        ifModifiedSince.ifPresent(time -> fields.add(new Field("if-modified-since", HttpDate.of(time))));
        if (request.checksums()) {
            fields.add(new Field("x-amz-checksum-mode", "ENABLED"));
        }
        return new HeaderList(fields);
    }

    /** Whether the server was given a precondition that a 412 can mean. */
    boolean mayFail() {
        return ifMatch.isPresent();
    }

    /** Whether the server was given a precondition that a 304 can mean. */
    boolean mayBeUnmodified() {
        return ifNoneMatch.isPresent() || ifModifiedSince.isPresent();
    }

    private static String header(RangeSpec asked) {
        boolean endless = asked instanceof RangeSpec.Closed closed && closed.last() > BEYOND_ANY_OBJECT;
        RangeSpec spec = endless ? new RangeSpec.From(((RangeSpec.Closed) asked).first()) : asked;
        return spec.header();
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
