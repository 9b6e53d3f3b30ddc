package io.millrace.auth.signature;

import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Creates the errors for wrong signatures and unknown access keys. */
final class FailedSignatureErrors {
    private static final String MESSAGE =
            "The request signature we calculated does not match the signature you provided. Check your key and signing"
                    + " method.";

    private static final String UNSTATED = " It has no x-amz-content-sha256, so it was taken to sign an empty body.";

    /**
     * Matches SSE-C keys, which are signed as headers or parameters; an error must not carry them into a log. Names
     * match only at the start of a header or parameter, so that matching stays fast for hostile input.
     */
    private static final Pattern CUSTOMER_KEY = Pattern.compile("(?i)(?<=\\n)(x-amz-[a-z-]*+(?<=customer-key):)[^\\n]*"
            + "|(?<=[\\n&])(x-amz-[a-z-]*+(?<=customer-key)=)[^&\\n]*");

    private FailedSignatureErrors() {}

    /** Returns the error for a wrong signature. It shows the text that was signed here, as S3 does, for comparison. */
    static RequestVerificationException of(
            String accessKey, String stringToSign, String canonicalRequest, PayloadType payload) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("AWSAccessKeyId", accessKey);
        details.put("StringToSign", printable(stringToSign));
        details.put("CanonicalRequest", printable(canonicalRequest));
        String message = payload instanceof PayloadType.Unstated ? MESSAGE + UNSTATED : MESSAGE;
        return new RequestVerificationException(Code.SIGNATURE_DOES_NOT_MATCH, message, details);
    }

    /** Returns the error for a wrong signature without a canonical request: version 2, and policies of forms. */
    static RequestVerificationException of(String accessKey, String stringToSign) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("AWSAccessKeyId", accessKey);
        details.put("StringToSign", printable(stringToSign));
        return new RequestVerificationException(Code.SIGNATURE_DOES_NOT_MATCH, MESSAGE, details);
    }

    /** Returns the error for an access key that no identity has. */
    static RequestVerificationException unknown(String accessKey) {
        return new RequestVerificationException(
                Code.INVALID_ACCESS_KEY_ID,
                "The AWS Access Key Id you provided does not exist in our records.",
                Map.of("AWSAccessKeyId", accessKey));
    }

    private static String printable(String bytes) {
        String text = new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return CUSTOMER_KEY.matcher(text).replaceAll("$1$2***");
    }
}
