package io.millrace.auth;

/**
 * Scope of a signing key: one day, one region and one service.
 *
 * @param date the day of the signature, {@code yyyyMMdd}
 * @param region region that the client chose; any is valid
 * @param service {@code s3}, except in test vectors
 */
public record CredentialScope(String date, String region, String service) {
    /** Last element of every version 4 scope. */
    public static final String TERMINATOR = "aws4_request";

    /** Returns the scope as written in a credential and in the string to sign. */
    public String text() {
        return date + '/' + region + '/' + service + '/' + TERMINATOR;
    }
}
