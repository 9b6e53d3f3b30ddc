package io.millrace.gateway.s3.protocol;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.read.CacheStatus;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.nio.ByteBuffer;
import java.util.Optional;
import reactor.core.publisher.Flux;

/**
 * The response to an S3 request, before it is written to a socket.
 *
 * @param headers all headers but {@code Content-Length}, {@code Cache-Status} and those that every response has
 * @param cacheStatus empty if it was made before a cache or a backend was involved
 */
public record S3Response(int status, HeaderList headers, Body body, Optional<CacheStatus> cacheStatus) {
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
    public record Chunked(Flux<ByteBuf> pieces, Runnable giveUp) implements Body {
        @Override
        public void discard() {
            giveUp.run();
        }

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

    /** A response without a cache status. */
    public S3Response(int status, HeaderList headers, Body body) {
        this(status, headers, body, Optional.empty());
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
        return new S3Response(status, headers, new NoBody(body.length()), cacheStatus);
    }

    /** Returns this response with other headers. */
    public S3Response withHeaders(HeaderList others) {
        return new S3Response(status, others, body, cacheStatus);
    }

    /** Returns this response with a cache status. */
    public S3Response withCacheStatus(CacheStatus of) {
        return new S3Response(status, headers, body, Optional.of(of));
    }

    /** Returns this response with the status of a request that bypassed the cache, unless it has one. */
    public S3Response orBypass() {
        return cacheStatus.isPresent() ? this : withCacheStatus(CacheStatus.BYPASS);
    }
}
