package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
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
import io.netty.buffer.Unpooled;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** An object source with computed bytes that records its requests and responds on its own threads. */
final class ComputedObjectSource implements ObjectSource {
    private static final int PIECE = 32 << 10;

    private final String name;
    private final long size;
    private final AtomicLong seed = new AtomicLong();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicLong sent = new AtomicLong();

    ComputedObjectSource(String name, long size) {
        this.name = name;
        this.size = size;
    }

    /** From now on it has other bytes. */
    void replace() {
        seed.incrementAndGet();
    }

    /** Returns the requests: GET, GET with a range, HEAD. */
    List<String> asked() {
        return asked;
    }

    /** Bytes that were handed over. */
    long sent() {
        return sent.get();
    }

    byte[] bytes(ByteRange range) {
        return new GeneratedBytes(name, seed.get()).slice(range.first(), (int) range.length());
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        return Mono.fromCallable(() -> {
                    if (!(selection instanceof ByteSelection.RangeSelection range)) {
                        asked.add("GET");
                        Optional<ByteRange> all =
                                size == 0 ? Optional.empty() : Optional.of(new ByteRange(0, size - 1));
                        return new ObjectContent(
                                objectHead(),
                                Optional.empty(),
                                all.map(this::body).orElse(Flux.empty()));
                    }
                    ByteRange wanted = range.spec()
                            .resolve(size)
                            .orElseThrow(
                                    () -> new BackendException(BackendException.FailureKind.INVALID_RANGE, "beyond"));
                    asked.add("GET " + wanted.first() + "-" + wanted.last());
                    return new ObjectContent(objectHead(), Optional.of(wanted), body(wanted));
                })
                .subscribeOn(Schedulers.parallel());
    }

    @Override
    public Mono<HeadResult> head() {
        return Mono.fromCallable(() -> {
                    asked.add("HEAD");
                    return new HeadResult(objectHead(), Optional.empty());
                })
                .subscribeOn(Schedulers.parallel());
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        return Flux.defer(() -> {
                    asked.add("GET " + range.first() + "-" + range.last());
                    if (!version.equals(objectHead().version())) {
                        return Flux.error(
                                new BackendException(BackendException.FailureKind.VERSION_CHANGED, "another"));
                    }
                    return body(range);
                })
                .subscribeOn(Schedulers.parallel());
    }

    private Flux<ByteBuf> body(ByteRange range) {
        GeneratedBytes bytes = new GeneratedBytes(name, seed.get());
        return Flux.<ByteBuf, Long>generate(range::first, (at, sink) -> {
                    int length = (int) Math.min(PIECE, range.last() - at + 1);
                    if (length == 0) {
                        sink.complete();
                        return at;
                    }
                    sent.addAndGet(length);
                    sink.next(Unpooled.wrappedBuffer(bytes.slice(at, length)));
                    return at + length;
                })
                .publishOn(Schedulers.parallel(), 2);
    }

    private ObjectHead objectHead() {
        ETag tag = ETag.strong("v" + seed);
        return new ObjectHead(
                ObjectVersion.ofETag(Optional.of(tag), size, Optional.empty()),
                Optional.of(tag),
                Optional.of(Instant.ofEpochSecond(1_700_000_000)),
                HeaderList.EMPTY.with("content-type", "text/x-test"));
    }
}
