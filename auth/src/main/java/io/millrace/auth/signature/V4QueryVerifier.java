package io.millrace.auth.signature;

import io.millrace.auth.AmzTimestamp;
import io.millrace.auth.Authentication.Signed;
import io.millrace.auth.ClockSkew;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.SignedRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Verifies URLs presigned with AWS Signature Version 4.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html">Using query
 * parameters</a>
 */
record V4QueryVerifier(V4ServiceProfile profile, V4SignatureCheck signature, ClockSkew skew) {
    /** S3's limit on the validity of a presigned URL. */
    static final Duration LONGEST = Duration.ofDays(7);

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,20}");
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

    /** Verifies {@code request}, whose query has {@code parameters}. */
    Signed verify(SignedRequest request, SignatureQueryParameters parameters, Instant now)
            throws RequestVerificationException {
        if (!parameters.require(SignatureQueryParameter.ALGORITHM).equals(CanonicalRequest.ALGORITHM)) {
            throw malformed("X-Amz-Algorithm must be " + CanonicalRequest.ALGORITHM + '.');
        }
        V4SignatureClaim claim = V4SignatureClaim.parse(
                parameters.require(SignatureQueryParameter.CREDENTIAL),
                parameters.require(SignatureQueryParameter.SIGNED_HEADERS),
                parameters.require(SignatureQueryParameter.SIGNATURE),
                profile.service(),
                Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        String timestamp = parameters.require(SignatureQueryParameter.DATE);
        Instant signedAt = AmzTimestamp.parse(timestamp)
                .orElseThrow(() -> malformed("X-Amz-Date must be a time like 20130524T000000Z."));
        if (!claim.scope().date().equals(AmzTimestamp.date(timestamp))) {
            throw malformed("The credential's date is not that of X-Amz-Date.");
        }
        requireInTime(signedAt, validity(parameters.require(SignatureQueryParameter.EXPIRES)), now);
        PayloadHash payload = payload(request, parameters);
        V4SignatureCheck.Proof proof = signature.prove(
                request, claim, timestamp, payload, parameters.find(SignatureQueryParameter.SECURITY_TOKEN));
        return new Signed(proof.credential(), SignatureScheme.V4_QUERY, payload.form(), signedAt, Optional.empty());
    }

    private static Duration validity(String expires) throws RequestVerificationException {
        if (!NUMBER.matcher(expires).matches()) {
            throw malformed("X-Amz-Expires should be a number");
        }
        Duration validity = Duration.ofSeconds(SECONDS.matcher(expires).matches() ? Long.parseLong(expires) : -1);
        if (validity.isNegative() || validity.isZero() || validity.compareTo(LONGEST) > 0) {
            // Refused as an expired URL is, not with 400 as at Amazon: s3-tests and other servers expect 403.
            throw new RequestVerificationException(
                    Code.ACCESS_DENIED, "X-Amz-Expires must be from 1 to 604800 seconds, a week.");
        }
        return validity;
    }

    private void requireInTime(Instant signedAt, Duration validity, Instant now) throws RequestVerificationException {
        if (skew.isAhead(signedAt, now)) {
            throw new RequestVerificationException(
                    Code.ACCESS_DENIED, "Request is not valid yet: X-Amz-Date is ahead of our clock.");
        }
        Instant end = signedAt.plus(validity);
        if (now.isAfter(end)) {
            throw ExpiredSignatureErrors.at(end, now);
        }
    }

    private PayloadHash payload(SignedRequest request, SignatureQueryParameters parameters)
            throws RequestVerificationException {
        String inQuery = parameters.find(SignatureQueryParameter.CONTENT_SHA256);
        String inHeader = SingleValueHeaderReader.find(request, PayloadHash.HEADER);
        if (inQuery != null && inHeader != null && !inQuery.equals(inHeader)) {
            throw new RequestVerificationException(
                    Code.INVALID_ARGUMENT, PayloadHash.HEADER + " differs between header and query.");
        }
        String stated = inQuery != null ? inQuery : inHeader;
        if (stated == null) {
            return new PayloadHash(profile.queryPayload(), PayloadType.UNSIGNED);
        }
        return PayloadHash.statedForUrl(stated);
    }

    private static RequestVerificationException malformed(String message) {
        return new RequestVerificationException(Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR, message);
    }
}
