package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.RequestForwarder.StreamingForwardResponse;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.kit.async.SharedRoom;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Lets calls of a backend begin whose bodies go as fast as a client does, within {@link ClientStreams}. One beyond a
 * share waits for a moment, in which a short one usually ends and a silent one gives way. Thread-safe.
 */
final class StreamAdmission {
    /** The most streams that wait to begin. Nobody has more of them than are left; further ones are refused at once. */
    static final int MAX_WAITING = 2048;

    /** The pause between two tries to begin, and their number: longer than a silent client keeps its stream. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final int TRIES = 50;

    private final String backend;
    private final ResilienceStats stats;
    private final LongSupplier nanoTime;
    private final Scheduler scheduler;
    private final ClientStreams uploads;
    private final List<ClientStreams> ofReads;
    private final List<ClientStreams> ofUploads;
    private final SharedRoom<Object> waiting = new SharedRoom<>(MAX_WAITING);

    /**
     * @param streams bounds all
     * @param uploads bounds uploads further, because each holds a place of the concurrency limit too
     */
    StreamAdmission(
            String backend,
            ClientStreams streams,
            ClientStreams uploads,
            ResilienceStats stats,
            LongSupplier nanoTime,
            Scheduler scheduler) {
        this.backend = backend;
        this.stats = stats;
        this.nanoTime = nanoTime;
        this.scheduler = scheduler;
        this.uploads = uploads;
        this.ofReads = List.of(streams);
        this.ofUploads = List.of(uploads, streams);
    }

    /** Returns a read that begins within the bounds, and holds them until its body has ended. */
    Mono<ObjectContent> read(Mono<ObjectContent> read) {
        return streaming(
                read,
                (content, body) -> content.length() == 0
                        ? content
                        : new ObjectContent(content.head(), content.range(), body.apply(content.body())));
    }

    /** Returns a forwarded read that begins within the bounds, and holds them until its body has ended. */
    Mono<StreamingForwardResponse> forwardRead(Mono<StreamingForwardResponse> read) {
        return streaming(
                read,
                (response, body) -> response.length().orElse(-1) == 0
                        ? response
                        : new StreamingForwardResponse(
                                response.status(), response.headers(), response.length(), body.apply(response.body())));
    }

    /** @param withBody returns the response with a body that it replaces; without one, it returns the response */
    private <T> Mono<T> streaming(Mono<T> read, BiFunction<T, UnaryOperator<Flux<ByteBuf>>, T> withBody) {
        return Mono.deferContextual(context -> {
            Party party = TierRequest.from(context).party();
            if (!party.isPaced()) {
                return read.map(response -> withBody.apply(response, this::passedOn));
            }
            ClientStream stream = stream(party, ofReads);
            AtomicBoolean isHandedOver = new AtomicBoolean();
            return begun(stream)
                    .then(read)
                    .map(response -> withBody.apply(response, body -> {
                        isHandedOver.set(true);
                        return stream.taken(body);
                    }))
                    .doFinally(end -> {
                        if (!isHandedOver.get()) {
                            stream.close();
                        }
                    });
        });
    }

    /**
     * Returns a body that the cache asked for, which counts if a client reads it because the cache does not take it.
     */
    private Flux<ByteBuf> passedOn(Flux<ByteBuf> body) {
        return Flux.deferContextual(context -> {
            Party party = TierRequest.from(context).party();
            if (!party.isPaced()) {
                return body;
            }
            ClientStream stream = stream(party, ofReads);
            return stream.enter() ? stream.taken(body) : ClientStream.refused(body, this::refusal);
        });
    }

    /** Returns a write that begins within the bounds, and holds them until its response. */
    <T> Mono<T> write(UploadBody body, Function<UploadBody, Mono<T>> write) {
        return Mono.deferContextual(context -> {
            Party party = TierRequest.from(context).party();
            if (!party.isPaced()) {
                return write.apply(body);
            }
            ClientStream stream = stream(party, ofUploads);
            UploadBody sent = new UploadBody(body.length(), stream.sent(body.pieces()), body.trailer());
            return begun(stream).then(Mono.defer(() -> write.apply(sent))).doFinally(end -> stream.close());
        });
    }

    /** Has a stalled upload give way to one of this party that has begun, and waits for a place of the limit. */
    void uploadWaits(Party party) {
        uploads.makeWay(party);
    }

    private ClientStream stream(Party party, List<ClientStreams> bounds) {
        return new ClientStream(party, bounds, nanoTime, () -> RequestRefusedException.gaveWay(backend));
    }

    /** Completes when the stream may begin; fails if that is not soon, or if too many wait already. */
    private Mono<Void> begun(ClientStream stream) {
        return Mono.defer(() -> {
            if (stream.enter()) {
                return Mono.empty();
            }
            Object who = stream.party().group();
            return waiting.take(who, 1)
                    ? begunLater(stream, TRIES - 1).doFinally(end -> waiting.release(who, 1))
                    : Mono.error(refusal());
        });
    }

    private Mono<Void> begunLater(ClientStream stream, int tries) {
        return Mono.delay(PAUSE, scheduler).then(Mono.defer(() -> {
            if (stream.enter()) {
                return Mono.empty();
            }
            return tries == 1 ? Mono.error(refusal()) : begunLater(stream, tries - 1);
        }));
    }

    private BackendException refusal() {
        stats.refusals.increment();
        return RequestRefusedException.beyondShare(backend);
    }
}
