package io.millrace.gateway.s3.protocol;

import io.millrace.auth.SignedRequest;
import io.millrace.auth.policy.RequestSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A decoded S3 request, independent of sockets.
 *
 * @param method as sent, in upper case
 * @param requestId assigned by the gateway, for the response and the log
 * @param source the connection that it came from
 */
public record S3Request(
        String method,
        RequestTarget target,
        RequestHeaders headers,
        UnverifiedRequestBody body,
        String requestId,
        RequestSource source)
        implements SignedRequest {

    /**
     * Returns a header, or the query parameter that replaces it in a presigned URL ({@code x-amz-*}). One char per
     * byte, as headers are received.
     */
    public Optional<String> amzField(String name) {
        Optional<String> header = headers.first(name);
        return header.isPresent() || query().isEmpty() ? header : parameterInAnyCase(name);
    }

    /** Returns whether the method only reads. */
    public boolean isRead() {
        return method.equals("GET") || method.equals("HEAD");
    }

    @Override
    public String path() {
        return target.path();
    }

    @Override
    public Optional<String> rawPath() {
        return Optional.of(target.rawPath());
    }

    @Override
    public List<Parameter> query() {
        return target.query();
    }

    @Override
    public Optional<String> virtualHostBucket() {
        return target.virtualHost() ? target.bucket().map(Object::toString) : Optional.empty();
    }

    @Override
    public List<String> headerValues(String lowerCaseName) {
        return headers.all(lowerCaseName);
    }

    @Override
    public List<String> headerNames() {
        return headers.names();
    }

    private Optional<String> parameterInAnyCase(String name) {
        return query().stream()
                .filter(p -> p.name().equalsIgnoreCase(name))
                .map(p -> new String(p.value().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
                .findFirst();
    }
}
