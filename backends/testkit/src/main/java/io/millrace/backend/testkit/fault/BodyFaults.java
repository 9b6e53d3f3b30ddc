package io.millrace.backend.testkit.fault;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Applies the body faults of a {@link BackendFault} to a content. */
final class BodyFaults {
    private BodyFaults() {}

    static ObjectContent of(BackendFault fault, ObjectContent content) {
        return new ObjectContent(content.head(), content.range(), body(fault, content.body()));
    }

    private static Flux<ByteBuf> body(BackendFault fault, Flux<ByteBuf> body) {
        if (fault instanceof BackendFault.AllOf all) {
            Flux<ByteBuf> wrong = body;
            for (BackendFault one : all.faults()) {
                wrong = body(one, wrong);
            }
            return wrong;
        }
        if (fault instanceof BackendFault.CutConnection cut) {
            return ending(body, cut.at(), FailureKind.INVALID_RESPONSE);
        }
        if (fault instanceof BackendFault.ReplacedObject replaced) {
            return ending(body, replaced.at(), FailureKind.VERSION_CHANGED);
        }
        if (fault instanceof BackendFault.ShortBody early) {
            return ending(body, early.at(), null);
        }
        if (fault instanceof BackendFault.LongBody more) {
            return body.concatWith(Mono.fromCallable(
                    () -> ByteBufAllocator.DEFAULT.buffer(more.by()).writeZero(more.by())));
        }
        return fault instanceof BackendFault.FlippedBit flip ? flipped(body, flip.at()) : paced(fault, body);
    }

    private static Flux<ByteBuf> paced(BackendFault fault, Flux<ByteBuf> body) {
        if (fault instanceof BackendFault.DelayedPieces delay) {
            return new GatedBody(body, through -> Mono.delay(delay.delay()));
        }
        if (fault instanceof BackendFault.StalledBody stall) {
            return new GatedBody(body, through -> through < stall.at() ? Mono.empty() : stall.release());
        }
        if (fault instanceof BackendFault.ActionDuringBody meanwhile) {
            AtomicBoolean ran = new AtomicBoolean();
            return new GatedBody(
                    body,
                    through -> through < meanwhile.at() || ran.getAndSet(true)
                            ? Mono.empty()
                            : Mono.fromRunnable(meanwhile.action()));
        }
        return body;
    }

    /** Ends the body after {@code at} bytes, with this failure or, if it is null, as if complete. */
    private static Flux<ByteBuf> ending(Flux<ByteBuf> body, long at, @Nullable FailureKind kind) {
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
