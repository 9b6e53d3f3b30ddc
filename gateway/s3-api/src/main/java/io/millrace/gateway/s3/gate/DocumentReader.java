package io.millrace.gateway.s3.gate;

import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.WholeBody;
import io.millrace.kit.XmlParser;
import io.millrace.kit.async.SharedRoom;
import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Buffers request bodies that are needed whole, such as XML documents, within one memory limit for all clients. A
 * quarter of it is a reserve for small documents, so that those who send large ones cannot keep out everybody's small
 * ones. Thread-safe.
 */
final class DocumentReader {
    /** The initial size of a document's buffer, in bytes. */
    private static final int FIRST_PIECE = 16 << 10;

    /** The largest document, in bytes, that an event loop may parse without delaying its other connections. */
    private static final int QUICK = 64 << 10;

    /** The largest document, in bytes, that the reserve is for: a DeleteObjects of a thousand keys of usual lengths. */
    static final int SMALL = 256 << 10;

    /** The divisor of the memory limit for the reserve of small documents. */
    static final int RESERVE = 4;

    /** The divisor of the heap for the memory limit; a parsed document takes several times its bytes. */
    static final int SHARE_OF_HEAP = 32;

    /**
     * The time limit for receiving a document; without it, a client that sends one byte at a time would hold memory
     * that others need.
     */
    static final Duration LONGEST = Duration.ofSeconds(60);

    private final SharedRoom<String> small;
    private final SharedRoom<String> large;
    private final int longestSmall;
    private final Duration longest;

    /**
     * @param available the memory limit for all documents, in bytes
     * @param longestSmall the largest document that the reserve is for, in bytes
     */
    DocumentReader(long available, int longestSmall, Duration longest) {
        this.small = new SharedRoom<>(available / RESERVE);
        this.large = new SharedRoom<>(available - available / RESERVE);
        this.longestSmall = longestSmall;
        this.longest = longest;
    }

    static DocumentReader ofHeap() {
        return new DocumentReader(
                Math.max(3L * XmlParser.MAX_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP), SMALL, LONGEST);
    }

    /**
     * Reads {@code body} whole and returns the result of {@code use}. The memory counts against {@code who}, until that
     * result is there.
     *
     * @param who is accountable for the request
     */
    <T> Mono<T> with(String who, UploadBody body, Function<byte[], Mono<T>> use) {
        return Mono.using(
                () -> new Document(who),
                document ->
                        document.read(body).flatMap(DocumentReader::offTheLoop).flatMap(use),
                Document::close);
    }

    private static Mono<byte[]> offTheLoop(byte[] document) {
        Mono<byte[]> whole = Mono.just(document);
        return document.length > QUICK ? whole.publishOn(Schedulers.parallel()) : whole;
    }

    /** A document being read. Cancellation may come from another thread than the bytes. */
    private final class Document {
        private final String who;
        private SharedRoom<String> room = small;
        private int mine;
        private boolean closed;

        Document(String who) {
            this.who = who;
        }

        Mono<byte[]> read(UploadBody body) {
            return WholeBody.read(
                    body.pieces(),
                    (int) Math.min(body.length(), FIRST_PIECE),
                    (held, more) -> take(more),
                    longest,
                    () -> new S3Exception(S3ErrorCode.REQUEST_TIMEOUT));
        }

        private synchronized void take(int bytes) {
            if (closed) {
                return;
            }
            boolean isSmall = room == small && mine + bytes <= longestSmall;
            // The reserve may be taken by others' small documents, and the rest of the memory be free.
            if (!(isSmall && small.take(who, bytes)) && !(room == small ? moves(bytes) : large.take(who, bytes))) {
                throw new S3Exception(S3ErrorCode.SLOW_DOWN);
            }
            mine += bytes;
        }

        /**
         * Moves the document out of the reserve, and returns true; or false if there is no room for it with {@code
         * more} bytes.
         */
        private boolean moves(int more) {
            if (!large.take(who, mine + more)) {
                return false;
            }
            small.release(who, mine);
            room = large;
            return true;
        }

        synchronized void close() {
            closed = true;
            room.release(who, mine);
            mine = 0;
        }
    }
}
