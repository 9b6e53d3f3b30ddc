package io.millrace.auth;

import io.millrace.auth.sigv4.CredentialScope;
import io.millrace.auth.sigv4.SigningKey;

/**
 * Where the chain of chunk signatures begins. It holds the signing key and does not give it away. Thread-safe.
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

    /** The request's own signature, 64 hex digits: what the first chunk signs as the previous one. */
    public String signature() {
        return signature;
    }

    /** The request's time as the chunks sign it, {@code yyyyMMdd'T'HHmmss'Z'}. */
    public String timestamp() {
        return timestamp;
    }

    /** The scope as the chunks sign it, {@code 20130524/us-east-1/s3/aws4_request}. */
    public String scope() {
        return scope.text();
    }

    /** The signature of a chunk's string to sign, 64 lower-case hex digits. */
    public String sign(String stringToSign) {
        return key.sign(stringToSign);
    }

    /** Without the signature, which is good for a while yet. */
    @Override
    public String toString() {
        return "ChunkSeed[" + timestamp + ' ' + scope.text() + ']';
    }
}
