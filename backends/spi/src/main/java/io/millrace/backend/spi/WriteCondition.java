package io.millrace.backend.spi;

import io.millrace.backend.spi.object.ETag;

/**
 * The precondition of a write ({@code If-Match}, {@code If-None-Match} or none), which the backend evaluates atomically
 * with it. If it does not hold, the write fails with {@link BackendException.FailureKind#PRECONDITION_FAILED}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html">Conditional writes</a>
 */
public sealed interface WriteCondition {
    /** The unconditional write. */
    WriteCondition ALWAYS = new Unconditional();

    /** No condition. */
    record Unconditional() implements WriteCondition {}

    /** Holds if the key does not exist ({@code If-None-Match: *}). */
    record IfAbsent() implements WriteCondition {}

    /**
     * Holds if the key exists ({@code If-Match: *}); a missing key may also fail with {@link
     * BackendException.FailureKind#NO_SUCH_KEY}.
     */
    record IfExists() implements WriteCondition {}

    /**
     * Holds if the key has this tag ({@code If-Match}); a missing key fails with {@link
     * BackendException.FailureKind#NO_SUCH_KEY}.
     */
    record IfMatches(ETag tag) implements WriteCondition {}

    /**
     * Holds if the key has another tag or does not exist ({@code If-None-Match} with a tag); few servers support it.
     */
    record IfDiffers(ETag tag) implements WriteCondition {}
}
