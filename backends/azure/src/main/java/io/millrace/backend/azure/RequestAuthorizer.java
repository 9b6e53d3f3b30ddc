package io.millrace.backend.azure;

import io.millrace.backend.spi.object.ObjectRef;
import reactor.core.publisher.Mono;

/** Authorizes requests to the Blob service: adds a signature, a SAS or a token. */
interface RequestAuthorizer {
    /**
     * Returns the request with its authorization; fails with a {@code BackendException} if there are no credentials.
     */
    Mono<SignableRequest> authorize(SignableRequest request);

    /**
     * Returns what lets the service itself read the source of a copy.
     *
     * @param url of the source, without a query
     */
    Mono<CopySourceAccess> grantRead(ObjectRef source, String url);

    /** Signals that the service rejected the credentials, so that a cached token is not used again. */
    default void rejected() {}

    /** Closes connections to token endpoints. */
    default Mono<Void> close() {
        return Mono.empty();
    }
}
