package io.millrace.auth.signature;

import io.millrace.auth.ClockSkew;
import io.millrace.auth.Credential;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.session.CredentialFinder;
import java.time.InstantSource;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Authenticates requests to AWS STS by Signature Version 4 in the Authorization header, which covers the hash of the
 * body. Thread-safe.
 *
 * @see <a href="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html">Create a
 * signed AWS
 *     API request</a>
 */
public final class StsRequestVerifier {
    private static final V4ServiceProfile STS =
            new V4ServiceProfile("sts", PayloadType.UNSTATED.text(), PayloadType.UNSTATED.text());

    /** Access key at the start of the credential. */
    private static final Pattern KEY = Pattern.compile("Credential=([^/,\\s]{1,128})/");

    private final CredentialFinder credentials;
    private final V4HeaderVerifier verifier;
    private final InstantSource clock;

    /** Creates a verifier of requests that are signed with these credentials. */
    public StsRequestVerifier(CredentialFinder credentials, SignatureSettings settings, InstantSource clock) {
        this.credentials = credentials;
        V4SignatureCheck signature = new V4SignatureCheck(credentials);
        this.verifier = new V4HeaderVerifier(STS, signature, new ClockSkew(settings.clockSkew()));
        this.clock = clock;
    }

    /**
     * Returns whether the request names one access key that is known and has not ended, whoever signed it: strangers
     * know none.
     */
    public boolean namesKnownKey(SignedRequest request) {
        List<String> headers = request.headerValues("authorization");
        List<String> tokens = request.headerValues("x-amz-security-token");
        Matcher key = KEY.matcher(headers.size() == 1 ? headers.get(0) : "");
        try {
            return key.find()
                    && !credentials
                            .find(key.group(1), tokens.isEmpty() ? null : tokens.get(0))
                            .isUnknown();
        } catch (RequestVerificationException ended) {
            return false;
        }
    }

    /**
     * Returns the credential that signed the request.
     *
     * @throws RequestVerificationException if its signature is absent or invalid
     */
    public Credential verify(SignedRequest request, byte[] body) throws RequestVerificationException {
        List<String> headers = request.headerValues("authorization");
        String prefix = V4HeaderVerifier.ALGORITHM + ' ';
        String header = headers.size() == 1 ? headers.get(0).strip() : "";
        if (!header.startsWith(prefix)) {
            throw new RequestVerificationException(
                    Code.ACCESS_DENIED, "The request must have one Authorization header, of Signature Version 4.");
        }
        return verifier.verify(request, header.substring(prefix.length()), PayloadHash.ofBody(body), clock.instant())
                .credential();
    }
}
