package io.millrace.gateway.objects.monitor;

import io.netty.buffer.ByteBuf;
import java.util.function.LongSupplier;
import reactor.core.publisher.Flux;

/**
 * The time for which the sender of a body has waited for its source: for a slow client, or for the limit of a job.
 * Thread-safe.
 */
final class SourceWait {
    private final LongSupplier nanoTime;
    private long wanted;
    private long since;
    private long waited;

    /** @param nanoTime as {@link System#nanoTime} */
    SourceWait(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns a body whose waits are measured: from a request until what was requested has come. */
    Flux<ByteBuf> of(Flux<ByteBuf> pieces) {
        return pieces.doOnNext(piece -> came())
                .doOnTerminate(this::ended)
                .doOnCancel(this::ended)
                .doOnRequest(this::requested);
    }

    /** Returns the nanoseconds waited so far. */
    synchronized long nanos() {
        return wanted > 0 ? waited + nanoTime.getAsLong() - since : waited;
    }

    private synchronized void requested(long more) {
        if (wanted == 0) {
            since = nanoTime.getAsLong();
        }
        wanted = wanted + more < 0 ? Long.MAX_VALUE : wanted + more;
    }

    private synchronized void came() {
        long now = nanoTime.getAsLong();
        waited += now - since;
        since = now;
        wanted = wanted == Long.MAX_VALUE ? wanted : Math.max(0, wanted - 1);
    }

    private synchronized void ended() {
        if (wanted > 0) {
            waited += nanoTime.getAsLong() - since;
        }
        wanted = 0;
    }
}
