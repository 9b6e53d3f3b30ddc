package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A backend on which every key is an object of computed bytes; the number after the last slash of the key is its size.
 * It counts requests, lists only the key that equals the prefix of a listing, and can be set to be slow, to cut or
 * refuse responses, to replace an object, and to return other metadata by HEAD.
 */
public final class ComputedBackend implements Backend {
    private static final int PIECE = 32 << 10;

    /** Bytes of each part of an object but the last. */
    static final long PART = 2 << 20;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicInteger refusals = new AtomicInteger();
    private final ConcurrentMap<String, Long> seeds = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, HeaderList> fields = new ConcurrentHashMap<>();
    private volatile OptionalLong cutAt = OptionalLong.empty();
    private volatile boolean cutOnce;
    private volatile OptionalLong stallAt = OptionalLong.empty();
    private volatile Duration pause = Duration.ZERO;
    private volatile boolean weak;

    /** Returns the requests in order: GET, GET with its range, HEAD; and the key. */
    List<String> asked() {
        return asked;
    }

    long gets() {
        return asked.stream().filter(line -> line.startsWith("GET")).count();
    }

    /** Bytes of bodies that were handed over. */
    long sent() {
        return sent.get();
    }

    /** From now on this key has other bytes and another tag. */
    void replace(String key) {
        seeds.merge(key, 1L, Long::sum);
    }

    /** From now on this is told of a key besides, whole or in part; checksums to those who want them. */
    void tell(String key, HeaderList told) {
        fields.put(key, told);
    }

    /** From now on tags are weak, so that no version can be pinned. */
    void weaken() {
        weak = true;
    }

    /** The next requests for an object are answered 503. */
    void refuse(int requests) {
        refusals.set(requests);
    }

    /** The next body that reaches this byte of its object breaks off there. */
    void cutOnceAt(long position) {
        cutOnce = true;
        cutAt = OptionalLong.of(position);
    }

    /** Each body breaks off at this byte. */
    void cutAlwaysAt(long position) {
        cutOnce = false;
        cutAt = OptionalLong.of(position);
    }

    /** Bodies go no further than this byte, and do not end. */
    void stallAt(long position) {
        stallAt = OptionalLong.of(position);
    }

    /** Between two pieces of 32 KiB. */
    void pause(Duration between) {
        pause = between;
    }

    byte[] bytes(String key, long first, int length) {
        return content(key).slice(first, length);
    }

    static long size(String key) {
        return Long.parseLong(key.substring(key.lastIndexOf('/') + 1));
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return Mono.fromCallable(() -> {
                    String key = request.object().key().value();
                    Optional<ByteRange> part = part(request, size(key));
                    asked.add("HEAD " + part.map(r -> "part ").orElse("") + key);
                    refuseIfToldSo();
                    requirePin(request, objectHead(key));
                    return new HeadResult(told(request), part);
                })
                .subscribeOn(Schedulers.parallel());
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return Mono.fromCallable(() -> content(request)).subscribeOn(Schedulers.parallel());
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        ObjectKey key = new ObjectKey(request.prefix());
        ObjectHead head = objectHead(key.value());
        ListPage.ListedObject entry = new ListPage.ListedObject(
                key,
                head.size(),
                head.eTag(),
                head.lastModified().orElseThrow(),
                "STANDARD",
                ListPage.ListedChecksums.NONE,
                Optional.empty());
        return Mono.just(new ListPage(List.of(entry), List.of(), Optional.empty()));
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return Mono.just(List.of());
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return Mono.just(new BucketInfo(name, Optional.empty()));
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.LIST);
    }

    @Override
    public Mono<Void> close() {
        return Mono.empty();
    }

    private ObjectContent content(ReadRequest request) {
        String key = request.object().key().value();
        long size = size(key);
        Optional<ByteRange> range = Optional.empty();
        if (request.selection() instanceof ByteSelection.RangeSelection wanted) {
            range = wanted.spec().resolve(size);
            if (range.isEmpty()) {
                throw new BackendException(FailureKind.INVALID_RANGE, "beyond the end").withObjectSize(size);
            }
        }
        asked.add("GET " + range.map(r -> r.first() + "-" + r.last() + " ").orElse("") + key);
        refuseIfToldSo();
        ObjectHead head = objectHead(key);
        requirePin(request, head);
        Flux<ByteBuf> body = size == 0 ? Flux.empty() : body(key, range.orElse(new ByteRange(0, size - 1)));
        return new ObjectContent(head, range, body);
    }

    private static void requirePin(ReadRequest request, ObjectHead head) {
        if (request.requiredVersion().filter(pin -> !pin.equals(head.version())).isPresent()) {
            throw new BackendException(FailureKind.VERSION_CHANGED, "another version by now");
        }
    }

    private static Optional<ByteRange> part(ReadRequest request, long size) {
        return request.selection() instanceof ByteSelection.PartSelection part
                ? Optional.of(new ByteRange((part.number() - 1) * PART, Math.min(size, part.number() * PART) - 1))
                : Optional.empty();
    }

    private void refuseIfToldSo() {
        if (refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            throw new BackendException(FailureKind.UNAVAILABLE, "told to refuse");
        }
    }

    private Flux<ByteBuf> body(String key, ByteRange range) {
        GeneratedBytes content = content(key);
        Flux<ByteBuf> pieces = Flux.<ByteBuf, Long>generate(range::first, (at, sink) -> {
            if (cutAt.isPresent() && at >= cutAt.getAsLong()) {
                cutAt = cutOnce ? OptionalLong.empty() : cutAt;
                sink.error(new BackendException(FailureKind.INVALID_RESPONSE, "told to cut"));
                return at;
            }
            long end = Math.min(range.last() + 1, at + PIECE);
            if (cutAt.isPresent()) {
                end = Math.min(end, cutAt.getAsLong());
            }
            if (stallAt.isPresent() && at < stallAt.getAsLong()) {
                end = Math.min(end, stallAt.getAsLong());
            }
            if (at > range.last()) {
                sink.complete();
                return at;
            }
            int length = (int) (end - at);
            sent.addAndGet(length);
            sink.next(Unpooled.wrappedBuffer(content.slice(at, length)));
            return end;
        });
        if (stallAt.isPresent() && range.last() >= stallAt.getAsLong()) {
            pieces = pieces.take(Math.max(0, (stallAt.getAsLong() - range.first() + PIECE - 1) / PIECE))
                    .concatWith(Flux.never());
        }
        if (!pause.isZero()) {
            pieces = pieces.delayElements(pause);
        }
        return pieces.publishOn(Schedulers.parallel(), 1);
    }

    private GeneratedBytes content(String key) {
        return new GeneratedBytes(key, seeds.getOrDefault(key, 0L));
    }

    private ObjectHead told(ReadRequest request) {
        String key = request.object().key().value();
        ObjectHead head = objectHead(key);
        HeaderList told = new HeaderList(fields.getOrDefault(key, HeaderList.EMPTY).fields().stream()
                .filter(field -> request.checksums() || !field.name().startsWith("x-amz-checksum-"))
                .toList());
        return new ObjectHead(head.version(), head.eTag(), head.lastModified(), told);
    }

    private ObjectHead objectHead(String key) {
        ETag tag = new ETag("v" + seeds.getOrDefault(key, 0L), weak);
        return new ObjectHead(
                ObjectVersion.ofETag(Optional.of(tag), size(key), Optional.empty()),
                Optional.of(tag),
                Optional.of(Instant.ofEpochSecond(1_700_000_000)),
                HeaderList.EMPTY);
    }
}
