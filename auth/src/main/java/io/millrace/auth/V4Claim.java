package io.millrace.auth;

import io.millrace.auth.AuthException.Code;
import io.millrace.auth.sigv4.CredentialScope;
import java.util.List;

/**
 * What a request claims under version 4; all of it from the header or all from the query.
 *
 * @param signedHeaders names in lower case, ascending, {@code host} among them
 * @param signature as sent: any text
 */
record V4Claim(String accessKey, CredentialScope scope, List<String> signedHeaders, String signature) {
    private static final int CREDENTIAL_PARTS = 5;
    private static final int LONGEST_PART = 128;

    /**
     * Reads its parts.
     *
     * @param credential {@code AKIA.../20130524/us-east-1/s3/aws4_request}
     * @param signedHeaders {@code host;x-amz-date}
     * @param service the only service a scope may name
     * @param malformed the code for what does not parse
     */
    static V4Claim parse(String credential, String signedHeaders, String signature, String service, Code malformed)
            throws AuthException {
        String[] parts = credential.split("/", CREDENTIAL_PARTS + 1);
        if (parts.length != CREDENTIAL_PARTS || !parts[4].equals(CredentialScope.TERMINATOR)) {
            throw new AuthException(
                    malformed, "The credential must be <access key>/<yyyyMMdd>/<region>/" + service + "/aws4_request.");
        }
        if (!isVisibleAscii(parts[0]) || !isVisibleAscii(parts[1]) || !isVisibleAscii(parts[2])) {
            throw new AuthException(
                    malformed, "Access key, date and region of the credential must be 1 to 128 visible characters.");
        }
        if (!parts[3].equals(service)) {
            throw new AuthException(malformed, "The credential must be for the service " + service + '.');
        }
        CredentialScope scope = new CredentialScope(parts[1], parts[2], parts[3]);
        return new V4Claim(parts[0], scope, names(signedHeaders, malformed), signature);
    }

    private static List<String> names(String list, Code malformed) throws AuthException {
        List<String> names = List.of(list.split(";", -1));
        String previous = "";
        for (String name : names) {
            // Strictly ascending also says that none is empty and none is there twice.
            if (previous.compareTo(name) >= 0 || !isLowerCaseToken(name)) {
                throw new AuthException(
                        malformed,
                        "The signed headers must be names in lower case, each once, in ascending order, with ; between.");
            }
            previous = name;
        }
        if (!names.contains("host")) {
            throw new AuthException(malformed, "The header host must be signed.");
        }
        return names;
    }

    private static boolean isVisibleAscii(String part) {
        for (int i = 0; i < part.length(); i++) {
            if (part.charAt(i) <= ' ' || part.charAt(i) >= 127) {
                return false;
            }
        }
        return !part.isEmpty() && part.length() <= LONGEST_PART;
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
