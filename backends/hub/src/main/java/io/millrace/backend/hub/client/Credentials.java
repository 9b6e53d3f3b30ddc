package io.millrace.backend.hub.client;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.config.Secret;
import java.util.Optional;

/**
 * The credentials of one request to the Hub: the operator's token, or the client's own.
 *
 * @param isShared whether they are the operator's, so that what they find may be shared between clients
 */
public record Credentials(Optional<String> authorization, boolean isShared) {
    /** The header of a {@link ReadRequest} with the client's own credentials. */
    public static final String HEADER = "authorization";

    /** Returns those of the operator. */
    public static Credentials ofOperator(Optional<Secret> token) {
        return new Credentials(token.map(text -> "Bearer " + text.reveal()), true);
    }

    /** Returns the client's own, if the request has some, or else these. */
    public Credentials orOwnOf(ReadRequest request) {
        return request.headers()
                .first(HEADER)
                .map(own -> new Credentials(Optional.of(own), false))
                .orElse(this);
    }

    @Override
    public String toString() {
        return isShared ? "Credentials[operator]" : "Credentials[client]";
    }
}
