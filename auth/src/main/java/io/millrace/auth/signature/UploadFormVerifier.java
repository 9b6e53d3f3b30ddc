package io.millrace.auth.signature;

import io.millrace.auth.Authentication;
import io.millrace.auth.RequestVerificationException;
import java.time.InstantSource;
import java.util.Map;

/**
 * Verifies browser upload forms (POST Object): the AWS signature, version 4 or 2, of the policy, and the form against
 * the policy. Thread-safe; does no I/O.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html">POST policy</a>
 */
public record UploadFormVerifier(RequestVerifier verifier, InstantSource clock) {
    /**
     * Verifies a form. A form without policy and signature is anonymous, and only the bucket's rights limit it.
     *
     * @param fields all fields but the file, by name in lower case, as they will be used: in {@code key} the file's
     *     name replaces {@code ${filename}}
     * @param bucket bucket of the request
     * @throws RequestVerificationException if the signature is wrong, the policy does not parse or has expired, or it
     *     does not allow the form
     */
    public UploadFormVerification verify(Map<String, String> fields, String bucket)
            throws RequestVerificationException {
        Authentication who = verifier.verifyForm(fields);
        if (who instanceof Authentication.Anonymous) {
            return new UploadFormVerification(who, ContentLengthRange.ANY);
        }
        PostPolicy policy = PolicyParser.parse(fields.getOrDefault("policy", ""));
        policy.require(fields, bucket, clock.instant());
        return new UploadFormVerification(who, policy.length());
    }
}
