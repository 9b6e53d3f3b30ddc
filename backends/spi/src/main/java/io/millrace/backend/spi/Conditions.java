package io.millrace.backend.spi;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The preconditions of a read, evaluated in the order of RFC 9110, 13.2.2. A backend that can evaluates them itself, in
 * the same step as the read; the others call {@link #check}.
 *
 * @param ifMatch tags of which one must match strongly; {@code *} is {@link #ANY}
 * @param ifNoneMatch tags of which none may match, compared weakly
 */
public record Conditions(
        Optional<List<ETag>> ifMatch,
        Optional<List<ETag>> ifNoneMatch,
        Optional<Instant> ifModifiedSince,
        Optional<Instant> ifUnmodifiedSince) {
    /** No precondition. */
    public static final Conditions NONE =
            new Conditions(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** What {@code If-Match: *} and {@code If-None-Match: *} hold: every content matches. */
    public static final List<ETag> ANY = List.of();

    /** What the preconditions say of a content. */
    public enum Outcome {
        /** Answer with the content. */
        PROCEED,
        /** 304. */
        NOT_MODIFIED,
        /** 412. */
        FAILED
    }

    public Conditions {
        ifMatch = ifMatch.map(List::copyOf);
        ifNoneMatch = ifNoneMatch.map(List::copyOf);
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return equals(NONE);
    }

    /** What they say of the content with this tag, last written then; without a tag nothing matches but {@code *}. */
    public Outcome check(Optional<ETag> tag, Optional<Instant> lastModified) {
        if (ifMatch.isPresent()) {
            if (!matches(ifMatch.get(), tag, true)) {
                return Outcome.FAILED;
            }
        } else if (ifUnmodifiedSince.isPresent() && isAfter(lastModified, ifUnmodifiedSince.get())) {
            return Outcome.FAILED;
        }
        if (ifNoneMatch.isPresent()) {
            return matches(ifNoneMatch.get(), tag, false) ? Outcome.NOT_MODIFIED : Outcome.PROCEED;
        }
        boolean unmodified = ifModifiedSince.isPresent()
                && lastModified.isPresent()
                && !isAfter(lastModified, ifModifiedSince.get());
        return unmodified ? Outcome.NOT_MODIFIED : Outcome.PROCEED;
    }

    /** A list of tags as {@code If-Match} writes it. */
    public static String header(List<ETag> tags) {
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
