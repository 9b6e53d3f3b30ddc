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
 * Hands on a request that is no HTTP as one that says so ({@link MalformedRequestHeaders}), so that it is answered, counted and logged as
 * every other. Reactor Netty would answer it by itself, without a body. Nothing behind it is read as a request.
 *
 * <p>Of a connection; behind its codec.
 */
final class MalformedRequestHandler extends ChannelInboundHandlerAdapter {
    /** Stands in the log for the method of a request line that could not be read. */
    private static final HttpMethod UNKNOWN = HttpMethod.valueOf("-");

    private boolean refused;
    private boolean cut;

    /**
     * Whether a body on {@code channel} ended in what is no chunk: where the next request would begin cannot be known. On the
     * channel's event loop.
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
            // The body is at its end, too short for what was said of it, and with it the connection.
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
        // Netty makes up a whole request where it could not read the line.
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
        // Reactor Netty reads the host's port, and drops a request where that is none.
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
