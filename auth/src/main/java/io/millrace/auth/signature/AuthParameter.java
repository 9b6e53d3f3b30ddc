package io.millrace.auth.signature;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import io.millrace.auth.SignatureScheme;
import org.jspecify.annotations.Nullable;

/**
 * A query parameter that authenticates. SDKs write these names in one case of letters and S3 takes any, so any counts: a
 * name that did not count would pass as an ordinary parameter.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html">Query parameters</a>
 */
enum AuthParameter {
    ALGORITHM("X-Amz-Algorithm", SignatureScheme.V4_QUERY),
    CREDENTIAL("X-Amz-Credential", SignatureScheme.V4_QUERY),
    DATE("X-Amz-Date", SignatureScheme.V4_QUERY),
    EXPIRES("X-Amz-Expires", SignatureScheme.V4_QUERY),
    SIGNED_HEADERS("X-Amz-SignedHeaders", SignatureScheme.V4_QUERY),
    SIGNATURE("X-Amz-Signature", SignatureScheme.V4_QUERY),
    SECURITY_TOKEN("X-Amz-Security-Token", SignatureScheme.V4_QUERY),
    CONTENT_SHA256("X-Amz-Content-Sha256", SignatureScheme.V4_QUERY),
    V2_ACCESS_KEY("AWSAccessKeyId", SignatureScheme.V2_QUERY),
    V2_EXPIRES("Expires", SignatureScheme.V2_QUERY),
    V2_SIGNATURE("Signature", SignatureScheme.V2_QUERY);

    private static final AuthParameter[] ALL = values();

    private final String text;
    private final SignatureScheme scheme;

    AuthParameter(String text, SignatureScheme scheme) {
        this.text = text;
        this.scheme = scheme;
    }

    /** The parameter of this name, or null if the name is an ordinary one. */
    static @Nullable AuthParameter find(String name) {
        for (AuthParameter parameter : ALL) {
            if (parameter.text.equalsIgnoreCase(name)) {
                return parameter;
            }
        }
        return null;
    }

    String text() {
        return text;
    }

    SignatureScheme scheme() {
        return scheme;
    }

    /** The refusal for what is wrong with this parameter. */
    AuthException malformed(String message) {
        // S3 knows a code for the parameters of version 4 only.
        boolean v4 = scheme == SignatureScheme.V4_QUERY;
        return new AuthException(v4 ? Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR : Code.ACCESS_DENIED, message);
    }
}
