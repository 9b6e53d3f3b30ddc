package io.millrace.backend.testkit.fault;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ETag;
import java.time.Duration;
import java.util.List;
import org.reactivestreams.Publisher;

/**
 * A fault of one call of a {@link FaultyBackend}. Some are failures of a correct backend; those that break the contract
 * ({@link WrongSize}, {@link WrongETag}, {@link WrongRange}, {@link ShortBody}, {@link LongBody}, {@link FlippedBit})
 * must be survived by a caller all the same. Body faults count the bytes of the body from 0, and affect only open; head
 * faults do not affect writes.
 */
public sealed interface BackendFault {
    /** No fault. */
    BackendFault NONE = new AllOf(List.of());

    /** Several faults, applied in this order from the backend to the caller. */
    record AllOf(List<BackendFault> faults) implements BackendFault {
        public AllOf {
            faults = List.copyOf(faults);
        }
    }

    /** The call fails without reaching the wrapped backend. */
    record FailedCall(BackendException.FailureKind kind) implements BackendFault {}

    /** The response is delayed. */
    record DelayedHead(Duration delay) implements BackendFault {}

    /** The response does not begin before {@code release} completes. */
    record StalledHead(Publisher<?> release) implements BackendFault {}

    /** A write takes place, but its response is lost: {@link BackendException.FailureKind#UNAVAILABLE}. */
    record LostResponse() implements BackendFault {}

    /** A write takes place, but its response does not come before {@code release} completes. */
    record LateResponse(Publisher<?> release) implements BackendFault {}

    /** The metadata has a size that is wrong by this many bytes. */
    record WrongSize(long by) implements BackendFault {}

    /** The metadata has another ETag and version. */
    record WrongETag(ETag tag) implements BackendFault {}

    /** The response has a range that begins and ends this many bytes later. */
    record WrongRange(long by) implements BackendFault {}

    /** Each piece of the body is delayed. */
    record DelayedPieces(Duration delay) implements BackendFault {}

    /** Once {@code at} bytes or more are through, no piece comes before {@code release} completes. */
    record StalledBody(long at, Publisher<?> release) implements BackendFault {}

    /** Once {@code at} bytes or more are through, {@code action} runs before the next piece, once. */
    record ActionDuringBody(long at, Runnable action) implements BackendFault {}

    /** The connection is cut after {@code at} bytes: {@link BackendException.FailureKind#INVALID_RESPONSE}. */
    record CutConnection(long at) implements BackendFault {}

    /**
     * The object is replaced during the read: {@link BackendException.FailureKind#VERSION_CHANGED} after {@code at}
     * bytes.
     */
    record ReplacedObject(long at) implements BackendFault {}

    /** The body ends after {@code at} bytes as if it were complete. */
    record ShortBody(long at) implements BackendFault {}

    /** The body has this many bytes too many. */
    record LongBody(int by) implements BackendFault {}

    /** The lowest bit of the byte at {@code at} is flipped. */
    record FlippedBit(long at) implements BackendFault {}
}
