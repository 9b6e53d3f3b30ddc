package io.millrace.backend.spi;

/**
 * The remedies for failures of a backend, in the words of its type: its settings, and the rights that its server
 * knows. Each but the first is a sentence without a full stop.
 *
 * @param address the setting that says where the server is
 * @param unavailable about a server that does not respond, or only with errors of its own
 * @param credentialsUnavailable about a source of credentials that does not respond
 * @param invalidRequest about a server that refuses requests as invalid
 * @param bucketsDenied about a refusal to list buckets
 * @param bucketDenied about a refusal to list a bucket, or to say whether it exists
 */
public record BackendRemedies(
        String address,
        String unavailable,
        String credentialsUnavailable,
        String invalidRequest,
        String bucketsDenied,
        String bucketDenied) {
    /** Those of an S3 server. */
    public static final BackendRemedies S3 = new BackendRemedies(
            "endpoint",
            ofServer("endpoint"),
            "Correct the address of what gives the credentials (for STS: AWS_ENDPOINT_URL_STS or AWS_REGION), and let"
                    + " this machine connect to it",
            "Check its endpoint, which has no path of its own, its region and path-style",
            "Give it s3:ListAllMyBuckets; reads may work without it",
            "Give it s3:ListBucket on this bucket; reads may work without it");

    /**
     * Returns those of a server of files that is read alone, and whose own message says what a refusal is about.
     *
     * @param address the setting that says where it is
     */
    public static BackendRemedies ofReadOnlyServer(String address) {
        String readable = "Objects may be readable all the same";
        return new BackendRemedies(
                address,
                ofServer(address),
                "Correct the address of what gives the credentials, and let this machine connect to it",
                "Check its " + address,
                readable,
                readable);
    }

    /**
     * Returns what to do about a server that does not respond, or only with errors of its own.
     *
     * @param address the setting that says where it is
     */
    public static String ofServer(String address) {
        return ("Correct its %s, or start the server and let this machine connect to it; if it has answered with an"
                        + " error, the server's own log says why")
                .formatted(address);
    }

    /** Returns what to do about a backend that leads back to the gateway itself. */
    public String loop() {
        return "Its %s leads back to this Millrace, at once or through others: write that of the store itself"
                .formatted(address);
    }
}
