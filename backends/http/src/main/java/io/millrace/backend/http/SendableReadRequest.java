package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.kit.HttpDate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A read request to an HTTP server: the gateway's {@link ReadRequest} and the preconditions that are sent with it. The
 * gateway evaluates every precondition again on the response. It sends only those that can save a body, in a form that
 * every server supports: one strong tag, and If-Modified-Since. It evaluates alone a list, {@code *}, a weak tag and
 * If-Unmodified-Since (which servers with finer clocks than their Last-Modified get wrong), and whatever RFC 9110,
 * 13.2.2 evaluates after If-Match and If-Unmodified-Since: MinIO evaluates it first.
 *
 * <p>The required version goes as {@code If-Match}, unless the client's own tag does: then only the response is
 * compared with it.
 *
 * @param ifMatch the tag sent, the client's or that of the required version
 * @param ifMatchIsRequiredVersion whether it is that of the required version, so that a 412 means another version
 */
public record SendableReadRequest(
        ReadRequest request,
        Optional<String> ifMatch,
        boolean ifMatchIsRequiredVersion,
        Optional<String> ifNoneMatch,
        Optional<Instant> ifModifiedSince) {
    /** The largest range end that servers compute with; a range beyond it is sent without an end. */
    private static final long BEYOND_ANY_OBJECT = 1L << 60;

    public static SendableReadRequest of(ReadRequest request) {
        ReadConditions wanted = request.conditions();
        Optional<String> own = wanted.ifMatch().flatMap(SendableReadRequest::sendable);
        Optional<String> pin = request.requiredVersion().map(ObjectVersion::validator);
        boolean isAlone =
                wanted.ifMatch().isEmpty() && wanted.ifUnmodifiedSince().isEmpty();
        return new SendableReadRequest(
                request,
                own.or(() -> pin),
                own.isEmpty() && pin.isPresent(),
                wanted.ifNoneMatch().filter(tags -> isAlone).flatMap(SendableReadRequest::sendable),
                wanted.ifModifiedSince()
                        .filter(since -> isAlone && wanted.ifNoneMatch().isEmpty()));
    }

    /** Returns the preconditions as headers. */
    public List<HeaderField> conditions() {
        List<HeaderField> fields = new ArrayList<>(3);
        ifMatch.ifPresent(tag -> fields.add(new HeaderField("if-match", tag)));
        ifNoneMatch.ifPresent(tag -> fields.add(new HeaderField("if-none-match", tag)));
        ifModifiedSince.ifPresent(time -> fields.add(new HeaderField("if-modified-since", HttpDate.format(time))));
        return fields;
    }

    /** Returns the value of the {@code Range} header; empty if no range is selected. */
    public Optional<String> range() {
        return request.selection() instanceof ByteSelection.RangeSelection range
                ? Optional.of(header(range.spec()))
                : Optional.empty();
    }

    /** Returns whether a precondition was sent that can lead to a 412. */
    public boolean sendsIfMatch() {
        return ifMatch.isPresent();
    }

    /** Returns whether a precondition was sent that can lead to a 304. */
    public boolean sendsIfNoneMatchOrModifiedSince() {
        return ifNoneMatch.isPresent() || ifModifiedSince.isPresent();
    }

    /** Returns the meaning of a 304. */
    public FailureKind notModified() {
        return sendsIfNoneMatchOrModifiedSince() ? FailureKind.NOT_MODIFIED : FailureKind.INVALID_RESPONSE;
    }

    /** Returns the meaning of a 412. */
    public FailureKind conditionFailed() {
        if (!sendsIfMatch()) {
            return FailureKind.INVALID_RESPONSE;
        }
        return ifMatchIsRequiredVersion ? FailureKind.VERSION_CHANGED : FailureKind.PRECONDITION_FAILED;
    }

    /**
     * Returns the meaning of a 416. For a range that the required version satisfies it means another version: not every
     * server evaluates If-Match first.
     */
    public FailureKind invalidRange() {
        if (request.selection() instanceof ByteSelection.RangeSelection range) {
            boolean isInRequired = request.requiredVersion()
                    .flatMap(version -> range.spec().resolve(version.size()))
                    .isPresent();
            return isInRequired ? FailureKind.VERSION_CHANGED : FailureKind.INVALID_RANGE;
        }
        return request.selection() instanceof ByteSelection.PartSelection
                ? FailureKind.INVALID_PART
                : FailureKind.INVALID_RESPONSE;
    }

    private static String header(RangeSpec wanted) {
        boolean endless = wanted instanceof RangeSpec.Bounded closed && closed.last() > BEYOND_ANY_OBJECT;
        RangeSpec spec = endless ? new RangeSpec.OpenEnded(((RangeSpec.Bounded) wanted).first()) : wanted;
        return spec.toHeader();
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
