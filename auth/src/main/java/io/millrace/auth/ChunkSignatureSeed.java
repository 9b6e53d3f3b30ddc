package io.millrace.auth;

/**
 * Start of the chain of chunk signatures of one aws-chunked upload: signing key, scope, time and signature of its
 * request. It signs with the key but does not expose it. Thread-safe.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">Chunked upload</a>
 */
public final class ChunkSignatureSeed {
    private final SigningKey key;
    private final CredentialScope scope;
    private final String timestamp;
    private final String signature;

    public ChunkSignatureSeed(SigningKey key, CredentialScope scope, String timestamp, String signature) {
        this.key = key;
        this.scope = scope;
        this.timestamp = timestamp;
        this.signature = signature;
    }

    /** Returns the request's own signature, 64 hex digits. The first chunk signs it as the previous signature. */
    public String signature() {
        return signature;
    }

    /** Returns the request's time as the chunks sign it, {@code yyyyMMdd'T'HHmmss'Z'}. */
    public String timestamp() {
        return timestamp;
    }

    /** Returns the scope as the chunks sign it, {@code 20130524/us-east-1/s3/aws4_request}. */
    public String scope() {
        return scope.text();
    }

    /** Returns the signature of a chunk's string to sign, 64 lower-case hex digits. */
    public String sign(String stringToSign) {
        return key.sign(stringToSign);
    }

    /** Omits the signature, because it is still valid. */
    @Override
    public String toString() {
        return "ChunkSignatureSeed[" + timestamp + ' ' + scope.text() + ']';
    }
}
