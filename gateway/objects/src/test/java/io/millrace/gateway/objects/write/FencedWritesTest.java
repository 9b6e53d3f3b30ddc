package io.millrace.gateway.objects.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketSettings.WriteMode;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.KeyPattern;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ListResult;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.objects.testkit.CacheCorruption;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** What is fenced while a write runs, until when, and what of it is cached. */
@ExtendWith(BufferLeakExtension.class)
class FencedWritesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final byte[] BYTES = "written".getBytes(StandardCharsets.UTF_8);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final InMemoryBackend memory =
            new InMemoryBackend(Set.of(Capability.WRITE)).createBucket(new BucketName("bucket"));
    private final List<String> reads = new CopyOnWriteArrayList<>();

    /** What comes of a write whose body was read, instead of an object; empty for objects. */
    private Optional<Mono<WriteResult>> instead = Optional.empty();

    private final Set<Capability> more = EnumSet.noneOf(Capability.class);
    private final PassingBackend backend = new PassingBackend(memory) {
        @Override
        public Mono<HeadResult> head(ReadRequest request) {
            return super.head(request).doFirst(() -> reads.add("HEAD"));
        }

        @Override
        public Mono<ObjectContent> open(ReadRequest request) {
            return super.open(request).doFirst(() -> reads.add("GET"));
        }

        /** Without headers, which it does not know. */
        @Override
        public Mono<WriteResult> put(NewObject written, UploadBody body) {
            return instead.map(end -> body.pieces().doOnNext(ByteBuf::release).then(end))
                    .orElseGet(() ->
                            memory.put(new NewObject(written.object(), HeaderList.EMPTY, written.condition()), body));
        }

        @Override
        public Set<Capability> capabilities() {
            Set<Capability> all = EnumSet.copyOf(inner.capabilities());
            all.addAll(more);
            return all;
        }
    };
    private final BucketView bucket = BucketViews.of("bucket", backend, "bucket", "");
    private final ObjectRef object = ref("key");
    private final ObjectId id = ObjectId.current("backend", object);

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private CurrentObjectFinder finder;

    @SuppressWarnings("NullAway.Init")
    private FencedWrites writes;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        finder = new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
        writes = new FencedWrites(Optional.of(cache), finder);
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void writtenObjectIsCachedFromItsBody() {
        WriteResult written = put(object, HeaderList.EMPTY);

        assertThat(written.eTag()).isPresent();
        awaitResident();
        assertThat(reads).as("what it became is asked for, its bytes are not").containsExactly("HEAD");
    }

    @Test
    void bodyIsNotCachedWhereItMustNotBe() {
        put(object, HeaderList.EMPTY.with("x-amz-server-side-encryption-customer-algorithm", "AES256"));
        FencedWrites uncached = new FencedWrites(
                Optional.empty(),
                new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, InstantSource.system()));

        assertThat(uncached.put(bucket, newObject(object, HeaderList.EMPTY), UploadBodies.of(BYTES))
                        .block(TIMEOUT))
                .isNotNull();
        CacheRule never = new CacheRule(KeyPattern.parse("*"), false, Optional.empty(), Optional.empty());
        for (BucketView other : List.of(
                BucketViews.writing(bucket, WriteMode.INVALIDATE),
                BucketViews.of("bucket", backend, "bucket", "", List.of(never), BucketViews.FRESHNESS))) {
            assertThat(writes.put(other, newObject(object, HeaderList.EMPTY), UploadBodies.of(BYTES))
                            .block(TIMEOUT))
                    .isNotNull();
        }

        Polling.holdsFor(Duration.ofMillis(50), reads::isEmpty);
        assertThat(metadata()).isEmpty();
    }

    @Test
    void failedPutKeepsNothing() {
        memory.store(object, BYTES, HeaderList.EMPTY);
        NewObject absent = new NewObject(object, HeaderList.EMPTY, new WriteCondition.IfAbsent());

        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> writes.put(bucket, absent, UploadBodies.of(BYTES)).block(TIMEOUT));

        assertThat(failure.kind()).isEqualTo(FailureKind.PRECONDITION_FAILED);
        assertThat(isBeingWritten()).isFalse();
        assertThat(reads).isEmpty();
    }

    /** After {@link CacheableWriteBuffer#TIMEOUT} it would be let go anyway. */
    @Test
    void bodyIsLetGoAtOnceIfItIsNotCached() {
        BackendException lost = new BackendException(FailureKind.UNAVAILABLE, "lost");
        WriteResult untagged = new WriteResult(Optional.empty(), HeaderList.EMPTY, Optional.empty());
        ByteBuf piece = Unpooled.wrappedBuffer(BYTES);
        for (Mono<WriteResult> end : List.of(Mono.<WriteResult>error(lost), Mono.just(untagged))) {
            AtomicInteger held = new AtomicInteger();
            instead = Optional.of(end.doOnSubscribe(read -> held.set(piece.refCnt())));

            writes.put(bucket, newObject(object, HeaderList.EMPTY), repeated(piece, 1))
                    .onErrorComplete()
                    .block(TIMEOUT);

            assertThat(held).as("while it is written").hasValue(2);
            assertThat(piece.refCnt()).isEqualTo(1);
        }
        piece.release();
    }

    /** The cache refuses a body of which the backend tells another tag. */
    @Test
    void memoryOfABodyIsFreeForOthersAfterItsFill() {
        memory.store(object, BYTES, HeaderList.EMPTY);
        WriteResult other = new WriteResult(Optional.of(ETag.strong("other")), HeaderList.EMPTY, Optional.empty());
        ByteBuf piece = Unpooled.wrappedBuffer(new byte[1 << 20]);
        AtomicInteger held = new AtomicInteger();
        instead = Optional.of(Mono.just(other).doOnSubscribe(read -> held.set(piece.refCnt())));
        NewObject written = newObject(object, HeaderList.EMPTY);

        // Two fit.
        for (int i = 0; i < 3; i++) {
            Polling.until("there is room for it", () -> {
                writes.put(bucket, written, repeated(piece, (int) (CacheableWriteBufferBudget.MAX_BODY_BYTES >> 20)))
                        .block(TIMEOUT);
                return held.get() > 1;
            });
            Polling.until("it is let go", () -> piece.refCnt() == 1);
        }
        piece.release();
    }

    private static UploadBody repeated(ByteBuf piece, int times) {
        return UploadBody.of(
                (long) piece.readableBytes() * times, Flux.range(0, times).map(index -> piece.retainedDuplicate()));
    }

    @Test
    void objectIsFencedFromTheRequestToTheResponse() {
        cacheMetadata();
        Sinks.One<String> response = Sinks.one();
        List<String> results = new CopyOnWriteArrayList<>();
        AtomicBoolean fencedWhenSent = new AtomicBoolean();
        Mono<String> write = Mono.defer(() -> {
            fencedWhenSent.set(isBeingWritten());
            return response.asMono();
        });

        Disposable client = writes.fenced(bucket, object, write).subscribe(results::add);
        Polling.until("it is sent", fencedWhenSent::get);
        assertThat(metadata()).isEmpty();
        assertThat(isBeingWritten()).isTrue();
        response.tryEmitValue("done");

        Polling.until("it has ended", () -> !isBeingWritten());
        assertThat(results).containsExactly("done");
        client.dispose();
    }

    @Test
    void writeGoesOnWithoutItsClient() {
        Sinks.One<String> response = Sinks.one();
        AtomicBoolean sent = new AtomicBoolean();
        Disposable client = writes.fenced(bucket, object, Mono.defer(() -> {
                    sent.set(true);
                    return response.asMono();
                }))
                .subscribe();
        Polling.until("it is sent", sent::get);

        client.dispose();
        assertThat(response.currentSubscriberCount()).isEqualTo(1);
        response.tryEmitValue("done");

        Polling.until("it has ended", () -> !isBeingWritten());
    }

    /** Those whose outcome nobody has told may still take effect. */
    @ParameterizedTest
    @EnumSource(FailureKind.class)
    void onlyATellingFailureEndsTheFence(FailureKind kind) {
        boolean mayTakeEffect = switch (kind) {
            case UNAVAILABLE, CREDENTIALS_UNAVAILABLE, INVALID_RESPONSE, THROTTLED, UNEXPECTED, BUSY -> true;
            default -> false;
        };

        fail(new BackendException(kind, "no"));

        assertThat(isBeingWritten()).isEqualTo(mayTakeEffect);
    }

    @Test
    void requestThatWasNotSentEndsTheFence() {
        fail(new BackendException(FailureKind.BUSY, "no").asUnprocessed());

        assertThat(isBeingWritten()).isFalse();
    }

    @Test
    void failureOfTheBodyEndsTheFence() {
        fail(new IllegalStateException("the client has gone"));

        assertThat(isBeingWritten()).isFalse();
    }

    @Test
    void writeInvalidatesTheVersionAndTheAlias() {
        more.add(Capability.VERSIONS);
        more.add(Capability.PATH_ALIASES);
        ObjectRef doubled = ref("a//b");
        Sinks.One<String> response = Sinks.one();

        Disposable plain = writes.fenced(bucket, doubled, response.asMono()).subscribe();
        Disposable version = writes.fenced(bucket, object, Optional.of("v7"), response.asMono())
                .subscribe();

        List<ObjectId> fenced = new ArrayList<>();
        for (ObjectRef written : List.of(doubled, ref("a/b"))) {
            fenced.add(ObjectId.current("backend", written));
            fenced.add(new ObjectId("backend", written, Optional.of("null")));
        }
        fenced.add(id);
        fenced.add(new ObjectId("backend", object, Optional.of("v7")));
        for (ObjectId each : fenced) {
            Polling.until("it is fenced: " + each, () -> cache.writeFence().isBeingWritten(each));
        }
        assertThat(cache.writeFence().isBeingWritten(new ObjectId("backend", object, Optional.of("null"))))
                .isFalse();
        response.tryEmitValue("done");
        for (ObjectId each : fenced) {
            Polling.until("it has ended: " + each, () -> !cache.writeFence().isBeingWritten(each));
        }
        plain.dispose();
        version.dispose();
    }

    @Test
    void withoutVersionsThereIsNoNullVersion() {
        Disposable write = writes.fenced(bucket, object, Mono.never()).subscribe();

        Polling.until("it is fenced", this::isBeingWritten);
        assertThat(cache.writeFence().isBeingWritten(new ObjectId("backend", object, Optional.of("null"))))
                .isFalse();
        write.dispose();
    }

    @Test
    void eachDeletionEndsByItsOwnOutcome() {
        List<Deletion> deletions = List.of(deletion("gone"), deletion("refused"), deletion("unknown"));
        DeleteResult result = new DeleteResult(HeaderList.EMPTY);
        List<DeleteOutcome> outcomes = List.of(
                new DeleteOutcome(deletions.get(0), result, Optional.empty()),
                new DeleteOutcome(
                        deletions.get(1), result, Optional.of(new BackendException(FailureKind.ACCESS_DENIED, "403"))),
                new DeleteOutcome(
                        deletions.get(2), result, Optional.of(new BackendException(FailureKind.UNAVAILABLE, "503"))));
        AtomicInteger fenced = new AtomicInteger();

        assertThat(writes.fenced(bucket, deletions, Mono.fromSupplier(() -> {
                            fenced.set((int) deletions.stream()
                                    .filter(each -> isBeingWritten(each.object()))
                                    .count());
                            return outcomes;
                        }))
                        .block(TIMEOUT))
                .isEqualTo(outcomes);

        assertThat(fenced).as("before they were sent").hasValue(3);
        assertThat(isBeingWritten(ref("gone"))).isFalse();
        assertThat(isBeingWritten(ref("refused"))).isFalse();
        assertThat(isBeingWritten(ref("unknown"))).isTrue();
    }

    @Test
    void deletionsThatFailTogetherEndTogether() {
        List<Deletion> denied = List.of(deletion("a"), deletion("b"));
        List<Deletion> unanswered = List.of(deletion("c"));

        fail(writes.fenced(bucket, denied, Mono.error(new BackendException(FailureKind.ACCESS_DENIED, "403"))));
        fail(writes.fenced(bucket, unanswered, Mono.error(new BackendException(FailureKind.UNAVAILABLE, "503"))));

        assertThat(isBeingWritten(ref("a"))).isFalse();
        assertThat(isBeingWritten(ref("b"))).isFalse();
        assertThat(isBeingWritten(ref("c"))).isTrue();
    }

    @Test
    void invalidationMakesTheNextReadAsk() {
        cacheMetadata();
        assertThat(metadata()).isPresent();

        writes.invalidate(bucket, object).block(TIMEOUT);

        assertThat(metadata()).isEmpty();
        assertThat(isBeingWritten()).isFalse();
    }

    @Test
    void invalidationOfAVersionIsOfTheObjectToo() {
        memory.store(object, BYTES, HeaderList.EMPTY);
        cacheMetadata();

        writes.invalidate(bucket, object, Optional.of("v7")).block(TIMEOUT);

        assertThat(metadata()).isEmpty();
    }

    @Test
    void prefixIsInvalidatedWithItsAlias() {
        more.add(Capability.PATH_ALIASES);
        memory.store(ref("a/b/key"), BYTES, HeaderList.EMPTY);
        memory.store(ref("other"), BYTES, HeaderList.EMPTY);
        ObjectId below = ObjectId.current("backend", ref("a/b/key"));
        ObjectId beside = ObjectId.current("backend", ref("other"));
        cacheMetadata(ref("a/b/key"));
        cacheMetadata(ref("other"));

        writes.invalidateBelow(bucket, "a//b/").block(TIMEOUT);

        assertThat(isUsable(below)).isFalse();
        assertThat(isUsable(beside)).isTrue();
    }

    /** Whatever becomes of the write. */
    @Test
    void writeOfABucketInvalidatesItBeforeAndAfter() {
        cacheMetadata();
        List<Boolean> usable = new ArrayList<>();
        Mono<String> write = Mono.fromSupplier(() -> {
                    usable.add(isUsable(id));
                    cacheMetadata();
                    usable.add(isUsable(id));
                    return "done";
                })
                .subscribeOn(Schedulers.boundedElastic());

        assertThat(writes.fencedBucket(bucket, write).block(TIMEOUT)).isEqualTo("done");
        assertThat(usable).containsExactly(false, true);
        assertThat(isUsable(id)).isFalse();

        cacheMetadata();
        BackendException denied = new BackendException(FailureKind.ACCESS_DENIED, "403");
        Throwable failure = catchThrowableOfType(
                BackendException.class,
                () -> writes.fencedBucket(bucket, write.then(Mono.error(denied)))
                        .block(TIMEOUT));
        assertThat(failure).isSameAs(denied);
        assertThat(isUsable(id)).isFalse();
    }

    /** After a crash, metadata from before it would be used. */
    @Test
    void writeThatCannotBeRecordedIsNotSent() throws Exception {
        AtomicInteger sent = new AtomicInteger();
        Mono<String> write = Mono.fromSupplier(() -> "sent " + sent.incrementAndGet());
        Mono<List<DeleteOutcome>> deletion = Mono.fromSupplier(() -> {
            sent.incrementAndGet();
            return List.of();
        });

        try (CacheCorruption unused = CacheCorruption.of(cache, folder)) {
            for (Mono<?> refused : List.of(
                    writes.fenced(bucket, object, write),
                    writes.fencedBucket(bucket, write),
                    writes.fenced(bucket, List.of(Deletion.of(object)), deletion))) {
                S3Exception failure = catchThrowableOfType(S3Exception.class, () -> refused.block(TIMEOUT));
                assertThat(failure.code()).isEqualTo("ServiceUnavailable");
            }
            Throwable failure = catchThrowableOfType(
                    Exception.class, () -> writes.invalidate(bucket, object).block(TIMEOUT));
            assertThat(Exceptions.unwrap(failure))
                    .as("the caller learns that it does not hold after a restart")
                    .isInstanceOf(IOException.class);
        }

        assertThat(sent).hasValue(0);
        assertThat(isBeingWritten()).as("nothing was sent").isFalse();
    }

    @Test
    void writesOfEveryKindInvalidateListings() {
        Duration minute = Duration.ofSeconds(60);
        FreshnessSettings freshness =
                new FreshnessSettings(FreshnessSettings.Mode.TTL, minute, minute, minute, Duration.ZERO, Duration.ZERO);
        BucketView listed = BucketViews.of("bucket", backend, "bucket", "", List.of(), freshness);
        List<Mono<?>> changes = List.of(
                writes.fenced(listed, object, Mono.just("done")),
                writes.bucketChange(listed, Mono.just("done")),
                writes.fencedBucket(listed, Mono.just("done")),
                writes.invalidateBelow(listed, ""));
        for (Mono<?> change : changes) {
            listing(listed);
            assertThat(listing(listed)).isEqualTo(CacheResult.HIT);

            change.block(TIMEOUT);

            assertThat(listing(listed)).isEqualTo(CacheResult.MISS);
        }
    }

    private WriteResult put(ObjectRef target, HeaderList headers) {
        return writes.put(bucket, newObject(target, headers), UploadBodies.of(BYTES))
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    /** Fails the write of the object, and waits for the end. */
    private void fail(Exception failure) {
        fail(writes.fenced(bucket, object, Mono.error(failure)));
    }

    private static void fail(Mono<?> write) {
        assertThat(write.materialize().block(TIMEOUT)).matches(Signal::isOnError);
    }

    private void cacheMetadata() {
        memory.store(object, BYTES, HeaderList.EMPTY);
        cacheMetadata(object);
    }

    private void cacheMetadata(ObjectRef of) {
        finder.find(bucket, ReadRequest.of(of), RequestCacheControl.NONE, false).block(TIMEOUT);
    }

    private Optional<ObjectMetadata> metadata() {
        return cache.reader().find(id).blockOptional();
    }

    private boolean isUsable(ObjectId of) {
        return cache.reader()
                .find(of)
                .map(found -> !found.mustRevalidate())
                .blockOptional()
                .orElse(false);
    }

    private CacheResult listing(BucketView of) {
        ListRequest all = new ListRequest(BUCKET, "", "", new ListRequest.PageStart.FirstKey(), 10, false);
        return finder.list(of, all, RequestCacheControl.NONE)
                .blockOptional(TIMEOUT)
                .flatMap(ListResult::status)
                .orElseThrow()
                .result();
    }

    private void awaitResident() {
        ByteRange all = new ByteRange(0, BYTES.length - 1);
        Polling.until(
                "its bytes are on a disk",
                () -> cache.reader()
                        .find(id)
                        .flatMap(found -> cache.reader().isFullyResident(found, all))
                        .blockOptional()
                        .orElse(false));
    }

    private boolean isBeingWritten() {
        return isBeingWritten(object);
    }

    private boolean isBeingWritten(ObjectRef of) {
        return cache.writeFence().isBeingWritten(ObjectId.current("backend", of));
    }

    private static Deletion deletion(String key) {
        return Deletion.of(ref(key));
    }

    private static NewObject newObject(ObjectRef target, HeaderList headers) {
        return new NewObject(target, headers, WriteCondition.ALWAYS);
    }

    private static ObjectRef ref(String key) {
        return new ObjectRef(BUCKET, new ObjectKey(key));
    }
}
