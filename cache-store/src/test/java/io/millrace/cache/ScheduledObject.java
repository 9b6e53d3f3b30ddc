package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * An object at a backend whose requests take effect, and are answered, when a schedule says so. Contents are numbered
 * in the order in which writes took effect; 0 is absence, as is the number of every delete.
 */
final class ScheduledObject implements ObjectSource {
    private static final int PIECE = 32 << 10;

    private final String key;
    private final Consumer<Runnable> later;

    /** The size of each content, -1 where there is none. */
    private final List<Long> contents = new ArrayList<>(List.of(-1L));

    /**
     * @param later runs a step at some time, on some thread
     */
    ScheduledObject(String key, Consumer<Runnable> later) {
        this.key = key;
        this.later = later;
    }

    String key() {
        return key;
    }

    /** A write of so many bytes, or a delete if that is negative; answered with its number. */
    Mono<Integer> write(long size) {
        return request(() -> effect(size));
    }

    private synchronized int effect(long size) {
        contents.add(size);
        return contents.size() - 1;
    }

    /** The number of what is there now. */
    synchronized int now() {
        return contents.size() - 1;
    }

    synchronized boolean isThere(int number) {
        return contents.get(number) >= 0;
    }

    synchronized long size(int number) {
        return contents.get(number);
    }

    /** The bytes of a content. */
    byte[] bytes(int number) {
        return new GeneratedBytes(key, number).slice(0, (int) size(number));
    }

    /** The number of the content with this tag. */
    static int numberOf(ObjectHead head) {
        return Integer.parseInt(head.eTag().orElseThrow().opaque());
    }

    static ETag tag(int number) {
        return ETag.strong(Integer.toString(number));
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        return request(() -> {
            ObjectHead head = headNow();
            int number = numberOf(head);
            return new ObjectContent(head, Optional.empty(), body(number, 0, size(number)));
        });
    }

    @Override
    public Mono<HeadResult> head() {
        return request(() -> new HeadResult(headNow(), Optional.empty()));
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        return request(() -> {
                    ObjectHead head;
                    try {
                        head = headNow();
                    } catch (BackendException gone) {
                        throw new BackendException(FailureKind.VERSION_CHANGED, "deleted");
                    }
                    if (!head.version().equals(version)) {
                        throw new BackendException(FailureKind.VERSION_CHANGED, "another");
                    }
                    return numberOf(head);
                })
                .flatMapMany(number -> body(number, range.first(), range.last() + 1));
    }

    private synchronized ObjectHead headNow() {
        int number = now();
        if (!isThere(number)) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "nothing there");
        }
        Optional<ETag> tag = Optional.of(tag(number));
        return new ObjectHead(
                ObjectVersion.ofETag(tag, size(number), Optional.empty()), tag, Optional.empty(), HeaderList.EMPTY);
    }

    /** Takes effect later, and is answered later than that. */
    private <T> Mono<T> request(Supplier<T> effect) {
        return Mono.defer(() -> {
            Sinks.One<T> response = Sinks.one();
            later.accept(() -> {
                try {
                    T result = effect.get();
                    later.accept(() -> response.tryEmitValue(result));
                } catch (BackendException refused) {
                    later.accept(() -> response.tryEmitError(refused));
                }
            });
            return response.asMono();
        });
    }

    private Flux<ByteBuf> body(int number, long first, long end) {
        Sinks.Empty<Void> gate = Sinks.empty();
        return Mono.fromRunnable(() -> later.accept(gate::tryEmitEmpty))
                .then(gate.asMono())
                .thenMany(Flux.generate(() -> first, (at, sink) -> {
                    int length = (int) Math.min(PIECE, end - at);
                    if (length == 0) {
                        sink.complete();
                        return at;
                    }
                    sink.next(PooledByteBufAllocator.DEFAULT
                            .directBuffer(length)
                            .writeBytes(new GeneratedBytes(key, number).slice(at, length)));
                    return at + length;
                }));
    }
}
