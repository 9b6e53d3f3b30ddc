package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Read preconditions, alone and combined, follow the order of RFC 9110, 13.2.2. */
interface ReadConditionContract extends ContractSupport {
    /**
     * Each row: If-Match and If-None-Match as {@code same}, {@code other}, {@code both} (a list with the right one in
     * it) or {@code any}; If-Modified-Since and If-Unmodified-Since as {@code then} (when the object was written) or
     * {@code before}; and what comes of it.
     */
    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            same,  -,     -,      -,      PROCEED
            other, -,     -,      -,      FAILED
            both,  -,     -,      -,      PROCEED
            any,   -,     -,      -,      PROCEED
            -,     same,  -,      -,      NOT_MODIFIED
            -,     other, -,      -,      PROCEED
            -,     both,  -,      -,      NOT_MODIFIED
            -,     any,   -,      -,      NOT_MODIFIED
            -,     -,     then,   -,      NOT_MODIFIED
            -,     -,     before, -,      PROCEED
            -,     -,     -,      then,   PROCEED
            -,     -,     -,      before, FAILED
            same,  -,     -,      before, PROCEED
            other, -,     -,      then,   FAILED
            -,     other, then,   -,      PROCEED
            -,     same,  before, -,      NOT_MODIFIED
            same,  same,  -,      -,      NOT_MODIFIED
            other, same,  -,      -,      FAILED
            same,  other, -,      -,      PROCEED
            other, other, -,      -,      FAILED
            -,     same,  -,      before, FAILED
            -,     other, -,      before, FAILED
            -,     -,     then,   before, FAILED
            -,     -,     then,   then,   NOT_MODIFIED
            same,  -,     then,   -,      NOT_MODIFIED
            same,  same,  then,   then,   NOT_MODIFIED
            same,  other, before, then,   PROCEED
            """)
    default void preconditionsAreEvaluatedAsTheRfcOrdersThem(
            @Nullable String ifMatch,
            @Nullable String ifNoneMatch,
            @Nullable String modified,
            @Nullable String unmodified,
            ReadConditions.ConditionOutcome outcome) {
        ObjectKey key = seeded("conditional", 100);
        ObjectHead now = head(readRequest(key)).head();
        ReadConditions conditions = new ReadConditions(
                tags(ifMatch, now), tags(ifNoneMatch, now), time(modified, now), time(unmodified, now));

        ReadRequest request = readRequest(key).withConditions(conditions);

        switch (outcome) {
            case PROCEED -> {
                assertThat(head(request).head().version()).isEqualTo(now.version());
                assertThat(read(request))
                        .isEqualTo(GeneratedBytes.of("conditional").first(100));
            }
            case NOT_MODIFIED -> assertFails(request, BackendException.FailureKind.NOT_MODIFIED);
            case FAILED -> assertFails(request, BackendException.FailureKind.PRECONDITION_FAILED);
        }
    }

    @Test
    default void notModifiedReportsTheTag() {
        ObjectKey key = seeded("unchanged", 10);
        ETag tag = head(readRequest(key)).head().eTag().orElseThrow();

        BackendException failure = assertFails(
                readRequest(key).withConditions(ifNoneMatch(tag)), BackendException.FailureKind.NOT_MODIFIED);

        assertThat(failure.headers().first("etag")).map(ETag::parse).contains(tag);
    }

    @Test
    default void weakTagsMatchOnlyForIfNoneMatch() {
        ObjectKey key = seeded("weakly", 10);
        ETag weak = new ETag(head(readRequest(key)).head().eTag().orElseThrow().opaque(), true);

        assertFails(readRequest(key).withConditions(ifNoneMatch(weak)), BackendException.FailureKind.NOT_MODIFIED);
        assertFails(readRequest(key).withConditions(ifMatch(weak)), BackendException.FailureKind.PRECONDITION_FAILED);
    }

    @Test
    default void conditionsComeBeforeTheRange() {
        ObjectKey key = seeded("both", 10);
        ETag tag = head(readRequest(key)).head().eTag().orElseThrow();
        ReadRequest beyond =
                readRequest(key).withSelection(new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(10)));

        assertFails(
                beyond.withConditions(ifMatch(ETag.strong("no-such-tag"))),
                BackendException.FailureKind.PRECONDITION_FAILED);
        assertFails(beyond.withConditions(ifNoneMatch(tag)), BackendException.FailureKind.NOT_MODIFIED);
        assertFails(beyond.withConditions(ifMatch(tag)), BackendException.FailureKind.INVALID_RANGE);
    }

    @Test
    default void rangeUnderAConditionThatHoldsIsServed() {
        ObjectKey key = seeded("ranged-if", 1000);
        ETag tag = head(readRequest(key)).head().eTag().orElseThrow();

        ObjectContent content = open(readRequest(key)
                .withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(10, 19)))
                .withConditions(ifMatch(tag)));

        assertThat(drain(content)).isEqualTo(GeneratedBytes.of("ranged-if").slice(10, 10));
    }

    private static ReadConditions ifMatch(ETag tag) {
        return new ReadConditions(Optional.of(List.of(tag)), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static ReadConditions ifNoneMatch(ETag tag) {
        return new ReadConditions(Optional.empty(), Optional.of(List.of(tag)), Optional.empty(), Optional.empty());
    }

    private static Optional<List<ETag>> tags(@Nullable String word, ObjectHead now) {
        ETag same = now.eTag().orElseThrow();
        ETag other = ETag.strong("no-such-tag");
        return Optional.ofNullable(word).map(w -> switch (w) {
            case "same" -> List.of(same);
            case "other" -> List.of(other);
            case "both" -> List.of(other, same);
            default -> ReadConditions.ANY;
        });
    }

    private static Optional<Instant> time(@Nullable String word, ObjectHead now) {
        Instant written = now.lastModified().orElseThrow();
        return Optional.ofNullable(word).map(w -> w.equals("then") ? written : written.minus(Duration.ofSeconds(60)));
    }
}
