package io.millrace.gateway.s3.protocol;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.object.HeaderList;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.nio.ByteBuffer;
import reactor.core.publisher.Flux;

/**
 * A response before it is written to a socket.
 *
 * @param headers all headers but {@code Content-Length} and those that every response has
 */
public record S3Response(int status, HeaderList headers, Body body) {
    /** The body of a response. */
    public sealed interface Body {
        /** Returns the {@code Content-Length}; -1 if it is unknown. */
        long length();

        /** Releases the body's resources if it is not sent. */
        default void discard() {}
    }

    /** The absence of a body. For a HEAD, the length is that of the GET. */
    public record NoBody(long length) implements Body {}

    /** A small body in memory, such as XML. */
    public record Bytes(ByteBuffer content) implements Body {
        @Override
        public long length() {
            return content.remaining();
        }
    }

    /** A body streamed from a backend, under the rules of {@link io.millrace.backend.spi.ObjectContent#body}. */
    public record Content(ObjectContent content) implements Body {
        @Override
        public long length() {
            return content.length();
        }

        @Override
        public void discard() {
            content.discard();
        }
    }

    /**
     * A body read from the cache, as memory and file regions: {@link io.netty.buffer.ByteBuf}s and
     * {@link io.netty.channel.FileRegion}s. Subscribed to once or discarded; the subscriber owns the pieces.
     *
     * @param giveUp releases the resources of the pieces
     */
    public record CachedContent(long length, Flux<ReferenceCounted> pieces, Runnable giveUp) implements Body {
        @Override
        public void discard() {
            giveUp.run();
        }
    }

    /** A body of unknown length, sent in chunked transfer coding. The subscriber owns each buffer. */
    public record Chunked(Flux<ByteBuf> pieces) implements Body {
        @Override
        public long length() {
            return -1;
        }
    }

    /** A small body in a reference-counted buffer, which the response owns until it is sent. */
    public record Buffer(ByteBuf content) implements Body {
        @Override
        public long length() {
            return content.readableBytes();
        }

        @Override
        public void discard() {
            content.release();
        }
    }

    /** Returns a response without a body. */
    public static S3Response empty(int status, HeaderList headers) {
        return new S3Response(status, headers, new NoBody(0));
    }

    /** Returns a response with an XML document. */
    public static S3Response xml(int status, HeaderList headers, ByteBuffer document) {
        return new S3Response(status, headers.with("content-type", "application/xml"), new Bytes(document));
    }

    /** Returns the response to a HEAD: this one without its body. The caller discards a streamed body. */
    public S3Response headOnly() {
        return new S3Response(status, headers, new NoBody(body.length()));
    }
}
