package io.millrace.gateway.objects.scratch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.UploadMarker;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.kit.async.ImmediateMono;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** What a scratch bucket promises: whole objects or none, one winner, its time, its quota, and a restart. */
@Timeout(120)
@ExtendWith(BufferLeakExtension.class)
class ScratchBackendTest {
    private static final int MIB = 1 << 20;
    private static final int CLIENTS = 64;
    private static final int ROUNDS = 30;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

    @SuppressWarnings("NullAway.Init")
    private ScratchFixture scratch;

    @BeforeEach
    void open() throws IOException {
        scratch = ScratchFixture.in(folder);
    }

    @AfterEach
    void close() {
        scratch.close();
    }

    private void reopen(Duration ttl, String quota, InstantSource clock) throws IOException {
        scratch.close();
        scratch = ScratchFixture.in(folder, ttl, quota, clock);
    }

    @Promise("S2")
    @Test
    void ofClientsThatCreateOneWins() {
        for (int round = 0; round < ROUNDS; round++) {
            String key = "lock-%02d".formatted(round);

            int winner = onlyWinner(key, i -> new WriteCondition.IfAbsent());

            assertThat(scratch.read(key))
                    .hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(content(winner)));
            assertThat(scratch.keys()).contains(key);
        }
    }

    @Promise("S2")
    @Test
    void ofClientsThatTakeOverOneWins() {
        ETag tag = scratch.put("lock", new byte[] {1}).eTag().orElseThrow();
        for (int round = 0; round < ROUNDS; round++) {
            ETag expired = tag;

            int winner = onlyWinner("lock", i -> new WriteCondition.IfMatches(expired));

            assertThat(scratch.read("lock"))
                    .hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(content(winner)));
            tag = Objects.requireNonNull(scratch.backend()
                            .head(ReadRequest.of(ScratchFixture.ref("lock")))
                            .block(ScratchFixture.TIMEOUT))
                    .head()
                    .eTag()
                    .orElseThrow();
        }
    }

    private int onlyWinner(String key, IntFunction<WriteCondition> condition) {
        List<Integer> winners = Flux.range(0, CLIENTS)
                .flatMap(i -> attempt(key, i, condition.apply(i)), CLIENTS)
                .collectList()
                .blockOptional(ScratchFixture.TIMEOUT)
                .orElseThrow();
        assertThat(winners).hasSize(1);
        return winners.get(0);
    }

    private Mono<Integer> attempt(String key, int client, WriteCondition condition) {
        return scratch.backend()
                .put(
                        new NewObject(ScratchFixture.ref(key), HeaderList.EMPTY, condition),
                        UploadBodies.of(content(client)))
                .subscribeOn(Schedulers.boundedElastic())
                .map(written -> client)
                .onErrorResume(
                        BackendException.class,
                        failure ->
                                failure.kind() == FailureKind.PRECONDITION_FAILED ? Mono.empty() : Mono.error(failure));
    }

    private static byte[] content(int client) {
        return new GeneratedBytes("client", client).first(1000 + client);
    }

    /** Keys that exist all the time are found all the time, while they are replaced. */
    @Promise("S1")
    @Test
    void readersOfAReplacedObjectGetOneOfBothWhole() {
        scratch.put("replaced", content(0));

        List<byte[]> read = Flux.range(1, 200)
                .flatMap(
                        i -> Mono.fromCallable(() -> {
                                    if (i % 4 == 0) {
                                        scratch.put("replaced", content(i % CLIENTS));
                                    }
                                    return scratch.read("replaced").orElseThrow();
                                })
                                .subscribeOn(Schedulers.boundedElastic()),
                        16)
                .collectList()
                .blockOptional(ScratchFixture.TIMEOUT)
                .orElseThrow();

        assertThat(read).allSatisfy(bytes -> assertThat(bytes).isEqualTo(content(bytes.length - 1000)));
    }

    @Test
    void readIsAHitAndKnownAtOnce() {
        scratch.put("warm", content(1));
        CurrentObjectFinder finder = finder();

        Mono<CurrentObject> found =
                finder.find(scratch.view(), ReadRequest.of(ScratchFixture.ref("warm")), RequestCacheControl.NONE, true);

        CurrentObject.Cached cached = (CurrentObject.Cached) Objects.requireNonNull(ImmediateMono.valueOf(found));
        assertThat(cached.status(new ByteRange(0, 9)).result()).isEqualTo(CacheResult.HIT);
        assertThat(cached.isFullyResident(new ByteRange(0, 999)).block()).isTrue();
    }

    private CurrentObjectFinder finder() {
        return new CurrentObjectFinder(
                Optional.of(scratch.cache()), ObjectSourceFactory.BACKENDS, InstantSource.system());
    }

    @Test
    void fencesAndInvalidationsOfOtherBucketsLoseNothing() {
        CurrentObjectFinder finder = finder();
        FencedWrites writes = new FencedWrites(Optional.of(scratch.cache()), finder);
        BucketView bucket = scratch.view();
        scratch.put("kept", content(1));
        WriteCondition absent = new WriteCondition.IfAbsent();

        BackendException refused = catchThrowableOfType(
                BackendException.class,
                () -> writes.put(
                                bucket,
                                new NewObject(ScratchFixture.ref("kept"), HeaderList.EMPTY, absent),
                                UploadBodies.of(content(2)))
                        .block(ScratchFixture.TIMEOUT));
        writes.invalidate(bucket, ScratchFixture.ref("kept")).block(ScratchFixture.TIMEOUT);
        writes.invalidateBelow(bucket, "").block(ScratchFixture.TIMEOUT);

        assertThat(refused.kind()).isEqualTo(FailureKind.PRECONDITION_FAILED);
        assertThat(scratch.read("kept"))
                .hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(content(1)));
    }

    @Promise("S3")
    @Test
    void objectOutlivesARestartWithItsLastContent() throws IOException {
        byte[] large = GeneratedBytes.of("large").first(3 * MIB + 17);
        scratch.put("large", large);
        scratch.put("twice", content(1));
        scratch.put("twice", content(2));
        scratch.put("gone", content(3));
        scratch.backend()
                .delete(Deletion.of(ScratchFixture.ref("gone")), HeaderList.EMPTY)
                .block(ScratchFixture.TIMEOUT);

        reopen(Duration.ofHours(1), "512MiB", InstantSource.system());

        assertThat(scratch.keys()).containsExactly("large", "twice");
        assertThat(scratch.read("large"))
                .hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(large));
        assertThat(scratch.read("twice"))
                .hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(content(2)));
        assertThat(scratch.read("gone")).isEmpty();
    }

    @Promise("S4")
    @Test
    void objectIsAbsentBeyondItsTime() throws IOException {
        reopen(Duration.ofMinutes(10), "512MiB", now::get);
        scratch.put("old", content(1));
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(6)));
        scratch.put("new", content(2));
        assertThat(scratch.keys()).containsExactly("new", "old");

        now.updateAndGet(time -> time.plus(Duration.ofMinutes(6)));

        assertThat(scratch.read("old")).isEmpty();
        assertThat(scratch.read("new")).isPresent();
        assertThat(scratch.keys()).containsExactly("new");
        WriteResult again = scratch.put("old", content(3), new WriteCondition.IfAbsent());
        assertThat(again.eTag()).isPresent();
        assertThat(scratch.read("old"))
                .hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(content(3)));
    }

    private MultipartUpload createUpload(String key) {
        return Objects.requireNonNull(scratch.backend()
                        .createUpload(new NewObject(ScratchFixture.ref(key), HeaderList.EMPTY, WriteCondition.ALWAYS))
                        .block(ScratchFixture.TIMEOUT))
                .upload();
    }

    private UploadPage uploads(String keyMarker, String uploadIdMarker) {
        return Objects.requireNonNull(scratch.backend()
                .listUploads(new ListUploadsRequest(ScratchFixture.BUCKET, "", "", keyMarker, uploadIdMarker, 1000))
                .block(ScratchFixture.TIMEOUT));
    }

    @Test
    void listsRemoveWhatIsBeyondItsTime() throws IOException {
        reopen(Duration.ofMinutes(10), "512MiB", now::get);
        scratch.put("old", content(1));
        MultipartUpload upload = createUpload("parts");
        scratch.backend()
                .putPart(upload, 1, HeaderList.EMPTY, UploadBodies.of(content(2)))
                .block(ScratchFixture.TIMEOUT);
        assertThat(scratch.entries()).isEqualTo(3);
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(11)));

        Polling.until("no entry is left", () -> {
            assertThat(scratch.keys()).isEmpty();
            assertThat(uploads("", "").uploads()).isEmpty();
            return scratch.entries() == 0;
        });
    }

    @Test
    void manyUploadsAreListedInPages() {
        List<MultipartUpload> begun = IntStream.range(0, 1100)
                .mapToObj(i -> createUpload("upload-%04d".formatted(i / 2)))
                .toList();

        UploadPage first = uploads("", "");
        UploadMarker next = first.next().orElseThrow();
        UploadPage rest = uploads(next.key(), next.uploadId());

        assertThat(first.uploads()).hasSize(1000);
        assertThat(rest.next()).isEmpty();
        assertThat(Stream.concat(first.uploads().stream(), rest.uploads().stream())
                        .map(listed -> listed.upload()))
                .containsExactlyInAnyOrderElementsOf(begun);
    }

    private List<CompletedPart> onePart(MultipartUpload upload, byte[] bytes) {
        return scratch.backend()
                .putPart(upload, 1, HeaderList.EMPTY, UploadBodies.of(bytes))
                .map(part -> List.of(new CompletedPart(part.number(), part.eTag(), HeaderList.EMPTY)))
                .blockOptional(ScratchFixture.TIMEOUT)
                .orElseThrow();
    }

    private Mono<WriteResult> complete(MultipartUpload upload, List<CompletedPart> parts) {
        return scratch.backend().completeUpload(upload, parts, HeaderList.EMPTY, new WriteCondition.IfAbsent());
    }

    /** A client repeats a completion whose answer it has lost, also one that the gateway did not outlive. */
    @Test
    void completionIsRepeatedAsLongAsItsObjectIsThere() throws IOException {
        MultipartUpload upload = createUpload("repeated");
        List<CompletedPart> parts = onePart(upload, content(1));
        WriteResult first = Objects.requireNonNull(complete(upload, parts).block(ScratchFixture.TIMEOUT));

        reopen(Duration.ofHours(1), "512MiB", InstantSource.system());
        WriteResult again = Objects.requireNonNull(complete(upload, parts).block(ScratchFixture.TIMEOUT));
        scratch.put("repeated", content(2));
        BackendException late = catchThrowableOfType(
                BackendException.class, () -> complete(upload, parts).block(ScratchFixture.TIMEOUT));

        assertThat(again).isEqualTo(first);
        assertThat(late.kind()).isEqualTo(FailureKind.NO_SUCH_UPLOAD);
        assertThat(scratch.read("repeated"))
                .hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(content(2)));
    }

    @Test
    void completionsOfOneUploadAtOnceHaveOneResult() {
        MultipartUpload upload = createUpload("at-once");
        List<CompletedPart> parts = onePart(upload, content(3));

        List<WriteResult> results = Flux.range(0, 8)
                .flatMap(i -> complete(upload, parts).subscribeOn(Schedulers.boundedElastic()), 8)
                .collectList()
                .blockOptional(ScratchFixture.TIMEOUT)
                .orElseThrow();

        assertThat(results).hasSize(8).containsOnly(results.get(0));
        assertThat(scratch.read("at-once"))
                .hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(content(3)));
    }

    @Test
    void abandonedUploadEndsWithItsTime() throws IOException {
        reopen(Duration.ofMinutes(10), "512MiB", now::get);
        MultipartUpload upload = createUpload("abandoned");
        List<CompletedPart> parts = onePart(upload, content(1));
        now.updateAndGet(time -> time.plus(Duration.ofMinutes(11)));

        BackendException part = catchThrowableOfType(BackendException.class, () -> onePart(upload, content(2)));
        BackendException completion = catchThrowableOfType(
                BackendException.class, () -> complete(upload, parts).block(ScratchFixture.TIMEOUT));

        assertThat(part.kind()).isEqualTo(FailureKind.NO_SUCH_UPLOAD);
        assertThat(completion.kind()).isEqualTo(FailureKind.NO_SUCH_UPLOAD);
        assertThat(scratch.keys()).isEmpty();
    }

    @Test
    void cancelledPartLosesNoPiece() {
        MultipartUpload upload = createUpload("left");
        Sinks.Many<ByteBuf> client = Sinks.many().unicast().onBackpressureBuffer();
        ByteBuf piece = ByteBufAllocator.DEFAULT.buffer(10).writeZero(10);

        scratch.backend()
                .putPart(upload, 1, HeaderList.EMPTY, UploadBody.of(20, client.asFlux()))
                .subscribe()
                .dispose();
        client.tryEmitNext(piece).orThrow();
        client.tryEmitError(new IllegalStateException("the client has left")).orThrow();

        Polling.until("the piece is released", () -> piece.refCnt() == 0);
        assertThat(scratch.entries()).isEqualTo(1);
    }

    @Promise("S1")
    @Test
    void objectThatHasLostABlockIsAbsent() {
        scratch.put("broken", GeneratedBytes.of("broken").first(3 * MIB));
        scratch.put("whole", GeneratedBytes.of("whole").first(3 * MIB));
        ObjectMetadata broken = Objects.requireNonNull(
                scratch.cache().reader().find(scratch.id("broken")).block(ScratchFixture.TIMEOUT));

        scratch.cache().inventory().removeBlock(broken, 1);

        assertThat(scratch.read("broken")).isEmpty();
        assertThat(scratch.keys()).containsExactly("whole");
        scratch.put("broken", content(1), new WriteCondition.IfAbsent());
        assertThat(scratch.read("broken")).isPresent();
    }

    @Promise("S5")
    @Test
    void quotaHoldsAndWhatIsFoundIsWhole() throws IOException {
        reopen(Duration.ofHours(1), "64MiB", InstantSource.system());
        int objects = 100;
        for (int i = 0; i < objects; i++) {
            scratch.put("key-%03d".formatted(i), GeneratedBytes.of("key-" + i).first(2 * MIB));
        }

        assertThat(scratch.used()).isBetween(32L * MIB, 128L * MIB);
        List<String> keys = scratch.keys();
        assertThat(keys).hasSizeBetween(8, 64).contains("key-%03d".formatted(objects - 1));
        List<Integer> found = IntStream.range(0, objects)
                .filter(i -> scratch.read("key-%03d".formatted(i))
                        .filter(bytes -> {
                            assertThat(bytes)
                                    .isEqualTo(GeneratedBytes.of("key-" + i).first(2 * MIB));
                            return true;
                        })
                        .isPresent())
                .boxed()
                .toList();
        assertThat(found).hasSameSizeAs(keys);
    }

    /** The quota removes blocks, each of another object: what is left of these would be three quarters of it. */
    @Promise("S5")
    @Test
    void restsOfObjectsLeaveRoomForWholeOnes() throws IOException {
        reopen(Duration.ofHours(1), "128MiB", InstantSource.system());
        AtomicInteger written = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            putLarge(written.getAndIncrement());
        }

        // Of 32 that have room. Nobody waits for the removal of rests.
        Polling.until("half of it are whole objects", () -> {
            putLarge(written.getAndIncrement());
            return scratch.keys().size() > 14;
        });
        Polling.until("rests have no entries", () -> {
            scratch.put("more", GeneratedBytes.of("more").first(2 * MIB));
            return scratch.entries() <= 32;
        });
    }

    private void putLarge(int number) {
        scratch.put(
                "key-%03d".formatted(number), GeneratedBytes.of("key-" + number).first(4 * MIB));
    }

    @Test
    void objectThatIsLargerThanTheQuotaIsRefusedBeforeOthersLeave() throws IOException {
        reopen(Duration.ofHours(1), "64MiB", InstantSource.system());
        scratch.put("there", content(1));

        BackendException refused = catchThrowableOfType(
                BackendException.class,
                () -> scratch.put("large", GeneratedBytes.of("large").first(80 * MIB)));

        assertThat(refused.s3Error().map(S3Error::code)).contains("EntityTooLarge");
        assertThat(scratch.keys()).containsExactly("there");
        assertThat(scratch.used()).isEqualTo(content(1).length);
    }

    @Test
    void listWithADelimiterSkipsWhatItHasShown() {
        for (int i = 0; i < 1500; i++) {
            scratch.put("a/%04d".formatted(i), new byte[] {1});
        }
        scratch.put("b/1", new byte[] {1});
        scratch.put("c", new byte[] {1});

        ListPage first = list(new PageStart.FirstKey(), 1);
        ListPage rest = list(first.next().orElseThrow(), 10);

        assertThat(first.prefixes()).containsExactly("a/");
        assertThat(rest.prefixes()).containsExactly("b/");
        assertThat(rest.objects()).extracting(found -> found.key().value()).containsExactly("c");
    }

    private ListPage list(PageStart start, int most) {
        return Objects.requireNonNull(scratch.backend()
                .listObjects(new ListRequest(ScratchFixture.BUCKET, "", "/", start, most, false))
                .block(ScratchFixture.TIMEOUT));
    }
}
