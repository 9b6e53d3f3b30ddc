package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ReadRequest;
import reactor.core.publisher.Mono;

/**
 * Finds the current state of objects that the gateway makes or keeps itself. A backend that implements it is asked
 * instead of the cache, whose metadata of such objects is not that of a response.
 */
public interface LocalObjectFinder {
    /** Returns the current state of an object for a read; known at once if all that it takes is in memory. */
    Mono<CurrentObject> find(ReadRequest request, RequestCacheControl client);

    /** Returns the current state of an object for a read that must not be answered from older knowledge. */
    Mono<CurrentObject> revalidate(ReadRequest request);
}
