package io.millrace.backend.spi;

import reactor.core.publisher.Mono;

/**
 * The operations of a backend that read an object's metadata or content. Nothing happens before subscription; errors
 * are {@link BackendException}s, fresh each time.
 */
public interface ObjectReader {
    /**
     * Reads the metadata of an object and of the selected range or part. A range that selects nothing fails as in
     * {@link #open}.
     */
    Mono<HeadResult> head(ReadRequest request);

    /**
     * Opens an object: completes when the response headers have arrived; the body follows. Cancelling before that
     * closes the connection; afterwards the owner of the {@link ObjectContent} must. Metadata, range and length match
     * the request, its required version and each other, or this fails with {@link
     * BackendException.FailureKind#VERSION_CHANGED} or {@link BackendException.FailureKind#INVALID_RESPONSE}.
     */
    Mono<ObjectContent> open(ReadRequest request);
}
