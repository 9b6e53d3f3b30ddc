package io.millrace.backend.spi;

import reactor.core.publisher.Mono;

/** Reads objects. Nothing happens before subscription; errors are {@link BackendException}s, fresh each time. */
public interface ObjectReader {
    /**
     * What is known of the object now, or of its selected part. A range that selects nothing fails as it does in
     * {@link #open}.
     */
    Mono<SelectedHead> head(ReadRequest request);

    /**
     * Opens the object: completes as soon as the backend's head is here, the body follows. Cancelling before that gives
     * the connection up; afterwards {@link ObjectContent} says who must. The head, the range and the length fit the
     * request, its pin and each other, or this fails with {@link BackendException.Kind#VERSION_CHANGED} or
     * {@link BackendException.Kind#BROKEN_ANSWER}.
     */
    Mono<ObjectContent> open(ReadRequest request);
}
