package io.millrace.backend.azure;

import io.millrace.backend.http.AccessToken;
import reactor.core.publisher.Mono;

/** A source of access tokens for Azure Storage. */
interface AzureTokenSource {
    /** The resource that tokens are for. */
    String RESOURCE = "https://storage.azure.com/";

    /** Returns its name for messages. */
    String name();

    /** Fetches a new token; fails with a {@code BackendException} whose message says why. */
    Mono<AccessToken> fetch();
}
