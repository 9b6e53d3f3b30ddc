package io.millrace.auth.signature;

import io.millrace.auth.CredentialScope;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;

/** Access key and credential scope that a request's AWS Signature Version 4 names, not verified yet. */
record ClaimedCredential(String accessKey, CredentialScope scope) {
    private static final int PARTS = 5;
    private static final int LONGEST_PART = 128;

    /**
     * Parses {@code AKIA.../20130524/us-east-1/s3/aws4_request}.
     *
     * @param service the only service a scope may name
     * @param malformed error code of a credential that does not parse
     */
    static ClaimedCredential parse(String credential, String service, Code malformed)
            throws RequestVerificationException {
        String[] parts = credential.split("/", PARTS + 1);
        if (parts.length != PARTS || !parts[4].equals(CredentialScope.TERMINATOR)) {
            throw new RequestVerificationException(
                    malformed, "The credential must be <access key>/<yyyyMMdd>/<region>/" + service + "/aws4_request.");
        }
        if (!isVisibleAscii(parts[0]) || !isVisibleAscii(parts[1]) || !isVisibleAscii(parts[2])) {
            throw new RequestVerificationException(
                    malformed, "Access key, date and region of the credential must be 1 to 128 visible characters.");
        }
        if (!parts[3].equals(service)) {
            throw new RequestVerificationException(
                    malformed, "The credential must be for the service " + service + '.');
        }
        return new ClaimedCredential(parts[0], new CredentialScope(parts[1], parts[2], parts[3]));
    }

    private static boolean isVisibleAscii(String part) {
        for (int i = 0; i < part.length(); i++) {
            if (part.charAt(i) <= ' ' || part.charAt(i) >= 127) {
                return false;
            }
        }
        return !part.isEmpty() && part.length() <= LONGEST_PART;
    }
}
