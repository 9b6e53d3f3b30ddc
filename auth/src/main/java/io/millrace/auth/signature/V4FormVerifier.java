package io.millrace.auth.signature;

import io.millrace.auth.AmzTimestamp;
import io.millrace.auth.Authentication.Signed;
import io.millrace.auth.ClockSkew;
import io.millrace.auth.Credential;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import java.time.Instant;
import java.util.Optional;

/**
 * Verifies the AWS Signature Version 4 over the policy document of a browser upload form (POST Object). The signature
 * covers the policy as sent, in Base64, and not the fields: time and credential are unverified until the policy names
 * them.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html">Browser-based
 * uploads
 *     using POST</a>
 */
record V4FormVerifier(V4ServiceProfile profile, V4SignatureCheck signature, ClockSkew skew) {
    /** Verifies the signature of the policy in {@code fields}. */
    Signed verify(SignedFormFields fields, Instant now) throws RequestVerificationException {
        String policy = fields.require(SignedFormFields.POLICY);
        String algorithm = fields.require(SignedFormFields.ALGORITHM);
        String credential = fields.require(SignedFormFields.CREDENTIAL);
        String timestamp = fields.require(SignedFormFields.DATE);
        String claimed = fields.require(SignedFormFields.SIGNATURE);
        if (!algorithm.equals(CanonicalRequest.ALGORITHM)) {
            throw SignedFormFields.wrong(
                    SignatureQueryParameter.ALGORITHM.text(), algorithm, "Only AWS4-HMAC-SHA256 is supported");
        }
        Instant signedAt = AmzTimestamp.parse(timestamp)
                .orElseThrow(() -> SignedFormFields.wrong(
                        SignatureQueryParameter.DATE.text(),
                        timestamp,
                        "X-Amz-Date must be formated via ISO8601 Long format"));
        ClaimedCredential key = key(credential);
        if (!key.scope().date().equals(AmzTimestamp.date(timestamp))) {
            throw SignedFormFields.wrong(
                    SignedFormFields.CREDENTIAL, credential, "The credential's date is not that of x-amz-date.");
        }
        requireInTime(signedAt, now);
        Credential signer = signature.prove(key, policy, claimed, fields.token());
        return new Signed(signer, SignatureScheme.V4_FORM, PayloadType.UNSIGNED, signedAt, Optional.empty());
    }

    private ClaimedCredential key(String credential) throws RequestVerificationException {
        try {
            return ClaimedCredential.parse(credential, profile.service(), Code.INVALID_ARGUMENT);
        } catch (RequestVerificationException e) {
            throw SignedFormFields.wrong(
                    SignedFormFields.CREDENTIAL,
                    credential,
                    "the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".");
        }
    }

    /**
     * Requires that the signing key is still valid: S3 accepts a day's key for a week. The policy has an expiration of
     * its own.
     */
    private void requireInTime(Instant signedAt, Instant now) throws RequestVerificationException {
        if (skew.isAhead(signedAt, now)) {
            throw new RequestVerificationException(
                    Code.ACCESS_DENIED, "Request is not valid yet: x-amz-date is ahead of our clock.");
        }
        Instant end = signedAt.plus(V4QueryVerifier.LONGEST);
        if (now.isAfter(end)) {
            throw ExpiredSignatureErrors.at(end, now);
        }
    }
}
