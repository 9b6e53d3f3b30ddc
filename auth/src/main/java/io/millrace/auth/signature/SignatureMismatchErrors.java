package io.millrace.auth.signature;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import io.millrace.auth.PayloadType;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Refusals of signatures that were computed and are wrong. */
final class SignatureMismatchErrors {
    private static final String MESSAGE =
            "The request signature we calculated does not match the signature you provided. Check your key and signing"
                    + " method.";

    private static final String UNSTATED = " It has no x-amz-content-sha256, so it was taken to sign an empty body.";

    /**
     * The keys of SSE-C are signed as headers, or as parameters; an error must not carry them into a log. A name is looked for only
     * where one begins: a stranger's request may be long and full of what begins like one.
     */
    private static final Pattern CUSTOMER_KEY = Pattern.compile("(?i)(?<=\\n)(x-amz-[a-z-]*+(?<=customer-key):)[^\\n]*"
            + "|(?<=[\\n&])(x-amz-[a-z-]*+(?<=customer-key)=)[^&\\n]*");

    private SignatureMismatchErrors() {}

    /** The signature is not this request's; shows what was signed here, as S3 does, so that it can be compared. */
    static AuthException of(String accessKey, String stringToSign, String canonicalRequest, PayloadType payload) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("AWSAccessKeyId", accessKey);
        details.put("StringToSign", printable(stringToSign));
        details.put("CanonicalRequest", printable(canonicalRequest));
        String message = payload instanceof PayloadType.Unstated ? MESSAGE + UNSTATED : MESSAGE;
        return new AuthException(Code.SIGNATURE_DOES_NOT_MATCH, message, details);
    }

    /** The same where there is no canonical request: version 2, and the policies of forms. */
    static AuthException of(String accessKey, String stringToSign) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("AWSAccessKeyId", accessKey);
        details.put("StringToSign", printable(stringToSign));
        return new AuthException(Code.SIGNATURE_DOES_NOT_MATCH, MESSAGE, details);
    }

    /** Nobody has this key. */
    static AuthException unknown(String accessKey) {
        return new AuthException(
                Code.INVALID_ACCESS_KEY_ID,
                "The AWS Access Key Id you provided does not exist in our records.",
                Map.of("AWSAccessKeyId", accessKey));
    }

    private static String printable(String bytes) {
        String text = new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return CUSTOMER_KEY.matcher(text).replaceAll("$1$2***");
    }
}
