package io.millrace.gateway.s3.server;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.BucketHostRule;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A channel handler that turns malformed HTTP requests into requests that get an S3 error response. Reactor Netty would
 * respond by itself, without a body. Nothing after it is read as a request.
 *
 * <p>One per connection, placed after the codec.
 */
final class MalformedRequestHandler extends ChannelInboundHandlerAdapter {
    /** The method of an unreadable request line, for the log. */
    private static final HttpMethod UNKNOWN = HttpMethod.valueOf("-");

    private boolean refused;
    private boolean cut;

    /**
     * Returns whether a body on {@code channel} ended with an invalid chunk, so that the start of the next request is
     * unknown. To be called on the channel's event loop.
     */
    static boolean endedInABadChunk(Channel channel) {
        MalformedRequestHandler heads = channel.pipeline().get(MalformedRequestHandler.class);
        return heads != null && heads.cut;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (refused) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpRequest request) {
            readHead(context, request);
        } else if (message instanceof HttpContent content
                && content.decoderResult().isFailure()) {
            // The body ends short of its announced length, and the connection ends with it.
            cut = true;
            content.release();
            context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        } else {
            context.fireChannelRead(message);
        }
    }

    private void readHead(ChannelHandlerContext context, HttpRequest request) {
        Optional<S3Exception> reason = reason(request);
        if (reason.isEmpty()) {
            context.fireChannelRead(request);
            return;
        }
        refused = true;
        // Netty emits a full request if it could not read the request line.
        HttpMethod method = request instanceof FullHttpRequest ? UNKNOWN : request.method();
        ReferenceCountUtil.release(request);
        context.fireChannelRead(
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, "/", new MalformedRequestHeaders(reason.get())));
        context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    private static Optional<S3Exception> reason(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return Optional.of(new S3Exception(code(request.decoderResult().cause())));
        }
        HttpVersion version = request.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            return Optional.of(new S3Exception(S3ErrorCode.VERSION_NOT_SUPPORTED));
        }
        // Reactor Netty parses the port of the host, and drops a request if it is invalid.
        @Nullable String host = request.headers().get(HttpHeaderNames.HOST);
        return host == null || BucketHostRule.isHost(host) ? Optional.empty() : Optional.of(BucketHostRule.invalid());
    }

    private static S3ErrorCode code(Throwable failure) {
        if (failure instanceof TooLongHttpLineException) {
            return S3ErrorCode.REQUEST_LINE_TOO_LONG;
        }
        return failure instanceof TooLongHttpHeaderException ? S3ErrorCode.HEADERS_TOO_LARGE : S3ErrorCode.NOT_HTTP;
    }
}
