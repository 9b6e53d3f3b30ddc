package io.millrace.cache.metadata;

import static io.millrace.cache.metadata.MetadataFixture.below;
import static io.millrace.cache.metadata.MetadataFixture.id;
import static io.millrace.cache.metadata.MetadataFixture.metadata;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/**
 * A stall of RocksDB's writes delays no publication and no read, and a write or an invalidation for its deadline at
 * most. Each stall lasts until the test ends it: what waits for its end fails by the timeout.
 */
@Timeout(300)
class MetadataWriteStallTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final List<Long> raised = new CopyOnWriteArrayList<>();
    private volatile boolean recordsNothing;
    private MetadataStore store;
    private MetadataCache cache;

    @BeforeEach
    void open() throws Exception {
        open(1);
        publish(metadata("a", 7));
        publish(metadata("b", 7));
        restart(2);
    }

    private void open(long run) throws IOException {
        long staleAtStart = raised.stream().mapToLong(Long::longValue).max().orElse(0);
        StaleEpoch epochs = new StaleEpoch(StaleEpoch.first(run), staleAtStart, stale -> {
            if (recordsNothing) {
                throw new IOException("no disk takes it");
            }
            raised.add(stale);
        });
        store = MetadataFixture.open(folder, run, epochs);
        cache = new MetadataCache(
                store,
                epochs,
                new MetadataMaintenance(store, DataSize.parse("1GiB").bytes(), metadata -> true));
    }

    private void restart(long run) throws IOException {
        cache.close();
        open(run);
    }

    @AfterEach
    void close() throws IOException {
        cache.close();
    }

    private void publish(ObjectMetadata metadata) {
        assertThat(cache.publish(metadata, cache.writeEpoch(metadata.id()))).isTrue();
    }

    /** Runs an action on a thread that must not block, as an event loop. */
    private static void onEventLoop(Runnable action) {
        Mono.fromRunnable(action).subscribeOn(Schedulers.parallel()).block();
    }

    @Test
    void publicationsNeverWaitEvenIfTheirQueueIsFull() throws Exception {
        try (MetadataStoreFault unused = MetadataStoreFault.stalling(store)) {
            // More than the queues of publications and of deletions have room for.
            onEventLoop(() -> {
                for (int i = 0; i < MetadataWriter.MOST_WAITING + 15_000; i++) {
                    publish(metadata("a" + i, i));
                }
            });
            publish(metadata("a", 8));
            // Deletions that had no room have raised the stale epoch.
            StepVerifier.create(cache.find(id("b")))
                    .expectNextMatches(ObjectMetadata::mustRevalidate)
                    .verifyComplete();
        }
        restart(3);
        // Its publication came when the queue was full.
        ObjectMetadata later = cache.find(id("a")).block(DEADLINE);
        assertThat(later == null || later.mustRevalidate()).isTrue();
    }

    @Test
    void lastPublicationIsStoredAfterTheStall() throws Exception {
        try (MetadataStoreFault unused = MetadataStoreFault.stalling(store)) {
            onEventLoop(() -> publish(metadata("a", 8)));
            onEventLoop(() -> publish(metadata("a", 9)));
            assertThat(store.get(id("a"))).contains(metadata("a", 7));
            StepVerifier.create(cache.find(id("a")))
                    .expectNext(metadata("a", 9))
                    .verifyComplete();
        }
        // A close waits for some seconds only.
        Polling.until("it is stored", () -> store.get(id("a")).equals(Optional.of(metadata("a", 9))));
        restart(3);
        StepVerifier.create(cache.find(id("a"))).expectNext(metadata("a", 9)).verifyComplete();
        assertThat(raised).isEmpty();
    }

    @Test
    void storedEntriesAreReadDuringAStall() throws Exception {
        try (MetadataStoreFault unused = MetadataStoreFault.stalling(store)) {
            StepVerifier.create(cache.find(id("a")))
                    .expectNext(metadata("a", 7))
                    .verifyComplete();
            StepVerifier.create(cache.find(id("c"))).verifyComplete();
            assertThat(cache.list(below(""), Optional.empty(), 10).block(DEADLINE))
                    .hasSize(2);
        }
    }

    @Test
    void writesRaiseTheEpochInsteadOfWaiting() throws Exception {
        try (MetadataStoreFault unused = MetadataStoreFault.stalling(store)) {
            // More writes than threads that delete.
            List<Mono<Void>> writes = IntStream.range(0, 20)
                    .mapToObj(i -> cache.beginWrite(id("a")))
                    .toList();
            StepVerifier.create(Mono.when(writes).then(cache.beginWrite(id("a"))))
                    .expectComplete()
                    .verify(DEADLINE);
            assertThat(raised).isNotEmpty();
            assertThat(store.get(id("a")).orElseThrow().mustRevalidate()).isTrue();
        }
    }

    @Test
    void writesAreRefusedIfTheEpochCannotBeRecorded() throws Exception {
        recordsNothing = true;
        try (MetadataStoreFault unused = MetadataStoreFault.stalling(store)) {
            StepVerifier.create(cache.beginWrite(id("a")))
                    .expectError(IOException.class)
                    .verify(DEADLINE);
        }
    }

    @Test
    void prefixInvalidationRaisesTheEpochInsteadOfWaiting() throws Exception {
        try (MetadataStoreFault unused = MetadataStoreFault.stalling(store)) {
            StepVerifier.create(cache.invalidate(below(""))).expectComplete().verify(DEADLINE);
            assertThat(raised).hasSize(1);
            StepVerifier.create(cache.find(id("a")))
                    .expectNextMatches(ObjectMetadata::mustRevalidate)
                    .verifyComplete();
        }
    }
}
