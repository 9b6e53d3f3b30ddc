package io.millrace.backend.s3;

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
 * Sees to it that the answer handed on belongs to the request that was sent. Reactor Netty's client takes the first head that
 * comes for the answer: an interim one (103) would be it, and what a server sends behind the end of one answer could be taken
 * for the next request's, another object's bytes under that key.
 *
 * <p>So interim answers stay here; an answer nobody asked for, bytes behind the end of one, and what cannot be decoded close
 * the connection. Used by the connection's event loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty tells whoever made the promise.
final class AnswerGuard extends ChannelDuplexHandler {
    private enum State {
        /** No request is out. */
        IDLE,
        /** A request is out, its answer has not begun. */
        ASKED,
        /** Inside an interim answer. */
        INTERIM,
        /** The head of the answer is here, its end is not. */
        ANSWERING,
        /** Given up: whatever comes is dropped. */
        BROKEN
    }

    private State state = State.IDLE;

    /** Between the first message of a read and its end. */
    private boolean inRead;

    /** The request was sent in the middle of a read: what else that read brings came before the request. */
    private boolean askedInRead;

    /** This read brought nothing but what was dropped. */
    private boolean onlyDropped;

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpRequest && state != State.BROKEN) {
            state = State.ASKED;
            askedInRead = inRead;
        }
        context.write(message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        inRead = true;
        if (state == State.BROKEN) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpObject object
                && object.decoderResult().isFailure()) {
            refuse(
                    context,
                    message,
                    "an answer that is not HTTP: " + object.decoderResult().cause());
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
        askedInRead = false;
        boolean again = onlyDropped;
        onlyDropped = false;
        context.fireChannelReadComplete();
        if (again && state != State.BROKEN) {
            context.read();
        }
    }

    private void head(ChannelHandlerContext context, HttpResponse head) {
        if (state != State.ASKED || askedInRead) {
            refuse(context, head, "an answer that nobody asked for");
        } else if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
            state = State.INTERIM;
            onlyDropped = true;
            ReferenceCountUtil.release(head);
        } else {
            state = State.ANSWERING;
            onlyDropped = false;
            context.fireChannelRead(head);
        }
    }

    private void content(ChannelHandlerContext context, HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        if (state == State.INTERIM) {
            state = last ? State.ASKED : State.INTERIM;
            onlyDropped = true;
            ReferenceCountUtil.release(content);
        } else if (state == State.ANSWERING) {
            // First the state: with the end of an answer the next request may come.
            state = last ? State.IDLE : State.ANSWERING;
            context.fireChannelRead(content);
        } else {
            refuse(context, content, "bytes behind the end of an answer");
        }
    }

    private void refuse(ChannelHandlerContext context, Object message, String what) {
        ReferenceCountUtil.release(message);
        boolean awaited = state != State.IDLE;
        state = State.BROKEN;
        if (awaited) {
            context.fireExceptionCaught(new IOException("the backend sent " + what));
        }
        context.close();
    }
}
