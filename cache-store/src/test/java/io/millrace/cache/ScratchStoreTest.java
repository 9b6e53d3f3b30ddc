package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.cache.disk.HangingDisk;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.publisher.TestPublisher;

/** Objects that are in the cache alone are written whole or not at all, in little memory, and leave nothing behind. */
@Timeout(120)
@ExtendWith(BufferLeakExtension.class)
class ScratchStoreTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private TestCache cache;

    /** Accepts what is there, as a write without a condition. */
    private static void accept(Optional<ObjectMetadata> there) {}

    @BeforeEach
    void open() {
        cache = new TestCache(folder, "16MiB", "512MiB");
    }

    @AfterEach
    void close() {
        cache.close();
    }

    private ScratchStore store() {
        return cache.cache().scratch();
    }

    private Mono<ObjectMetadata> write(String key, String tag, int size, Flux<ByteBuf> body) {
        Optional<ETag> own = Optional.of(ETag.strong(tag));
        ObjectHead head = new ObjectHead(
                ObjectVersion.ofETag(own, size, Optional.empty()), own, Optional.empty(), HeaderList.EMPTY);
        return store().write(TestCache.id(key), head, 1, Party.GATEWAY, body);
    }

    private Mono<Void> put(String key, String tag, byte[] bytes) {
        return write(key, tag, bytes.length, UploadBodies.pieces(bytes, bytes.length))
                .flatMap(written -> store().publish(written, ScratchStoreTest::accept));
    }

    private byte[] read(String key) {
        ObjectMetadata found =
                Objects.requireNonNull(store().find(TestCache.id(key)).block(TIMEOUT));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        cache.cache()
                .reader()
                .readBuffers(
                        found,
                        new ByteRange(0, found.size() - 1),
                        ScratchStore.source(found.head(), Party.GATEWAY),
                        Optional.empty())
                .doOnNext(piece -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                .blockLast(TIMEOUT);
        return bytes.toByteArray();
    }

    @Test
    void manyWritesShareLittleMemory() {
        int objects = 40;
        int size = (2 << 20) + 7;
        Flux.range(0, objects)
                .flatMap(
                        i -> put(
                                "key-" + i,
                                "tag-" + i,
                                GeneratedBytes.of("key-" + i).first(size)),
                        objects)
                .blockLast(TIMEOUT);

        for (int i = 0; i < objects; i++) {
            assertThat(read("key-" + i)).isEqualTo(GeneratedBytes.of("key-" + i).first(size));
        }
        cache.awaitIdle();
    }

    @Test
    void bodyThatFailsLeavesNothing() {
        int size = 1 << 20;
        byte[] bytes = GeneratedBytes.of("failing").first(size);
        Flux<ByteBuf> failing =
                UploadBodies.pieces(bytes, 700_000).concatWith(Flux.error(new IllegalStateException("on purpose")));

        assertThatThrownBy(() -> write("failing", "tag", size, failing).block(TIMEOUT))
                .hasMessageContaining("on purpose");

        Polling.until(
                "no block is left", () -> cache.cache().administration().stats().records() == 0);
        cache.awaitIdle();
        assertThat(store().find(TestCache.id("failing")).blockOptional(TIMEOUT)).isEmpty();
    }

    @Test
    void bodyOfAnotherLengthLeavesNothing() {
        byte[] bytes = GeneratedBytes.of("longer").first(600_000);

        for (int announced : new int[] {599_999, 600_001}) {
            assertThatThrownBy(() -> write("longer", "tag", announced, UploadBodies.pieces(bytes, bytes.length))
                            .block(TIMEOUT))
                    .hasMessageContaining("bytes announced");
        }

        Polling.until(
                "no block is left", () -> cache.cache().administration().stats().records() == 0);
        cache.awaitIdle();
    }

    @Test
    void bufferDuringCancelIsReleased() {
        // Cancelled too late: it is handing on a buffer already.
        TestPublisher<ByteBuf> body = TestPublisher.createNoncompliant(TestPublisher.Violation.DEFER_CANCELLATION);
        ByteBuf late = Unpooled.copiedBuffer(new byte[] {1, 2, 3}).retain();

        write("left", "tag", 3, body.flux()).subscribe().dispose();
        body.next(late);

        body.assertWasCancelled();
        assertThat(late.refCnt()).isEqualTo(1);
        late.release();
        cache.awaitIdle();
    }

    @Test
    void refusedPublicationChangesNothing() {
        put("there", "first", GeneratedBytes.of("first").first(1000)).block(TIMEOUT);
        ObjectMetadata other = Objects.requireNonNull(write(
                        "there",
                        "second",
                        1000,
                        UploadBodies.pieces(GeneratedBytes.of("second").first(1000), 1000))
                .block(TIMEOUT));

        assertThatThrownBy(() -> store().publish(other, there -> {
                            assertThat(there).isPresent();
                            throw new BackendException(FailureKind.PRECONDITION_FAILED, "it is there");
                        })
                        .block(TIMEOUT))
                .hasMessageContaining("it is there");

        assertThat(read("there")).isEqualTo(GeneratedBytes.of("first").first(1000));
        assertThat(store().isWhole(other)).isFalse();
    }

    @Test
    void versionsThatAreRemovedLaterLeaveThoseInTheirPlace() {
        put("kept", "first", GeneratedBytes.of("first").first(1000)).block(TIMEOUT);
        put("gone", "only", GeneratedBytes.of("only").first(1000)).block(TIMEOUT);
        List<ObjectMetadata> found = Flux.just("kept", "gone")
                .concatMap(key -> store().find(TestCache.id(key)))
                .collectList()
                .blockOptional(TIMEOUT)
                .orElseThrow();
        put("kept", "second", GeneratedBytes.of("second").first(1000)).block(TIMEOUT);

        store().removeSoon(found);

        Polling.until(
                "the other one is gone",
                () -> store().find(TestCache.id("gone")).blockOptional(TIMEOUT).isEmpty());
        assertThat(read("kept")).isEqualTo(GeneratedBytes.of("second").first(1000));
    }

    /** It has more blocks than are looked for at once. */
    @Test
    void objectOfManyBlocksIsSeenByTheCheck() {
        int blocks = 1100;
        Flux<ByteBuf> zeros = Flux.range(0, blocks)
                .map(i -> PooledByteBufAllocator.DEFAULT.buffer(TestCache.BLOCK).writeZero(TestCache.BLOCK));
        write("large", "tag", blocks * TestCache.BLOCK, zeros)
                .flatMap(written -> store().publish(written, ScratchStoreTest::accept))
                .block(TIMEOUT);

        assertThatThrownBy(() -> store().remove(TestCache.id("large"), there -> {
                            assertThat(there).isPresent();
                            throw new BackendException(FailureKind.PRECONDITION_FAILED, "it is there");
                        })
                        .block(TIMEOUT))
                .hasMessageContaining("it is there");
        store().remove(TestCache.id("large"), ScratchStoreTest::accept).block(TIMEOUT);

        assertThat(store().find(TestCache.id("large")).blockOptional(TIMEOUT)).isEmpty();
    }

    /** Its blocks are found again when the disk responds. */
    @Test
    void objectOnADiskThatHangsIsNotBroken() {
        put("kept", "tag", GeneratedBytes.of("kept").first(1000)).block(TIMEOUT);
        ObjectMetadata kept =
                Objects.requireNonNull(store().find(TestCache.id("kept")).block(TIMEOUT));

        try (HangingDisk unused = HangingDisk.of(cache.cache(), 0)) {
            Polling.until("the disk is bypassed", () -> !store().isWhole(kept));
            assertThat(store().isBroken(kept).block(TIMEOUT)).isFalse();
        }
        Polling.until("the disk is used again", () -> store().isWhole(kept));

        cache.cache().inventory().removeBlock(kept, 0);
        Polling.until(
                "it is broken", () -> Boolean.TRUE.equals(store().isBroken(kept).block(TIMEOUT)));
    }

    @Test
    void removedObjectIsGoneAndEmptyOnesAreThere() {
        put("empty", "tag", new byte[0]).block(TIMEOUT);
        put("gone", "tag", GeneratedBytes.of("gone").first(10)).block(TIMEOUT);

        store().remove(TestCache.id("gone"), ScratchStoreTest::accept).block(TIMEOUT);
        store().remove(TestCache.id("never"), ScratchStoreTest::accept).block(TIMEOUT);

        assertThat(store().find(TestCache.id("empty")).blockOptional(TIMEOUT)).isPresent();
        assertThat(store().find(TestCache.id("gone")).blockOptional(TIMEOUT)).isEmpty();
    }
}
