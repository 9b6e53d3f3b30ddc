package io.millrace.backend.gcs;

import io.millrace.backend.http.AccessToken;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** A source of access tokens: a service account, a user, a federated workload, or the machine at Google. */
interface GoogleTokenSource {
    /** The right to read and write buckets and objects, and nothing else of the project. */
    String SCOPE = "https://www.googleapis.com/auth/devstorage.read_write";

    /** Names the source for log lines and errors, without secrets. */
    String description();

    /** Fetches a new token at each subscription. */
    Mono<AccessToken> fetch();

    /** Returns the project that the source belongs to; empty if it does not say. */
    default Mono<Optional<String>> project() {
        return Mono.just(Optional.empty());
    }
}
