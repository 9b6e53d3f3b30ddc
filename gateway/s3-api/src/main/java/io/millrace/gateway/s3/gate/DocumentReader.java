package io.millrace.gateway.s3.gate;

import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.kit.xml.XmlParser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Buffers request bodies that are needed whole, such as XML documents, within one memory limit for all clients.
 * Thread-safe.
 */
final class DocumentReader {
    /** The initial size of a document's buffer, in bytes. */
    private static final int FIRST_PIECE = 16 << 10;

    /** The largest document, in bytes, that an event loop may parse without delaying its other connections. */
    private static final int SMALL = 64 << 10;

    /** The divisor of the heap for the memory limit; a parsed document takes several times its bytes. */
    private static final int SHARE_OF_HEAP = 32;

    /**
     * The time limit for receiving a document; without it, a client that sends one byte at a time would hold memory
     * that others need.
     */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final long available;
    private final Duration longest;
    private final AtomicLong held = new AtomicLong();

    /** The bytes held per principal; each may hold at most half of the room. */
    private final Map<String, Long> heldBy = new ConcurrentHashMap<>();

    /** @param available the memory limit for all documents, in bytes */
    DocumentReader(long available, Duration longest) {
        this.available = available;
        this.longest = longest;
    }

    static DocumentReader ofHeap() {
        return new DocumentReader(
                Math.max(3L * XmlParser.MAX_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP), LONGEST);
    }

    /**
     * Reads {@code body} whole and returns the result of {@code use}. The memory counts against
     * {@code principal}.
     */
    <T> Mono<T> with(String principal, UploadBody body, Function<byte[], Mono<T>> use) {
        return Mono.using(
                () -> new Document(principal),
                document ->
                        document.read(body).flatMap(DocumentReader::offTheLoop).flatMap(use),
                Document::close);
    }

    private static Mono<byte[]> offTheLoop(byte[] document) {
        Mono<byte[]> whole = Mono.just(document);
        return document.length > SMALL ? whole.publishOn(Schedulers.parallel()) : whole;
    }

    /** A document being read. Cancellation may come from another thread than the bytes. */
    private final class Document {
        private final String principal;
        private long mine;
        private boolean closed;

        Document(String principal) {
            this.principal = principal;
        }

        Mono<byte[]> read(UploadBody body) {
            return body.pieces()
                    // Grows with the bytes received: a client may announce more than it sends.
                    .reduceWith(() -> Unpooled.buffer((int) Math.min(body.length(), FIRST_PIECE)), this::append)
                    .map(ByteBufUtil::getBytes)
                    .timeout(longest, Mono.error(() -> new S3Exception(S3ErrorCode.REQUEST_TIMEOUT)));
        }

        private ByteBuf append(ByteBuf all, ByteBuf piece) {
            try {
                take(piece.readableBytes());
                return all.writeBytes(piece);
            } finally {
                piece.release();
            }
        }

        private synchronized void take(int bytes) {
            if (closed) {
                return;
            }
            mine += bytes;
            boolean full = held.addAndGet(bytes) > available;
            boolean overHalf = heldBy.merge(principal, (long) bytes, Long::sum) > available / 2;
            if (full || overHalf) {
                throw new S3Exception(S3ErrorCode.SLOW_DOWN);
            }
        }

        synchronized void close() {
            closed = true;
            held.addAndGet(-mine);
            heldBy.merge(principal, -mine, Long::sum);
            mine = 0;
        }
    }
}
