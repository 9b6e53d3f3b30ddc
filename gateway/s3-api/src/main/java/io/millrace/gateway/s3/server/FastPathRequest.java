package io.millrace.gateway.s3.server;

import io.millrace.auth.policy.RequestSource;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.connection.ConnectionSource;
import io.millrace.gateway.s3.protocol.FastPathFieldRule;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A GET or HEAD that the fast path may serve: without a body, and without a field that {@link FastPathFieldRule}
 * leaves to the general path.
 */
final class FastPathRequest implements ReceivedRequest {
    private final HttpRequest request;
    private final Channel channel;
    private final RequestHeaders headers;
    private final String requestId;
    private final Progress progress = new Progress();
    private S3Responder.@Nullable Admission admission;

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
        RequestHeaders headers = new NettyHeaders(request.headers());
        return FastPathFieldRule.servesParameters(request.uri()) && areServed(request.headers(), headers)
                ? new FastPathRequest(request, channel, headers, RequestIdGenerator.next())
                : null;
    }

    private static boolean areServed(HttpHeaders received, RequestHeaders headers) {
        boolean anyRepeated = received.size() > headers.names().size();
        for (String name : headers.names()) {
            FastPathFieldRule.Meaning meaning = FastPathFieldRule.ofHeader(name);
            boolean served = meaning == FastPathFieldRule.Meaning.NONE
                    || (meaning == FastPathFieldRule.Meaning.SERVED
                            && !(anyRepeated && received.getAll(name).size() > 1));
            if (!served) {
                return false;
            }
        }
        return isAbsentOr(received, HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE)
                && isAbsentOr(received, HttpHeaderNames.CONTENT_LENGTH, HttpHeaderValues.ZERO);
    }

    /** Returns whether there is no other value; a list that has this one may also have {@code close}. */
    private static boolean isAbsentOr(HttpHeaders headers, CharSequence name, CharSequence value) {
        @Nullable String received = headers.get(name);
        return received == null || AsciiString.contentEqualsIgnoreCase(received, value);
    }

    /** Returns whether these are its headers, the same instance. */
    boolean hasHeaders(HttpHeaders received) {
        return request.headers() == received;
    }

    /** Remembers what the gate said, for the general path. */
    void met(S3Responder.Admission answer) {
        admission = answer;
    }

    @Override
    public S3Responder.@Nullable Admission admission() {
        return admission;
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
