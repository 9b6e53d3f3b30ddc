package io.millrace.gateway.s3.protocol;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.object.HeaderList;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.nio.ByteBuffer;
import reactor.core.publisher.Flux;

/**
 * An answer, before it meets a socket.
 *
 * @param headers all fields but {@code Content-Length} and those every answer has
 */
public record S3Response(int status, HeaderList headers, Body body) {
    /** What follows the head. */
    public sealed interface Body {
        /** What {@code Content-Length} says; -1 if it is not known. */
        long length();

        /** Gives up what is behind it, if it is not sent. */
        default void discard() {}
    }

    /** Nothing. The length is what a GET would bring, for a HEAD. */
    public record NoBody(long length) implements Body {}

    /** A small body that is here already, such as XML. */
    public record Bytes(ByteBuffer content) implements Body {
        @Override
        public long length() {
            return content.remaining();
        }
    }

    /** Pieces on their way, under the rules of {@link io.millrace.backend.spi.ObjectContent#body}. */
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
     * Pieces of memory and of files: {@link io.netty.buffer.ByteBuf}s and {@link io.netty.channel.FileRegion}s. Subscribed to
     * once, or given up; the subscriber owns the pieces.
     *
     * @param giveUp frees what is behind it
     */
    public record CachedContent(long length, Flux<ReferenceCounted> pieces, Runnable giveUp) implements Body {
        @Override
        public void discard() {
            giveUp.run();
        }
    }

    /**
     * Pieces whose number nobody knows beforehand, sent as chunks. The subscriber owns each.
     */
    public record Chunked(Flux<ByteBuf> pieces) implements Body {
        @Override
        public long length() {
            return -1;
        }
    }

    /** A small body that is here already, in memory that the answer owns until it is sent. */
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

    /** An answer without a body. */
    public static S3Response empty(int status, HeaderList headers) {
        return new S3Response(status, headers, new NoBody(0));
    }

    /** An XML document. */
    public static S3Response xml(int status, HeaderList headers, ByteBuffer document) {
        return new S3Response(status, headers.with("content-type", "application/xml"), new Bytes(document));
    }

    /** The same without its body, as a HEAD is answered. Pieces on their way are given up by whoever made them. */
    public S3Response headOnly() {
        return new S3Response(status, headers, new NoBody(body.length()));
    }
}
