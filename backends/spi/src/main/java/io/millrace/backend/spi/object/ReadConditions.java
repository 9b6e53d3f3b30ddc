package io.millrace.backend.spi.object;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The preconditions of a read, evaluated in the order of RFC 9110, 13.2.2. A backend evaluates them itself, atomically
 * with the read, or calls {@link #evaluate}.
 *
 * @param ifMatch tags of which one must match strongly; {@code *} is {@link #ANY}
 * @param ifNoneMatch tags of which none may match, compared weakly
 */
public record ReadConditions(
        Optional<List<ETag>> ifMatch,
        Optional<List<ETag>> ifNoneMatch,
        Optional<Instant> ifModifiedSince,
        Optional<Instant> ifUnmodifiedSince) {
    /** No precondition. */
    public static final ReadConditions NONE =
            new ReadConditions(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** The list that stands for {@code *} in {@code If-Match} and {@code If-None-Match}: every version matches. */
    public static final List<ETag> ANY = List.of();

    /** The result of evaluating the preconditions. */
    public enum ConditionOutcome {
        /** Respond with the object. */
        PROCEED,
        /** 304. */
        NOT_MODIFIED,
        /** 412. */
        FAILED
    }

    public ReadConditions {
        ifMatch = ifMatch.map(List::copyOf);
        ifNoneMatch = ifNoneMatch.map(List::copyOf);
    }

    /** Returns whether there is no precondition. */
    public boolean isEmpty() {
        return equals(NONE);
    }

    /** Returns those for an object of which two contents may have the same date, so that no date makes a 304. */
    public ReadConditions withoutIfModifiedSince() {
        return new ReadConditions(ifMatch, ifNoneMatch, Optional.empty(), ifUnmodifiedSince);
    }

    /**
     * Evaluates the preconditions for an object with this tag and modification time; without a tag only {@code *}
     * matches.
     */
    public ConditionOutcome evaluate(Optional<ETag> tag, Optional<Instant> lastModified) {
        if (ifMatch.isPresent()) {
            if (!matches(ifMatch.get(), tag, true)) {
                return ConditionOutcome.FAILED;
            }
        } else if (ifUnmodifiedSince.isPresent() && isAfter(lastModified, ifUnmodifiedSince.get())) {
            return ConditionOutcome.FAILED;
        }
        if (ifNoneMatch.isPresent()) {
            return matches(ifNoneMatch.get(), tag, false) ? ConditionOutcome.NOT_MODIFIED : ConditionOutcome.PROCEED;
        }
        boolean unmodified = ifModifiedSince.isPresent()
                && lastModified.isPresent()
                && !isAfter(lastModified, ifModifiedSince.get());
        return unmodified ? ConditionOutcome.NOT_MODIFIED : ConditionOutcome.PROCEED;
    }

    /** Returns the value of an {@code If-Match} or {@code If-None-Match} header with these tags. */
    public static String toHeader(List<ETag> tags) {
        return tags.isEmpty()
                ? "*"
                : String.join(", ", tags.stream().map(ETag::toString).toList());
    }

    private static boolean matches(List<ETag> listed, Optional<ETag> tag, boolean strongly) {
        return listed.isEmpty()
                || (tag.isPresent()
                        && listed.stream()
                                .anyMatch(t -> strongly ? t.matchesStrongly(tag.get()) : t.matchesWeakly(tag.get())));
    }

    private static boolean isAfter(Optional<Instant> written, Instant limit) {
        return written.isPresent()
                && written.get().truncatedTo(ChronoUnit.SECONDS).isAfter(limit);
    }
}
