package io.millrace.cache.metadata;

import static io.millrace.cache.metadata.MetadataFixture.below;
import static io.millrace.cache.metadata.MetadataFixture.id;
import static io.millrace.cache.metadata.MetadataFixture.metadata;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.testkit.Promise;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class MetadataCacheTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final List<Long> raised = new CopyOnWriteArrayList<>();
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final AtomicInteger tries = new AtomicInteger();
    private volatile boolean recordsNothing;
    private MetadataStore store;
    private MetadataCache cache;

    @BeforeEach
    void open() throws IOException {
        open(1);
    }

    private void open(long run) throws IOException {
        long staleAtStart = raised.stream().mapToLong(Long::longValue).max().orElse(0);
        StaleEpoch epochs = new StaleEpoch(StaleEpoch.first(run), staleAtStart, stale -> {
            tries.incrementAndGet();
            if (recordsNothing) {
                pause();
                throw new IOException("nothing takes it");
            }
            raised.add(stale);
        });
        store = MetadataFixture.open(folder, run, epochs);
        cache = new MetadataCache(
                store,
                epochs,
                new MetadataMaintenance(store, DataSize.parse("1GiB").bytes(), metadata -> true));
    }

    @AfterEach
    void close() throws IOException {
        goesOn.countDown();
        cache.close();
    }

    /** The duration of the fault: long enough for all writes of a test to come meanwhile. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(500);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void publish(ObjectMetadata metadata) {
        assertThat(cache.publish(metadata, cache.writeEpoch(metadata.id()))).isTrue();
    }

    private void restart(long run) throws IOException {
        cache.close();
        open(run);
    }

    /** A write to the store that keeps everybody from changing the stored entry of an object. */
    private void hangOn(ObjectId id) throws InterruptedException {
        Thread thread = new Thread(() -> {
            try {
                store.put(metadata(id, 1), () -> {
                    hangs.countDown();
                    try {
                        goesOn.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return false;
                });
            } catch (CompactionBacklogException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        hangs.await();
    }

    @Test
    void publishedMetadataOutlastsARestart() throws IOException {
        publish(metadata("a", 7));
        StepVerifier.create(cache.find(id("a"))).expectNext(metadata("a", 7)).verifyComplete();
        restart(2);
        assertThat(cache.inMemory(id("a"))).isEmpty();
        StepVerifier.create(cache.find(id("a"))).expectNext(metadata("a", 7)).verifyComplete();
        assertThat(cache.inMemory(id("a"))).isPresent();
        assertThat(raised).isEmpty();
    }

    @Test
    void metadataPublishedInMemoryIsNotStored() throws IOException {
        publishInMemory(metadata("a", 7));
        assertThat(cache.inMemory(id("a"))).contains(metadata("a", 7));
        restart(2);
        StepVerifier.create(cache.find(id("a"))).verifyComplete();
    }

    /** Otherwise the older one would be back when memory has forgotten the newer. */
    @Test
    void metadataPublishedInMemoryReplacesAnOlderEntry() throws IOException {
        publish(metadata("a", 7));
        restart(2);
        publishInMemory(metadata("a", 8));
        restart(3);
        StepVerifier.create(cache.find(id("a"))).expectNext(metadata("a", 8)).verifyComplete();
    }

    @Test
    void metadataIsStoredWithTheFirstBlock() throws IOException {
        publishInMemory(metadata("a", 7));
        cache.storePublished(metadata("a", 7));
        restart(2);
        StepVerifier.create(cache.find(id("a"))).expectNext(metadata("a", 7)).verifyComplete();
    }

    /** In a strict bucket each read does so, also before the store has taken what goes with the first block. */
    @Test
    void metadataThatIsRevalidatedMeanwhileIsStoredToo() throws Exception {
        ObjectMetadata first = metadata("a", 7);
        publishInMemory(first);
        hangOn(id("a"));
        cache.storePublished(first);
        publishInMemory(new ObjectMetadata(
                first.id(), first.head(), first.fetchedAt() + 1000, true, false, first.version(), first.blockSize()));
        goesOn.countDown();
        restart(2);
        StepVerifier.create(cache.find(id("a"))).expectNext(first).verifyComplete();
    }

    @Test
    void blockOfAnotherVersionStoresNoMetadata() throws IOException {
        publishInMemory(metadata("a", 8));
        cache.storePublished(metadata("a", 7));
        restart(2);
        StepVerifier.create(cache.find(id("a"))).verifyComplete();
    }

    @Test
    void blockOfAnObjectThatWasInvalidatedStoresNoMetadata() throws IOException {
        publishInMemory(metadata("a", 7));
        cache.invalidate(id("a"));
        cache.storePublished(metadata("a", 7));
        restart(2);
        StepVerifier.create(cache.find(id("a"))).verifyComplete();
    }

    /** Its stripe is also that of objects that are being fetched. */
    @Test
    void replacedEntryOutdatesNoFetch() throws IOException {
        long fetched = cache.writeEpoch(id("a"));

        cache.keep(metadata("a", 7)).block(PATIENCE);
        assertThat(cache.inMemory(id("a"))).contains(metadata("a", 7));
        assertThat(cache.isCurrent(id("a"), fetched)).isTrue();
        cache.discard(id("a")).block(PATIENCE);

        assertThat(cache.inMemory(id("a"))).isEmpty();
        assertThat(cache.isCurrent(id("a"), fetched)).isTrue();
        restart(2);
        StepVerifier.create(cache.find(id("a"))).verifyComplete();
    }

    private void publishInMemory(ObjectMetadata metadata) {
        assertThat(cache.publishInMemory(metadata, cache.writeEpoch(metadata.id())))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void changeUnstoredAtCloseMakesOlderEntriesStale(boolean isDeletion) throws Exception {
        publish(metadata("a", 7));
        restart(2);
        hangOn(id("a"));
        if (isDeletion) {
            cache.invalidate(id("a"));
        } else {
            publish(metadata("a", 8));
        }
        restart(3);
        StepVerifier.create(cache.find(id("a")))
                .expectNextMatches(ObjectMetadata::mustRevalidate)
                .verifyComplete();
    }

    @Test
    void closeFailsIfNeitherPublicationNorEpochIsStored() throws Exception {
        publish(metadata("a", 7));
        restart(2);
        hangOn(id("a"));
        publish(metadata("a", 8));
        recordsNothing = true;
        assertThatThrownBy(cache::close).isInstanceOf(IOException.class);
        open(3);
    }

    @Test
    void absenceIsReportedOnTheCallersThread() {
        publish(metadata("a", 7));
        AtomicReference<Thread> reported = new AtomicReference<>();
        StepVerifier.create(cache.find(id("b")).doOnTerminate(() -> reported.set(Thread.currentThread())))
                .verifyComplete();
        assertThat(reported).hasValue(Thread.currentThread());
    }

    @Test
    void theLastOfManyPublicationsIsStored() throws IOException {
        for (int content = 1; content <= 500; content++) {
            publish(metadata("a", content));
        }
        restart(2);
        StepVerifier.create(cache.find(id("a"))).expectNext(metadata("a", 500)).verifyComplete();
    }

    @Test
    void overtakenMetadataIsNotPublished() throws IOException {
        publish(metadata("a", 7));
        long before = cache.writeEpoch(id("a"));
        StepVerifier.create(cache.beginWrite(id("a"))).expectComplete().verify(PATIENCE);
        assertThat(cache.publish(metadata("a", 8), before)).isFalse();
        assertThat(cache.publish(metadata("a", 8), cache.writeEpoch(id("a")))).isFalse();
        cache.endWrite(id("a"));
        assertThat(cache.publish(metadata("a", 8), before)).isFalse();
        restart(2);
        StepVerifier.create(cache.find(id("a"))).verifyComplete();
    }

    @Test
    void writesElsewhereDeleteWhatIsStoredOrQueued() throws IOException {
        publish(metadata("stored", 7));
        restart(2);
        publish(metadata("queued", 7));
        List<ObjectId> written = List.of(id("stored"), id("queued"), id("absent"));
        long before = cache.writeEpoch(id("absent"));

        StepVerifier.create(cache.beginWrites(written)).expectComplete().verify(PATIENCE);

        for (ObjectId id : written) {
            assertThat(store.get(id)).isEmpty();
            assertThat(cache.publish(metadata(id, 8), cache.writeEpoch(id))).isFalse();
            cache.endWrite(id);
        }
        assertThat(cache.publish(metadata("absent", 8), before)).isFalse();
        publish(metadata("absent", 9));
        restart(3);
        StepVerifier.create(cache.find(id("stored"))).verifyComplete();
        StepVerifier.create(cache.find(id("queued"))).verifyComplete();
        StepVerifier.create(cache.find(id("absent")))
                .expectNext(metadata("absent", 9))
                .verifyComplete();
    }

    @Test
    void writeWaitsForTheStoreOnlyIfThatHasTheObject() throws Exception {
        hangOn(id("a"));

        for (Mono<Void> begun : List.of(cache.beginWrite(id("a")), cache.beginWrites(List.of(id("a"))))) {
            StepVerifier.create(begun).expectComplete().verify(PATIENCE);

            assertThat(raised).isEmpty();
            cache.endWrite(id("a"));
        }
    }

    @Test
    void writesElsewhereRaiseTheEpochIfTheStoreHangs() throws Exception {
        publish(metadata("a", 7));
        restart(2);
        hangOn(id("a"));

        StepVerifier.create(cache.beginWrites(List.of(id("a"), id("b"))))
                .expectComplete()
                .verify(PATIENCE);

        assertThat(raised).hasSize(1);
        cache.endWrite(id("a"));
        cache.endWrite(id("b"));
    }

    @Test
    void invalidatedMetadataIsMissingAtOnce() throws Exception {
        publish(metadata("a", 7));
        restart(2);
        hangOn(id("a"));
        cache.invalidate(id("a"));
        StepVerifier.create(cache.find(id("a"))).expectComplete().verify(PATIENCE);
    }

    @Test
    void prefixInvalidationClearsMemoryAndStore() throws IOException {
        publish(metadata("a/1", 7));
        publish(metadata("b", 7));
        restart(2);
        publish(metadata("a/1", 7));
        long before = cache.writeEpoch(id("a/2"));
        StepVerifier.create(cache.invalidate(below("a/"))).expectComplete().verify(PATIENCE);
        assertThat(cache.inMemory(id("a/1"))).isEmpty();
        assertThat(cache.publish(metadata("a/2", 7), before)).isFalse();
        StepVerifier.create(cache.find(id("b"))).expectNext(metadata("b", 7)).verifyComplete();
        restart(3);
        StepVerifier.create(cache.find(id("a/1"))).verifyComplete();
        StepVerifier.create(cache.find(id("b"))).expectNext(metadata("b", 7)).verifyComplete();
    }

    @Test
    void writeRaisesTheEpochIfTheStoreHangs() throws Exception {
        publish(metadata("a", 7));
        restart(2);
        hangOn(id("a"));
        StepVerifier.create(cache.beginWrite(id("a"))).expectComplete().verify(PATIENCE);
        assertThat(raised).hasSize(1);
        // As a kill would leave it now.
        Path killed = folder.resolve("killed");
        MetadataStoreTest.copy(folder.resolve("store"), killed.resolve("store"));
        MetadataStoreTest.copy(folder.resolve("witness"), killed.resolve("witness"));
        StaleEpoch next = new StaleEpoch(StaleEpoch.first(3), raised.get(0), stale -> {});
        try (MetadataStore found = MetadataFixture.open(killed, 3, next)) {
            assertThat(found.get(id("a")).orElseThrow().mustRevalidate()).isTrue();
        }
        cache.endWrite(id("a"));
    }

    /** Entries that could not be deleted there are not in memory either; all others in memory are right. */
    @Test
    void raisedEpochConcernsStoredEntriesOnly() throws Exception {
        publish(metadata("a", 7));
        publish(metadata("b", 7));
        hangOn(id("a"));

        StepVerifier.create(cache.beginWrite(id("a"))).expectComplete().verify(PATIENCE);

        assertThat(raised).hasSize(1);
        assertThat(cache.inMemory(id("a"))).isEmpty();
        assertThat(cache.inMemory(id("b"))).contains(metadata("b", 7));
        cache.endWrite(id("a"));
    }

    @Test
    void refusesWritesIfTheEpochCannotBeStored() throws Exception {
        publish(metadata("a", 7));
        restart(2);
        recordsNothing = true;
        hangOn(id("a"));
        StepVerifier.create(cache.beginWrite(id("a")))
                .expectError(IOException.class)
                .verify(PATIENCE);
        cache.endWrite(id("a"));
    }

    @Test
    void manyWritesWaitForTheSameRaise() throws Exception {
        publish(metadata("a", 7));
        restart(2);
        recordsNothing = true;
        hangOn(id("a"));
        List<Mono<Void>> writes = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            writes.add(cache.beginWrite(id("a")).onErrorComplete(IOException.class));
        }

        StepVerifier.create(Mono.when(writes)).expectComplete().verify(PATIENCE);

        assertThat(tries).hasValueLessThan(10);
        writes.forEach(write -> cache.endWrite(id("a")));
    }

    @Test
    void prefixInvalidationRaisesTheEpochIfTheStoreHangs() throws Exception {
        publish(metadata("a/1", 7));
        restart(2);
        hangOn(id("a/1"));
        StepVerifier.create(cache.invalidate(below("a/"))).expectComplete().verify(PATIENCE);
        assertThat(raised).hasSize(1);
        assertThat(store.get(id("a/1")).orElseThrow().mustRevalidate()).isTrue();
    }

    @Promise("I1")
    @Test
    void publishesNothingBelowAPrefixDuringItsInvalidation() throws Exception {
        hangOn(id("a/1"));
        CountDownLatch forgotten = new CountDownLatch(1);
        cache.invalidate(below("a/")).subscribe(none -> {}, failure -> {}, forgotten::countDown);

        long during = cache.writeEpoch(id("a/2"));
        assertThat(cache.publish(metadata("a/2", 7), during)).isFalse();
        publish(metadata("b", 7));
        goesOn.countDown();
        forgotten.await();

        assertThat(cache.publish(metadata("a/2", 7), during)).isFalse();
        publish(metadata("a/2", 8));
    }

    @Test
    void unrecordedPrefixInvalidationHoldsUntilRestart() throws Exception {
        publish(metadata("a/1", 7));
        recordsNothing = true;
        hangOn(id("a/1"));
        StepVerifier.create(cache.invalidate(below("a/")))
                .expectError(IOException.class)
                .verify(PATIENCE);
        assertThat(cache.inMemory(id("a/1"))).isEmpty();
        goesOn.countDown();
        assertThat(cache.findOrFail(id("a/1")).blockOptional(PATIENCE).filter(found -> !found.mustRevalidate()))
                .isEmpty();
    }

    @Test
    void invalidationOfAllHoldsInMemoryAndAfterARestart() throws Exception {
        publish(metadata("a", 7));
        long before = cache.writeEpoch(id("b"));

        StepVerifier.create(cache.invalidateAll()).expectComplete().verify(PATIENCE);

        assertThat(cache.inMemory(id("a"))).isEmpty();
        assertThat(cache.publish(metadata("b", 7), before)).isFalse();
        restart(2);
        assertThat(cache.findOrFail(id("a")).blockOptional(PATIENCE).filter(found -> !found.mustRevalidate()))
                .isEmpty();
        publish(metadata("b", 8));
    }

    @Test
    void unrecordedInvalidationOfAllFailsAndHoldsUntilRestart() {
        publish(metadata("a", 7));
        recordsNothing = true;

        StepVerifier.create(cache.invalidateAll())
                .expectError(IOException.class)
                .verify(PATIENCE);

        assertThat(cache.inMemory(id("a"))).isEmpty();
        assertThat(cache.findOrFail(id("a")).blockOptional(PATIENCE).filter(found -> !found.mustRevalidate()))
                .isEmpty();
    }

    @Test
    void absenceRemovesMetadataWithoutRaisingUnknownKeys() throws IOException {
        publish(metadata("a", 7));
        publish(metadata("b", 7));
        restart(2);
        publish(metadata("b", 7));
        long before = cache.writeEpoch(id("c"));

        cache.invalidateMissing(id("a"));
        cache.invalidateMissing(id("b"));
        cache.invalidateMissing(id("c"));

        StepVerifier.create(cache.find(id("a"))).verifyComplete();
        StepVerifier.create(cache.find(id("b"))).verifyComplete();
        assertThat(cache.isCurrent(id("c"), before)).isTrue();
        restart(3);
        StepVerifier.create(cache.find(id("a"))).verifyComplete();
        StepVerifier.create(cache.find(id("b"))).verifyComplete();
    }

    @Test
    void keysAndVersionIdsCountInMemory() {
        int least = weight("k", "v");
        assertThat(weight("k".repeat(1001), "v")).isEqualTo(least + 1000);
        assertThat(weight("k", "v".repeat(1001))).isEqualTo(least + 1000);
    }

    private static int weight(String key, String versionId) {
        ObjectId versioned = new ObjectId("test", id(key).object(), Optional.of(versionId));
        return MetadataCache.weight(versioned, Optional.empty());
    }

    @Test
    void listsWhatIsStored() throws IOException {
        publish(metadata("a/1", 7));
        publish(metadata("a/2", 7));
        restart(2);
        StepVerifier.create(cache.list(below("a/"), Optional.empty(), 10))
                .expectNext(List.of(metadata("a/1", 7), metadata("a/2", 7)))
                .verifyComplete();
    }

    @Test
    void listHasWhatWasPublishedBeforeIt() {
        for (int i = 0; i < 20; i++) {
            publish(metadata("new/" + i, 7));

            List<ObjectMetadata> listed =
                    cache.list(below("new/"), Optional.empty(), 100).block(PATIENCE);

            assertThat(listed).hasSize(i + 1);
        }
    }
}
