package io.millrace.auth.signature;

import io.millrace.auth.Authentication.Signed;
import io.millrace.auth.Credential;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import java.time.Instant;
import java.util.Optional;

/**
 * Verifies the AWS Signature Version 2 over the policy document of a browser upload form (POST Object). It is boto3's
 * default. The signature covers the policy as sent, in Base64, and states no time of signing.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/HTTPPOSTForms.html">HTML forms</a>
 */
record V2FormVerifier(boolean served, V2SignatureCheck signature) {
    /** Verifies the signature of the policy in {@code fields}. */
    Signed verify(SignedFormFields fields, Instant now) throws RequestVerificationException {
        if (!served) {
            throw new RequestVerificationException(
                    Code.INVALID_REQUEST,
                    "Signature Version 2 is turned off here. Sign the policy with Version 4 (boto3:"
                            + " Config(signature_version='s3v4')).");
        }
        String policy = fields.require(SignedFormFields.POLICY);
        String accessKey = fields.require(SignedFormFields.V2_ACCESS_KEY);
        String claimed = fields.require(SignedFormFields.V2_SIGNATURE);
        Credential key = signature.prove(policy, accessKey, claimed);
        return new Signed(key, SignatureScheme.V2_FORM, PayloadType.UNSIGNED, now, Optional.empty());
    }
}
