package io.millrace.auth.signature;

import io.millrace.auth.Credential;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.auth.SigningKey;
import io.millrace.auth.session.CredentialFinder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Computes the expected AWS Signature Version 4 of a request and compares it with the one sent. Thread-safe. */
final class V4SignatureCheck {
    /** Enough for any likely number of identities times regions times the eight days a presigned URL may span. */
    private static final int KEYS_REMEMBERED = 4096;

    private static final String AMZ_PREFIX = "x-amz-";

    /** A header of MinIO that changes what a request reads, so that nobody may add it to a presigned URL. */
    private static final String EXTRACT = "x-minio-extract";

    private final CredentialFinder credentials;
    private final SigningKeyCache keys = new SigningKeyCache(KEYS_REMEMBERED);

    V4SignatureCheck(CredentialFinder credentials) {
        this.credentials = credentials;
    }

    /**
     * Verifies the signature of a request and returns its credential and signing key.
     *
     * @param timestamp time of the signature, as signed
     * @param token the session token; null if there is none
     */
    Proof prove(
            SignedRequest request,
            V4SignatureClaim claim,
            String timestamp,
            PayloadHash payload,
            @Nullable String token)
            throws RequestVerificationException {
        requireSignedHeaders(request, claim.signedHeaders());
        Credential credential = credentials.find(claim.accessKey(), token);
        SigningKey key = keys.get(credential.accessKey(), credential.secret(), claim.scope());
        CanonicalRequest canonical = canonical(request, claim.signedHeaders(), payload.signed());
        String stringToSign = canonical.stringToSign(timestamp, claim.scope());
        boolean right = isEqual(key.sign(stringToSign), claim.signature());
        if (!right || credential.isUnknown()) {
            RequestVerificationException mismatch =
                    FailedSignatureErrors.of(claim.accessKey(), stringToSign, canonical.text(), payload.form());
            throw credential.isUnknown() ? FailedSignatureErrors.unknown(claim.accessKey()) : mismatch;
        }
        return new Proof(credential, key);
    }

    /**
     * Returns the credential of {@code claimed} if {@code signature} is its signature of {@code text}.
     *
     * @param text the string to sign
     * @param token the session token; null if there is none
     */
    Credential prove(ClaimedCredential claimed, String text, String signature, @Nullable String token)
            throws RequestVerificationException {
        Credential credential = credentials.find(claimed.accessKey(), token);
        SigningKey key = keys.get(credential.accessKey(), credential.secret(), claimed.scope());
        boolean right = isEqual(key.sign(text), signature);
        if (!right || credential.isUnknown()) {
            RequestVerificationException mismatch = FailedSignatureErrors.of(claimed.accessKey(), text);
            throw credential.isUnknown() ? FailedSignatureErrors.unknown(claimed.accessKey()) : mismatch;
        }
        return credential;
    }

    /** Returns whether both are equal, in constant time: the time does not reveal the length of an equal prefix. */
    static boolean isEqual(String expected, String claimed) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), claimed.getBytes(StandardCharsets.UTF_8));
    }

    private static CanonicalRequest canonical(SignedRequest request, List<String> signedHeaders, String payload) {
        CanonicalRequest.Builder canonical = CanonicalRequest.of(request.method(), request.path());
        for (Parameter parameter : request.query()) {
            if (SignatureQueryParameter.find(parameter.name()) != SignatureQueryParameter.SIGNATURE) {
                canonical.parameter(parameter.name(), parameter.value());
            }
        }
        for (String name : signedHeaders) {
            canonical.header(name, request.headerValues(name));
        }
        return canonical.build(payload);
    }

    private static boolean isUnsigned(String name, List<String> signed) {
        return (name.startsWith(AMZ_PREFIX) || name.equals(EXTRACT)) && Collections.binarySearch(signed, name) < 0;
    }

    private static RequestVerificationException notSigned(SignedRequest request, List<String> signed) {
        List<String> unsigned = request.headerNames().stream()
                .filter(name -> isUnsigned(name, signed))
                .sorted()
                .toList();
        return new RequestVerificationException(
                Code.ACCESS_DENIED,
                "There were headers present in the request which were not signed",
                Map.of("HeadersNotSigned", String.join(", ", unsigned)));
    }

    private static void requireSignedHeaders(SignedRequest request, List<String> signed)
            throws RequestVerificationException {
        for (String name : request.headerNames()) {
            if (isUnsigned(name, signed)) {
                throw notSigned(request, signed);
            }
        }
        for (String name : signed) {
            // Treating an absent header as empty would let an attacker remove an empty header in transit.
            if (request.headerValues(name).isEmpty()) {
                throw new RequestVerificationException(
                        Code.SIGNATURE_DOES_NOT_MATCH, "The header " + name + " is signed but not in the request.");
            }
        }
        if (request.headerValues("host").size() != 1) {
            throw new RequestVerificationException(Code.INVALID_REQUEST, "The request must have one host.");
        }
    }

    /**
     * Result of a valid signature.
     *
     * @param key the signing key, for the chunks that follow
     */
    record Proof(Credential credential, SigningKey key) {}
}
