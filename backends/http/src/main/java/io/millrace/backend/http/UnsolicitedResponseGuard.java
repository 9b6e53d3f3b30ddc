package io.millrace.backend.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;

/**
 * A channel handler that drops interim (1xx) responses, and closes the connection if a response arrives without a
 * request. Reactor Netty's client takes the first response headers for the response: an interim one (103) would be it,
 * and bytes after the end of one response could be taken for the next request's, which is another object under that
 * key.
 *
 * <p>An unsolicited response, bytes after the end of a response, and bytes that cannot be decoded close the connection.
 * Used by the connection's event loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The promise's creator is notified.
final class UnsolicitedResponseGuard extends ChannelDuplexHandler {
    private enum ResponseState {
        /** No request is outstanding. */
        IDLE,
        /** A request was sent, its response has not begun. */
        AWAITING_RESPONSE,
        /** Inside an interim response. */
        INTERIM,
        /** The response headers have arrived, the end of the response has not. */
        RECEIVING,
        /** Closed after a violation: all further input is dropped. */
        BROKEN
    }

    private ResponseState state = ResponseState.IDLE;

    /** Between the first message of a read and its end. */
    private boolean inRead;

    /** The request was sent during a read: the rest of that read arrived before the request. */
    private boolean requestSentInRead;

    /** This read contained only dropped messages. */
    private boolean readOnlyInterim;

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpRequest && state != ResponseState.BROKEN) {
            state = ResponseState.AWAITING_RESPONSE;
            requestSentInRead = inRead;
        }
        context.write(message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        inRead = true;
        if (state == ResponseState.BROKEN) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpObject object
                && object.decoderResult().isFailure()) {
            refuse(
                    context,
                    message,
                    "a response that is not HTTP: " + object.decoderResult().cause());
        } else if (message instanceof HttpResponse head) {
            head(context, head);
        } else if (message instanceof HttpContent content) {
            content(context, content);
        } else {
            context.fireChannelRead(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        inRead = false;
        requestSentInRead = false;
        boolean again = readOnlyInterim;
        readOnlyInterim = false;
        context.fireChannelReadComplete();
        if (again && state != ResponseState.BROKEN) {
            context.read();
        }
    }

    private void head(ChannelHandlerContext context, HttpResponse head) {
        if (state != ResponseState.AWAITING_RESPONSE || requestSentInRead) {
            refuse(context, head, "an unsolicited response");
        } else if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
            state = ResponseState.INTERIM;
            readOnlyInterim = true;
            ReferenceCountUtil.release(head);
        } else {
            state = ResponseState.RECEIVING;
            readOnlyInterim = false;
            context.fireChannelRead(head);
        }
    }

    private void content(ChannelHandlerContext context, HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        if (state == ResponseState.INTERIM) {
            state = last ? ResponseState.AWAITING_RESPONSE : ResponseState.INTERIM;
            readOnlyInterim = true;
            ReferenceCountUtil.release(content);
        } else if (state == ResponseState.RECEIVING) {
            // Set the state first: the end of the response may trigger the next request.
            state = last ? ResponseState.IDLE : ResponseState.RECEIVING;
            context.fireChannelRead(content);
        } else {
            refuse(context, content, "bytes after the end of a response");
        }
    }

    private void refuse(ChannelHandlerContext context, Object message, String what) {
        ReferenceCountUtil.release(message);
        boolean awaited = state != ResponseState.IDLE;
        state = ResponseState.BROKEN;
        if (awaited) {
            context.fireExceptionCaught(new IOException("the server sent " + what));
        }
        context.close();
    }
}
