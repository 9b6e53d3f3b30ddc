package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What goes wrong in a body. */
final class BodyFaults {
    private BodyFaults() {}

    static ObjectContent of(Fault fault, ObjectContent content) {
        return new ObjectContent(content.head(), content.range(), body(fault, content.body()));
    }

    private static Flux<ByteBuf> body(Fault fault, Flux<ByteBuf> body) {
        if (fault instanceof Fault.All all) {
            Flux<ByteBuf> wrong = body;
            for (Fault one : all.faults()) {
                wrong = body(one, wrong);
            }
            return wrong;
        }
        if (fault instanceof Fault.Cut cut) {
            return ending(body, cut.at(), Kind.BROKEN_ANSWER);
        }
        if (fault instanceof Fault.Replaced replaced) {
            return ending(body, replaced.at(), Kind.VERSION_CHANGED);
        }
        if (fault instanceof Fault.EndEarly early) {
            return ending(body, early.at(), null);
        }
        if (fault instanceof Fault.TooLong more) {
            return body.concatWith(Mono.fromCallable(
                    () -> ByteBufAllocator.DEFAULT.buffer(more.by()).writeZero(more.by())));
        }
        return fault instanceof Fault.Flip flip ? flipped(body, flip.at()) : paced(fault, body);
    }

    private static Flux<ByteBuf> paced(Fault fault, Flux<ByteBuf> body) {
        if (fault instanceof Fault.DelayPieces delay) {
            return new GatedBody(body, through -> Mono.delay(delay.delay()));
        }
        if (fault instanceof Fault.StallBody stall) {
            return new GatedBody(body, through -> through < stall.at() ? Mono.empty() : stall.release());
        }
        if (fault instanceof Fault.Meanwhile meanwhile) {
            AtomicBoolean ran = new AtomicBoolean();
            return new GatedBody(
                    body,
                    through -> through < meanwhile.at() || ran.getAndSet(true)
                            ? Mono.empty()
                            : Mono.fromRunnable(meanwhile.action()));
        }
        return body;
    }

    /** The first {@code at} bytes, then this failure, or a completion if there is none. */
    private static Flux<ByteBuf> ending(Flux<ByteBuf> body, long at, @Nullable Kind kind) {
        return Flux.defer(() -> {
            long[] left = {at};
            return body.handle((piece, sink) -> {
                int kept = (int) Math.min(left[0], piece.readableBytes());
                left[0] -= kept;
                if (kept == 0) {
                    piece.release();
                } else {
                    sink.next(piece.writerIndex(piece.readerIndex() + kept));
                }
                if (left[0] > 0) {
                    return;
                }
                if (kind == null) {
                    sink.complete();
                } else {
                    sink.error(new BackendException(kind, "ended by plan behind %d bytes".formatted(at)));
                }
            });
        });
    }

    private static Flux<ByteBuf> flipped(Flux<ByteBuf> body, long at) {
        return Flux.defer(() -> {
            long[] through = {0};
            return body.doOnNext(piece -> {
                long index = at - through[0];
                if (index >= 0 && index < piece.readableBytes()) {
                    int place = piece.readerIndex() + (int) index;
                    piece.setByte(place, piece.getByte(place) ^ 1);
                }
                through[0] += piece.readableBytes();
            });
        });
    }
}
