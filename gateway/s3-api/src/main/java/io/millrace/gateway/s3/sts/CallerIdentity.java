package io.millrace.gateway.s3.sts;

import io.millrace.auth.Credential;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.signature.StsRequestVerifier;
import io.millrace.gateway.s3.sts.StsException.Code;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.TreeSet;

/**
 * The operation GetCallerIdentity: names the identity or session that signed the request, which needs no right.
 * Thread-safe.
 *
 * @see <a href="https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html">API reference</a>
 */
record CallerIdentity(StsRequestVerifier verifier) {
    private static final Set<String> PARAMETERS = new TreeSet<>(Set.of("Action", "Version"));

    static ByteBuffer run(Principal caller, StsParameters parameters, String requestId) {
        parameters.requireOnly(PARAMETERS);
        return document(caller, requestId);
    }

    /**
     * Returns whether the request names an access key that is known here. Its signature can be verified once its body
     * is there.
     */
    boolean namesKnownKey(SignedRequest request) {
        return verifier.namesKnownKey(request);
    }

    /** Returns the credential that signed the request. */
    Credential verified(SignedRequest request, byte[] body) {
        try {
            return verifier.verify(request, body);
        } catch (RequestVerificationException refused) {
            throw new StsException(code(refused.code()), String.valueOf(refused.getMessage()));
        }
    }

    private static Code code(RequestVerificationException.Code refused) {
        return switch (refused) {
            case REVOKED -> Code.ACCESS_DENIED;
            case ACCESS_DENIED -> Code.MISSING_AUTHENTICATION_TOKEN;
            case INVALID_ACCESS_KEY_ID, INVALID_TOKEN -> Code.INVALID_CLIENT_TOKEN_ID;
            case EXPIRED_TOKEN -> Code.EXPIRED_TOKEN;
            case AUTHORIZATION_HEADER_MALFORMED -> Code.INCOMPLETE_SIGNATURE;
            default -> Code.SIGNATURE_DOES_NOT_MATCH;
        };
    }

    private static ByteBuffer document(Principal caller, String requestId) {
        return StsResponder.document(
                StsOperation.GET_CALLER_IDENTITY,
                requestId,
                result -> result.element("Arn", caller.arn())
                        .element("UserId", userId(caller))
                        .element("Account", Principal.ACCOUNT));
    }

    /** Returns the name of an identity, or role and session as {@code ROLE:SESSION}. */
    private static String userId(Principal caller) {
        String name = caller.name();
        return caller.isSession() ? name.substring(name.indexOf('/') + 1).replace('/', ':') : name;
    }
}
