package io.millrace.auth.signature;

import io.millrace.auth.Authentication;
import io.millrace.auth.ClockSkew;
import io.millrace.auth.CredentialsProvider;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.session.CredentialFinder;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/**
 * Authenticates requests by their signature. It determines the one scheme a request uses and reads credential and
 * signature from the same place. A request with more than one scheme, part of a signature, or an unsupported scheme is
 * refused; only a request without any signature is anonymous. Thread-safe; does no I/O.
 *
 * <p>A signed header must be present (an absent header does not count as empty), and every {@code x-amz-} header must
 * be signed. The path is not normalized, because S3 does not normalize paths.
 */
public final class RequestVerifier {
    private final CredentialFinder credentials;
    private final InstantSource clock;
    private final V4HeaderVerifier v4Header;
    private final V4QueryVerifier v4Query;
    private final V2QueryVerifier v2Query;
    private final V4FormVerifier v4Form;
    private final V2FormVerifier v2Form;

    /**
     * Creates a verifier of requests to S3 that reads the current time from {@code clock}.
     *
     * @throws IllegalArgumentException if {@code settings} do not pass {@link SignatureSettings#check}
     */
    public RequestVerifier(CredentialsProvider identities, SignatureSettings settings, InstantSource clock) {
        this(identities, settings, clock, V4ServiceProfile.S3);
    }

    /** Creates a verifier of requests to S3 that are signed with these credentials. */
    public RequestVerifier(CredentialFinder credentials, SignatureSettings settings, InstantSource clock) {
        this(credentials, settings, clock, V4ServiceProfile.S3);
    }

    RequestVerifier(
            CredentialsProvider identities, SignatureSettings settings, InstantSource clock, V4ServiceProfile profile) {
        this(CredentialFinder.of(identities, clock), settings, clock, profile);
    }

    private RequestVerifier(
            CredentialFinder credentials, SignatureSettings settings, InstantSource clock, V4ServiceProfile profile) {
        ClockSkew skew = new ClockSkew(settings.clockSkew());
        V4SignatureCheck signature = new V4SignatureCheck(credentials);
        this.credentials = credentials;
        this.clock = clock;
        this.v4Header = new V4HeaderVerifier(profile, signature, skew);
        this.v4Query = new V4QueryVerifier(profile, signature, skew);
        this.v4Form = new V4FormVerifier(profile, signature, skew);
        V2SignatureCheck v2Signature = new V2SignatureCheck(credentials);
        this.v2Query = new V2QueryVerifier(settings.sigv2Presigned(), v2Signature);
        this.v2Form = new V2FormVerifier(settings.sigv2Presigned(), v2Signature);
    }

    /**
     * Authenticates {@code request}. The body is not read; its reader verifies it against
     * {@link Authentication.Signed#payload}.
     *
     * @throws RequestVerificationException if the request has an invalid signature or is ambiguous
     */
    public Authentication verify(SignedRequest request) throws RequestVerificationException {
        List<String> headers = request.headerValues("authorization");
        SignatureQueryParameters parameters = SignatureQueryParameters.of(request.query());
        if (!headers.isEmpty()) {
            requireOne(!parameters.anyV4() && !parameters.anyV2() && headers.size() == 1);
            return verifyHeader(request, headers.get(0));
        }
        if (parameters.anyV4()) {
            refuseTokenOfV2(parameters);
            requireOne(!parameters.anyV2());
            refuseTokenHeader(request);
            return unrevoked(v4Query.verify(request, parameters, clock.instant()));
        }
        refuseTokenHeader(request);
        if (parameters.anyV2()) {
            return v2Query.verify(request, parameters, clock.instant());
        }
        refuseSignedBody(request);
        return new Authentication.Anonymous();
    }

    /**
     * Authenticates a browser's form by its signed policy; a form without policy and signature is anonymous. The
     * signature permits only what the policy allows, so the form must be checked against it, as
     * {@link io.millrace.auth.signature.UploadFormVerifier} does.
     *
     * @param fields by name in lower case
     * @throws RequestVerificationException if the form has an invalid signature or is ambiguous
     */
    public Authentication verifyForm(Map<String, String> fields) throws RequestVerificationException {
        SignedFormFields form = new SignedFormFields(fields);
        requireOne(!form.anyV4() || !form.anyV2());
        if (form.token() != null && !form.anyV4()) {
            throw misplacedToken();
        }
        if (form.anyV2()) {
            return v2Form.verify(form, clock.instant());
        }
        return form.anyV4() || form.hasPolicy()
                ? unrevoked(v4Form.verify(form, clock.instant()))
                : new Authentication.Anonymous();
    }

    /** Refuses a URL or form that was signed before a revocation of all; headers are signed anew for each request. */
    private Authentication.Signed unrevoked(Authentication.Signed signed) throws RequestVerificationException {
        credentials.requireUnrevoked(signed.credential(), signed.signedAt());
        return signed;
    }

    private Authentication verifyHeader(SignedRequest request, String header) throws RequestVerificationException {
        String value = header.strip();
        int space = value.indexOf(' ');
        String scheme = space < 0 ? value : value.substring(0, space);
        return switch (scheme) {
            case V4HeaderVerifier.ALGORITHM ->
                v4Header.verify(request, value.substring(scheme.length()), clock.instant());
            case "" -> throw new RequestVerificationException(Code.ACCESS_DENIED, "The Authorization header is empty.");
            case "AWS" ->
                throw new RequestVerificationException(
                        Code.ACCESS_DENIED,
                        "Signature Version 2 in the header is not served. Please use AWS4-HMAC-SHA256 (s3cmd:"
                                + " signature_v2 = False; boto3: signature_version='s3v4').");
            default ->
                throw new RequestVerificationException(
                        Code.INVALID_ARGUMENT,
                        "Unsupported Authorization Type: only " + V4HeaderVerifier.ALGORITHM + " is served.");
        };
    }

    private static void requireOne(boolean one) throws RequestVerificationException {
        if (!one) {
            throw new RequestVerificationException(
                    Code.INVALID_ARGUMENT,
                    "Only one auth mechanism allowed: one Authorization header, or the parameters of version 4, or"
                            + " those of version 2.");
        }
    }

    /**
     * Refuses what boto3 makes of a session's keys unless it is told otherwise: a URL signed by version 2, with a
     * token.
     */
    private static void refuseTokenOfV2(SignatureQueryParameters parameters) throws RequestVerificationException {
        if (parameters.anyV2()
                && parameters.find(SignatureQueryParameter.SECURITY_TOKEN) != null
                && parameters.find(SignatureQueryParameter.ALGORITHM) == null) {
            throw misplacedToken();
        }
    }

    /**
     * Refuses a session token in the header beside a presigned URL, whose token is a parameter, or without a signature.
     */
    private static void refuseTokenHeader(SignedRequest request) throws RequestVerificationException {
        if (!request.headerValues(V4HeaderVerifier.SECURITY_TOKEN).isEmpty()) {
            throw misplacedToken();
        }
    }

    private static RequestVerificationException misplacedToken() {
        return new RequestVerificationException(
                Code.INVALID_TOKEN,
                "A session token must come with a signature of version 4, and be where that signature is (boto3:"
                        + " signature_version='s3v4').");
    }

    private static void refuseSignedBody(SignedRequest request) throws RequestVerificationException {
        for (String payload : request.headerValues(PayloadHash.HEADER)) {
            if (PayloadType.parse(payload).orElse(PayloadType.UNSTATED) instanceof PayloadType.SignedChunks) {
                throw new RequestVerificationException(
                        Code.ACCESS_DENIED, "The body announces signed chunks, but the request is unsigned.");
            }
        }
    }
}
