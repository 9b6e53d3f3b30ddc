package io.millrace.auth.signature;

import io.millrace.auth.Authentication.Signed;
import io.millrace.auth.Credential;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.SignedRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Verifies URLs presigned with AWS Signature Version 2. They state when they expire but not when they were signed, and
 * S3 does not limit how far ahead that is.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html">Query string request
 *     authentication</a>
 */
record V2QueryVerifier(boolean served, V2SignatureCheck signature) {
    /** Twelve digits are enough for thirty thousand years and do not overflow. */
    private static final Pattern EPOCH_SECONDS = Pattern.compile("[0-9]{1,12}");

    /** Verifies {@code request}, whose query has {@code parameters}. */
    Signed verify(SignedRequest request, SignatureQueryParameters parameters, Instant now)
            throws RequestVerificationException {
        if (!served) {
            throw new RequestVerificationException(
                    Code.INVALID_REQUEST,
                    "Signature Version 2 is turned off here. Presign with Version 4 (boto3:"
                            + " Config(signature_version='s3v4'); aws-cli 1: s3.signature_version = s3v4).");
        }
        String accessKey = parameters.require(SignatureQueryParameter.V2_ACCESS_KEY);
        String claimed = parameters.require(SignatureQueryParameter.V2_SIGNATURE);
        String expires = parameters.require(SignatureQueryParameter.V2_EXPIRES);
        Instant end = end(expires);
        if (now.isAfter(end)) {
            throw ExpiredSignatureErrors.at(end, now);
        }
        String stated = SingleValueHeaderReader.find(request, PayloadHash.HEADER);
        PayloadType payload = stated == null
                ? PayloadType.UNSIGNED
                : PayloadHash.statedForUrl(stated).form();
        Credential key = signature.prove(V2StringToSign.of(request, expires), accessKey, claimed);
        return new Signed(key, SignatureScheme.V2_QUERY, payload, now, Optional.empty());
    }

    private static Instant end(String expires) throws RequestVerificationException {
        if (!EPOCH_SECONDS.matcher(expires).matches()) {
            throw SignatureQueryParameter.V2_EXPIRES.malformed("Expires must be seconds since 1970.");
        }
        return Instant.ofEpochSecond(Long.parseLong(expires));
    }
}
