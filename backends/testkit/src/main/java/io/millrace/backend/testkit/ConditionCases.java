package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The four preconditions, alone and together, in the order of RFC 9110, 13.2.2. */
interface ConditionCases extends ContractCases {
    /**
     * Each row: If-Match and If-None-Match as {@code same}, {@code other}, {@code both} (a list with the right one in it) or
     * {@code any}; If-Modified-Since and If-Unmodified-Since as {@code then} (when the object was written) or
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
            Conditions.Outcome outcome) {
        ObjectKey key = seeded("conditional", 100);
        ObjectHead now = head(asking(key)).head();
        Conditions conditions =
                new Conditions(tags(ifMatch, now), tags(ifNoneMatch, now), time(modified, now), time(unmodified, now));

        ReadRequest request = asking(key).onlyIf(conditions);

        switch (outcome) {
            case PROCEED -> {
                assertThat(head(request).head().version()).isEqualTo(now.version());
                assertThat(read(request)).isEqualTo(Bytes.of("conditional").first(100));
            }
            case NOT_MODIFIED -> assertFails(request, BackendException.Kind.NOT_MODIFIED);
            case FAILED -> assertFails(request, BackendException.Kind.PRECONDITION_FAILED);
        }
    }

    @Test
    default void notModifiedTellsTheTag() {
        ObjectKey key = seeded("unchanged", 10);
        ETag tag = head(asking(key)).head().eTag().orElseThrow();

        BackendException failure =
                assertFails(asking(key).onlyIf(ifNoneMatch(tag)), BackendException.Kind.NOT_MODIFIED);

        assertThat(failure.headers().first("etag")).map(ETag::parse).contains(tag);
    }

    @Test
    default void weakFormOfTheTagMeansUnchangedTooButNeverMatches() {
        ObjectKey key = seeded("weakly", 10);
        ETag weak = new ETag(head(asking(key)).head().eTag().orElseThrow().opaque(), true);

        assertFails(asking(key).onlyIf(ifNoneMatch(weak)), BackendException.Kind.NOT_MODIFIED);
        assertFails(asking(key).onlyIf(ifMatch(weak)), BackendException.Kind.PRECONDITION_FAILED);
    }

    @Test
    default void conditionsComeBeforeTheRange() {
        ObjectKey key = seeded("both", 10);
        ETag tag = head(asking(key)).head().eTag().orElseThrow();
        ReadRequest beyond = asking(key).select(new Selection.Range(new RangeSpec.From(10)));

        assertFails(beyond.onlyIf(ifMatch(ETag.strong("no-such-tag"))), BackendException.Kind.PRECONDITION_FAILED);
        assertFails(beyond.onlyIf(ifNoneMatch(tag)), BackendException.Kind.NOT_MODIFIED);
        assertFails(beyond.onlyIf(ifMatch(tag)), BackendException.Kind.INVALID_RANGE);
    }

    @Test
    default void rangeUnderAConditionThatHoldsIsServed() {
        ObjectKey key = seeded("ranged-if", 1000);
        ETag tag = head(asking(key)).head().eTag().orElseThrow();

        ObjectContent content = open(asking(key)
                .select(new Selection.Range(new RangeSpec.Closed(10, 19)))
                .onlyIf(ifMatch(tag)));

        assertThat(drain(content)).isEqualTo(Bytes.of("ranged-if").slice(10, 10));
    }

    private static Conditions ifMatch(ETag tag) {
        return new Conditions(Optional.of(List.of(tag)), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static Conditions ifNoneMatch(ETag tag) {
        return new Conditions(Optional.empty(), Optional.of(List.of(tag)), Optional.empty(), Optional.empty());
    }

    private static Optional<List<ETag>> tags(@Nullable String word, ObjectHead now) {
        ETag same = now.eTag().orElseThrow();
        ETag other = ETag.strong("no-such-tag");
        return Optional.ofNullable(word).map(w -> switch (w) {
            case "same" -> List.of(same);
            case "other" -> List.of(other);
            case "both" -> List.of(other, same);
            default -> Conditions.ANY;
        });
    }

    private static Optional<Instant> time(@Nullable String word, ObjectHead now) {
        Instant written = now.lastModified().orElseThrow();
        return Optional.ofNullable(word).map(w -> w.equals("then") ? written : written.minus(Duration.ofSeconds(60)));
    }
}
