package io.millrace.auth;

import io.millrace.auth.policy.Principal;
import java.time.Instant;
import java.util.Optional;

/** Result of authenticating a request: anonymous, or signed by a principal. */
public sealed interface Authentication {
    /** Returns the principal that sent the request. */
    Principal principal();

    /** The request has no signature. */
    record Anonymous() implements Authentication {
        @Override
        public Principal principal() {
            return Principal.ANONYMOUS;
        }
    }

    /**
     * The request has a valid signature.
     *
     * @param credential key that signed
     * @param scheme scheme of the signature
     * @param payload the body's announced type; the verifier has not read the body
     * @param signedAt time of the signature by the client's clock; with SigV2, which states none, the time of
     *     verification
     * @param chunkSeed start of the chain of chunk signatures; present if {@code payload} is
     *     {@link PayloadType.SignedChunks}
     */
    record Signed(
            Credential credential,
            SignatureScheme scheme,
            PayloadType payload,
            Instant signedAt,
            Optional<ChunkSignatureSeed> chunkSeed)
            implements Authentication {
        @Override
        public Principal principal() {
            return credential.principal();
        }
    }
}
