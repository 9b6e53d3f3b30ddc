package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ETag;
import java.time.Duration;
import java.util.List;
import org.reactivestreams.Publisher;

/**
 * What goes wrong with one call of a {@link FaultyBackend}. Some are what an honest backend does in trouble; those that break
 * the contract ({@link WrongSize}, {@link WrongTag}, {@link WrongRange}, {@link EndEarly}, {@link TooLong}, {@link Flip}) are
 * what a caller must survive all the same. Faults in a body count its bytes from 0, and do nothing to other calls than open; those of a
 * head do nothing to writes.
 */
public sealed interface Fault {
    /** Nothing. */
    Fault NONE = new All(List.of());

    /** Several at once, in this order from the backend to the caller. */
    record All(List<Fault> faults) implements Fault {
        public All {
            faults = List.copyOf(faults);
        }
    }

    /** The call is refused, and the backend behind is not asked. */
    record Fail(BackendException.Kind kind) implements Fault {}

    /** The answer takes this long to begin. */
    record DelayHead(Duration delay) implements Fault {}

    /** The answer does not begin before {@code release} completes. */
    record StallHead(Publisher<?> release) implements Fault {}

    /** A write takes place, and its answer is lost: {@link BackendException.Kind#UNAVAILABLE}. */
    record LostAnswer() implements Fault {}

    /** A write takes place, and its answer does not come before {@code release} completes. */
    record LateAnswer(Publisher<?> release) implements Fault {}

    /** The head tells a size that is wrong by so much. */
    record WrongSize(long by) implements Fault {}

    /** The head tells another tag and version. */
    record WrongTag(ETag tag) implements Fault {}

    /** The answer claims a range that begins and ends so much later. */
    record WrongRange(long by) implements Fault {}

    /** Each piece takes this long. */
    record DelayPieces(Duration delay) implements Fault {}

    /** Once {@code at} bytes or more are through, no piece comes before {@code release} completes. */
    record StallBody(long at, Publisher<?> release) implements Fault {}

    /** Once {@code at} bytes or more are through, {@code action} runs before the next piece, once. */
    record Meanwhile(long at, Runnable action) implements Fault {}

    /** The connection is cut behind {@code at} bytes: {@link BackendException.Kind#BROKEN_ANSWER}. */
    record Cut(long at) implements Fault {}

    /** The object is replaced while it is read: {@link BackendException.Kind#VERSION_CHANGED} behind {@code at} bytes. */
    record Replaced(long at) implements Fault {}

    /** The body ends behind {@code at} bytes as if it were whole. */
    record EndEarly(long at) implements Fault {}

    /** The body brings so many bytes more than it should. */
    record TooLong(int by) implements Fault {}

    /** The byte at {@code at} comes with its lowest bit turned over. */
    record Flip(long at) implements Fault {}
}
