package io.millrace.backend.hub;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.config.Secret;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The credentials of one request to the Hub: the operator's token, or the client's own.
 *
 * @param isShared whether they are the operator's, so that what they find may be shared between clients
 */
record Credentials(Optional<String> authorization, boolean isShared) {
    /** The header of a {@link ReadRequest} with the client's own credentials. */
    static final String HEADER = "authorization";

    /** Returns those of the operator. */
    static Credentials ofOperator(Optional<Secret> token) {
        return new Credentials(token.map(text -> "Bearer " + text.reveal()), true);
    }

    /** Returns the client's own, if the request has some, or else these. */
    Credentials orOwnOf(ReadRequest request) {
        return request.headers()
                .first(HEADER)
                .map(own -> new Credentials(Optional.of(own), false))
                .orElse(this);
    }

    /** Returns what tells these from all others, and is no secret; empty for the operator's. */
    String identity() {
        return isShared ? "" : sha256(authorization.orElse("").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a SHA-256 in hexadecimal. */
    static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(HashDigest.sha256(bytes));
    }

    @Override
    public String toString() {
        return isShared ? "Credentials[operator]" : "Credentials[client]";
    }
}
