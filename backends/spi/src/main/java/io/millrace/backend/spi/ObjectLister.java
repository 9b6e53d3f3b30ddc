package io.millrace.backend.spi;

import reactor.core.publisher.Mono;

/**
 * Lists the objects of a backend with {@link Capability#LIST}. Nothing happens before subscription; errors are {@link
 * BackendException}s.
 */
public interface ObjectLister {
    /**
     * Lists one page of objects. It contains every write that was acknowledged before the request, if the backend's
     * listings do.
     */
    default Mono<ListPage> listObjects(ListRequest request) {
        return UnsupportedOperationErrors.error("lists of objects");
    }

    /**
     * Asks whether the objects of a page can be listed. Fails as the list does, and with {@link
     * BackendException.FailureKind#NO_SUCH_BUCKET} if what the prefix names is missing, of which a client gets an empty
     * list.
     */
    default Mono<Void> probeList(ListRequest request) {
        return listObjects(request).then();
    }
}
