package io.millrace.auth.sigv4;

/**
 * What a signing key is good for: one day, one region, one service.
 *
 * @param date the day of the signature, {@code yyyyMMdd}
 * @param region any region a client likes to sign for
 * @param service {@code s3}, but for test vectors
 */
public record CredentialScope(String date, String region, String service) {
    /** The word every scope of version 4 ends in. */
    public static final String TERMINATOR = "aws4_request";

    /** The scope as it stands in a credential and in the string to sign. */
    public String text() {
        return date + '/' + region + '/' + service + '/' + TERMINATOR;
    }
}
