package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import org.jspecify.annotations.Nullable;

/**
 * Query parameter that is part of the signature of a presigned URL, version 4 or 2. Names are compared without regard
 * to case, as in S3: a name in another case must not pass as an ordinary parameter.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html">Query parameters</a>
 */
enum SignatureQueryParameter {
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

    private static final SignatureQueryParameter[] ALL = values();

    private final String text;
    private final SignatureScheme scheme;

    SignatureQueryParameter(String text, SignatureScheme scheme) {
        this.text = text;
        this.scheme = scheme;
    }

    /** Returns the parameter of this name, or null if it belongs to no signature. */
    static @Nullable SignatureQueryParameter find(String name) {
        for (SignatureQueryParameter parameter : ALL) {
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

    /** Creates the error for a malformed or repeated parameter. */
    RequestVerificationException malformed(String message) {
        // S3 has an error code for the parameters of version 4 only.
        boolean v4 = scheme == SignatureScheme.V4_QUERY;
        return new RequestVerificationException(
                v4 ? Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR : Code.ACCESS_DENIED, message);
    }
}
