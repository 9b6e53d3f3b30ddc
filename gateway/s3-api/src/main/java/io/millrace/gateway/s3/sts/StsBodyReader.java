package io.millrace.gateway.s3.sts;

import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.WholeBody;
import io.millrace.gateway.s3.sts.StsException.Code;
import io.millrace.kit.async.SharedRoom;
import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * Reads the bodies of requests to STS, each of a bounded size and within a bounded time, all within an amount of memory
 * of which no client's network has more than is left to others. A body that comes slowly holds nothing else.
 * Thread-safe.
 */
final class StsBodyReader {
    static final int MOST_BYTES = 32 << 10;
    static final Duration LONGEST = Duration.ofSeconds(10);

    /** What a body counts that has no byte yet. */
    private static final int OVERHEAD = 1 << 10;

    private final SharedRoom<Long> memory;

    /** @param bytes the memory for all bodies */
    StsBodyReader(long bytes) {
        memory = new SharedRoom<>(bytes);
    }

    Mono<byte[]> read(S3Request request) {
        if (request.body().announcedLength() > MOST_BYTES) {
            return Mono.error(StsBodyReader::tooLong);
        }
        return Mono.using(
                () -> new ReceivedBody(request.source().network()), body -> body.read(request), ReceivedBody::close);
    }

    /** A body that is being read. Cancellation may come from another thread than the bytes. */
    private final class ReceivedBody {
        private final long network;
        private int mine;
        private boolean closed;

        ReceivedBody(long network) {
            this.network = network;
        }

        Mono<byte[]> read(S3Request request) {
            return Mono.defer(() -> {
                take(OVERHEAD);
                return WholeBody.read(
                        request.body().content(),
                        OVERHEAD,
                        this::take,
                        LONGEST,
                        () -> new StsException(Code.VALIDATION_ERROR, "The body took too long."));
            });
        }

        private void take(int held, int more) {
            if (held + more > MOST_BYTES) {
                throw tooLong();
            }
            take(more);
        }

        private synchronized void take(int bytes) {
            if (closed) {
                return;
            }
            if (!memory.take(network, bytes)) {
                throw StsException.throttled();
            }
            mine += bytes;
        }

        synchronized void close() {
            closed = true;
            memory.release(network, mine);
            mine = 0;
        }
    }

    private static StsException tooLong() {
        return new StsException(Code.VALIDATION_ERROR, "The body is longer than %d bytes.".formatted(MOST_BYTES));
    }
}
