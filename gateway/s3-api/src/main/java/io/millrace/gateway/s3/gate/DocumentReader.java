package io.millrace.gateway.s3.gate;

import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.xml.XmlParser;
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
 * Documents in the bodies of requests, which are needed whole. All of them together hold a bounded number of bytes, however many
 * clients send some slowly. Safe for use by any number of threads.
 */
final class DocumentReader {
    /** Bytes that are there for a document before any has come. */
    private static final int FIRST_PIECE = 16 << 10;

    /** Bytes whose parsing takes less than what an event loop's other connections would notice. */
    private static final int SMALL = 64 << 10;

    /** A document that is parsed takes several times its bytes. */
    private static final int SHARE_OF_HEAP = 32;

    /** A document that has not come by then is no longer waited for: whoever sends it a byte at a time would keep others out. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final long room;
    private final Duration longest;
    private final AtomicLong held = new AtomicLong();

    /** By who sends them: nobody has more than half of the room. */
    private final Map<String, Long> heldBy = new ConcurrentHashMap<>();

    /**
     * @param room bytes for all of them
     */
    DocumentReader(long room, Duration longest) {
        this.room = room;
        this.longest = longest;
    }

    static DocumentReader ofHeap() {
        return new DocumentReader(
                Math.max(3L * XmlParser.MAX_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP), LONGEST);
    }

    /** What {@code use} makes of all of {@code body}, which {@code who} sends. */
    <T> Mono<T> with(String who, UploadBody body, Function<byte[], Mono<T>> use) {
        return Mono.using(
                () -> new Document(who),
                document ->
                        document.read(body).flatMap(DocumentReader::offTheLoop).flatMap(use),
                Document::close);
    }

    private static Mono<byte[]> offTheLoop(byte[] document) {
        Mono<byte[]> whole = Mono.just(document);
        return document.length > SMALL ? whole.publishOn(Schedulers.parallel()) : whole;
    }

    /** One of them. Whoever cancels does so on another thread than the one that reads. */
    private final class Document {
        private final String who;
        private long mine;
        private boolean closed;

        Document(String who) {
            this.who = who;
        }

        Mono<byte[]> read(UploadBody body) {
            return body.pieces()
                    // No more than has come: what is announced may never come.
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
            boolean full = held.addAndGet(bytes) > room;
            boolean greedy = heldBy.merge(who, (long) bytes, Long::sum) > room / 2;
            if (full || greedy) {
                throw new S3Exception(S3ErrorCode.SLOW_DOWN);
            }
        }

        synchronized void close() {
            closed = true;
            held.addAndGet(-mine);
            heldBy.merge(who, -mine, Long::sum);
            mine = 0;
        }
    }
}
