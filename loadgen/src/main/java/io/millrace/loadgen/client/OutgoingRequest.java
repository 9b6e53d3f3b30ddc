package io.millrace.loadgen.client;

import io.netty.handler.codec.http.HttpMethod;
import java.util.Map;

/**
 * A request to an S3 endpoint.
 *
 * @param key without the bucket, not encoded; empty for the bucket itself
 * @param query percent-encoded query, or empty
 * @param headers lower-case names and their values
 */
public record OutgoingRequest(
        HttpMethod method, String key, String query, Map<String, String> headers, PayloadSource body) {
    /** Returns a request without a body. */
    public static OutgoingRequest of(HttpMethod method, String key, String query, Map<String, String> headers) {
        return new OutgoingRequest(method, key, query, headers, PayloadSource.EMPTY);
    }
}
