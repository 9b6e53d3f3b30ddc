package io.millrace.auth;

import io.millrace.auth.policy.Principal;
import java.time.Instant;
import java.util.Optional;

/** What a request proved about who sent it. */
public sealed interface Authentication {
    /** Who asks. */
    Principal principal();

    /** Nothing was claimed, so nothing was proved. */
    record Anonymous() implements Authentication {
        @Override
        public Principal principal() {
            return Principal.ANONYMOUS;
        }
    }

    /**
     * The signature was computed and is right.
     *
     * @param principal whose key signed
     * @param scheme how
     * @param payload what it says of the body, which the verifier has not seen
     * @param signedAt when, by the client's clock; with SigV2, which does not tell, when the request was verified
     * @param chunkSeed what the signatures of the chunks follow; there if {@code payload} is
     *     {@link PayloadType.SignedChunks}
     */
    record Signed(
            Principal principal,
            SignatureScheme scheme,
            PayloadType payload,
            Instant signedAt,
            Optional<ChunkSignatureSeed> chunkSeed)
            implements Authentication {}
}
