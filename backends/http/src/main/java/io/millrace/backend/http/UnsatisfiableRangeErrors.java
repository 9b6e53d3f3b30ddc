package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Completes the error for a range beyond the object's end: adds the object's size, or puts the error of a failed
 * precondition in its place, which comes first (RFC 9110, 13.2.2).
 */
public final class UnsatisfiableRangeErrors {
    private UnsatisfiableRangeErrors() {}

    /**
     * Returns the response to a read, with a complete error if it fails. If the server did not send the size, or may
     * not have evaluated the preconditions or compared the version, a HEAD of the whole object decides.
     *
     * @param head reads the metadata of an object
     */
    public static <T> Mono<T> completed(
            Mono<T> response, ReadRequest request, Function<ReadRequest, Mono<HeadResult>> head) {
        return response.onErrorResume(BackendException.class, failure -> complete(request, failure, head));
    }

    private static <T> Mono<T> complete(
            ReadRequest request, BackendException failure, Function<ReadRequest, Mono<HeadResult>> head) {
        boolean isComplete = failure.objectSize().isPresent()
                && request.conditions().isEmpty()
                && request.requiredVersion().isEmpty();
        if (failure.kind() != FailureKind.INVALID_RANGE || isComplete) {
            return Mono.error(failure);
        }
        return head.apply(request.withSelection(new ByteSelection.WholeObject()))
                .map(whole -> failure.withObjectSize(whole.head().size()))
                .onErrorResume(BackendException.class, other -> Mono.just(isObject(other.kind()) ? other : failure))
                .flatMap(Mono::error);
    }

    private static boolean isObject(FailureKind kind) {
        return kind == FailureKind.NOT_MODIFIED
                || kind == FailureKind.PRECONDITION_FAILED
                || kind == FailureKind.VERSION_CHANGED;
    }
}
