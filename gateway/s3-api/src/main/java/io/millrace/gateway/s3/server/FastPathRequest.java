package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.RequestSource;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.connection.ConnectionSource;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A GET or HEAD that the fast path may serve: without a body, parameters, repeated headers and headers it does not know. */
final class FastPathRequest implements ReceivedRequest {
    /** The query of SDKs that name the operation in it. */
    private static final String OPERATION_NAME = "?x-id=";

    private static final Set<String> HEADERS = Set.of(
            "accept",
            "accept-encoding",
            "accept-language",
            "amz-sdk-invocation-id",
            "amz-sdk-request",
            "authorization",
            "connection",
            "content-length",
            "content-type",
            "date",
            "host",
            "range",
            "user-agent",
            "x-amz-checksum-mode",
            "x-amz-content-sha256",
            "x-amz-date",
            "x-amz-user-agent");

    private final HttpRequest request;
    private final Channel channel;
    private final RequestHeaders headers;
    private final String requestId;
    private final Progress progress = new Progress();

    private FastPathRequest(HttpRequest request, Channel channel, RequestHeaders headers, String requestId) {
        this.request = request;
        this.channel = channel;
        this.headers = headers;
        this.requestId = requestId;
    }

    /** Returns the request if the fast path may serve it, or null. */
    static @Nullable FastPathRequest of(HttpRequest request, Channel channel) {
        HttpMethod method = request.method();
        boolean isRead = HttpMethod.GET.equals(method) || HttpMethod.HEAD.equals(method);
        if (!isRead || request.decoderResult().isFailure() || !HttpVersion.HTTP_1_1.equals(request.protocolVersion())) {
            return null;
        }
        if (hasParameters(request.uri())) {
            return null;
        }
        RequestHeaders headers = new NettyHeaders(request.headers());
        return hasOnlyKnownHeaders(request.headers(), headers)
                ? new FastPathRequest(request, channel, headers, RequestIdGenerator.next())
                : null;
    }

    private static boolean hasParameters(String target) {
        int query = target.indexOf('?');
        return query >= 0 && (!target.startsWith(OPERATION_NAME, query) || target.indexOf('&', query) >= 0);
    }

    private static boolean hasOnlyKnownHeaders(HttpHeaders received, RequestHeaders headers) {
        return received.size() == headers.names().size()
                && HEADERS.containsAll(headers.names())
                && isAbsentOr(received, HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE)
                && isAbsentOr(received, HttpHeaderNames.CONTENT_LENGTH, HttpHeaderValues.ZERO);
    }

    private static boolean isAbsentOr(HttpHeaders headers, CharSequence name, CharSequence value) {
        return !headers.contains(name) || headers.containsValue(name, value, true);
    }

    @Override
    public String requestId() {
        return requestId;
    }

    @Override
    public String method() {
        return request.method().name();
    }

    @Override
    public String rawTarget() {
        return request.uri();
    }

    @Override
    public RequestHeaders headers() {
        return headers;
    }

    @Override
    public Optional<S3Exception> refusal() {
        return Optional.empty();
    }

    @Override
    public RequestSource source() {
        return ConnectionSource.of(channel, headers);
    }

    @Override
    public UnverifiedRequestBody body() {
        return UnverifiedRequestBody.NONE;
    }

    @Override
    public Progress progress() {
        return progress;
    }
}
