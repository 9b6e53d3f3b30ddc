package io.millrace.auth.post;

import io.millrace.auth.AuthException;
import io.millrace.auth.Authentication;
import io.millrace.auth.signature.RequestVerifier;
import java.time.InstantSource;
import java.util.Map;

/**
 * Verifies browser-based uploads, of version 4 and 2. Thread-safe; looks in memory only.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html">POST policy</a>
 */
public final class PostVerifier {
    private final RequestVerifier verifier;
    private final InstantSource clock;

    /** A verifier that asks {@code verifier} who signed, and tells the time by {@code clock}. */
    public PostVerifier(RequestVerifier verifier, InstantSource clock) {
        this.verifier = verifier;
        this.clock = clock;
    }

    /**
     * What this form may do. A form without policy and signature is anonymous, and nothing but the bucket limits it.
     *
     * @param fields all fields but the file, by name in lower case, as they will be used: in {@code key} the file's name stands
     *     where {@code ${filename}} stood
     * @param bucket the one the request is for
     * @throws AuthException if the signature is not right, the policy does not parse or is past its time, or the form is not
     *     what it allows
     */
    public VerifiedPost verify(Map<String, String> fields, String bucket) throws AuthException {
        Authentication who = verifier.verifyForm(fields);
        if (who instanceof Authentication.Anonymous) {
            return new VerifiedPost(who, ContentLengthRange.ANY);
        }
        PostPolicy policy = PolicyParser.parse(fields.getOrDefault("policy", ""));
        policy.require(fields, bucket, clock.instant());
        return new VerifiedPost(who, policy.length());
    }
}
