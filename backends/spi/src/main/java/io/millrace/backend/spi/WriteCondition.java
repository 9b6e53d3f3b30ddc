package io.millrace.backend.spi;

/**
 * Under which condition a write may take place, checked by the backend in the same step. One that does not hold is
 * {@link BackendException.Kind#PRECONDITION_FAILED}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html">Conditional writes</a>
 */
public sealed interface WriteCondition {
    /** See {@link Always}. */
    WriteCondition ALWAYS = new Always();

    /** No condition. */
    record Always() implements WriteCondition {}

    /** Only if the key has no content ({@code If-None-Match: *}). */
    record Absent() implements WriteCondition {}

    /** Only if the key has some content ({@code If-Match: *}); without any, {@link BackendException.Kind#NO_SUCH_KEY} or as above. */
    record Exists() implements WriteCondition {}

    /** Only over this content ({@code If-Match}); without any, {@link BackendException.Kind#NO_SUCH_KEY}. */
    record Matches(ETag tag) implements WriteCondition {}

    /** Only if the content is another, or there is none ({@code If-None-Match} with a tag), which few servers know. */
    record Differs(ETag tag) implements WriteCondition {}
}
