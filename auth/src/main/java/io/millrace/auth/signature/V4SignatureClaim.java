package io.millrace.auth.signature;

import io.millrace.auth.CredentialScope;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.util.List;

/**
 * Credential, signed headers and signature that a request states under AWS Signature Version 4, not verified yet. All
 * are from the header or all from the query.
 *
 * @param signedHeaders names in lower case, ascending, {@code host} among them
 * @param signature as sent; may be any text
 */
record V4SignatureClaim(ClaimedCredential key, List<String> signedHeaders, String signature) {
    /**
     * Parses the parts of a claim.
     *
     * @param credential {@code AKIA.../20130524/us-east-1/s3/aws4_request}
     * @param signedHeaders {@code host;x-amz-date}
     * @param service the only service a scope may name
     * @param malformed error code of a claim that does not parse
     */
    static V4SignatureClaim parse(
            String credential, String signedHeaders, String signature, String service, Code malformed)
            throws RequestVerificationException {
        ClaimedCredential key = ClaimedCredential.parse(credential, service, malformed);
        return new V4SignatureClaim(key, names(signedHeaders, malformed), signature);
    }

    String accessKey() {
        return key.accessKey();
    }

    CredentialScope scope() {
        return key.scope();
    }

    private static List<String> names(String list, Code malformed) throws RequestVerificationException {
        List<String> names = List.of(list.split(";", -1));
        String previous = "";
        for (String name : names) {
            // Strictly ascending order also excludes empty and repeated names.
            if (previous.compareTo(name) >= 0 || !isLowerCaseToken(name)) {
                throw new RequestVerificationException(
                        malformed,
                        "The signed headers must be names in lower case, each once, in ascending order, with ;"
                                + " between.");
            }
            previous = name;
        }
        if (!names.contains("host")) {
            throw new RequestVerificationException(malformed, "The header host must be signed.");
        }
        return names;
    }

    private static boolean isLowerCaseToken(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c >= 127 || c == ':' || (c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return true;
    }
}
