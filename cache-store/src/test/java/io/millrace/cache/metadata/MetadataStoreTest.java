package io.millrace.cache.metadata;

import static io.millrace.cache.metadata.MetadataFixture.below;
import static io.millrace.cache.metadata.MetadataFixture.epochs;
import static io.millrace.cache.metadata.MetadataFixture.id;
import static io.millrace.cache.metadata.MetadataFixture.metadata;
import static io.millrace.cache.metadata.MetadataFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class MetadataStoreTest {
    @TempDir
    private Path folder;

    private final List<Long> raised = new ArrayList<>();

    private StaleEpoch recording(long run) {
        return new StaleEpoch(StaleEpoch.first(run), 0, raised::add);
    }

    @Test
    void findsWhatWasStoredAlsoInTheNextRun() throws IOException {
        ObjectMetadata known = metadata("a", 7);
        try (MetadataStore store = MetadataFixture.open(folder, 1, recording(1))) {
            put(store, known);
            assertThat(store.get(known.id())).contains(known);
        }
        try (MetadataStore store = MetadataFixture.open(folder, 2, recording(2))) {
            assertThat(store.get(known.id())).contains(known);
        }
        assertThat(raised).isEmpty();
    }

    @Test
    void storeOfAnotherFormatStartsEmpty() throws IOException, RocksDBException {
        ObjectMetadata known = metadata("a", 7);
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, known);
        }
        byte[] run = {0, 0};
        try (RocksDB database = RocksDB.open(folder.resolve("store").toString())) {
            byte[] mark = database.get(run);
            mark[Long.BYTES]++;
            database.put(run, mark);
        }
        try (MetadataStore store = MetadataFixture.open(folder, 2, recording(2))) {
            assertThat(store.get(known.id())).isEmpty();
            put(store, known);
        }
        assertThat(raised).isNotEmpty();
        try (MetadataStore store = MetadataFixture.open(folder, 3, epochs(3))) {
            assertThat(store.get(known.id())).contains(known);
        }
    }

    @Test
    void memoryDeniesNoStoredEntry() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            for (int i = 0; i < 1000; i++) {
                put(store, metadata("a" + i, i));
                assertThat(store.mayContain(id("a" + i))).isTrue();
            }
            assertThat(store.mayContain(id("b"))).isFalse();
        }
        // Nothing of the files is in memory yet.
        try (MetadataStore store = MetadataFixture.open(folder, 2, epochs(2))) {
            for (int i = 0; i < 1000; i++) {
                assertThat(store.mayContain(id("a" + i))).isTrue();
            }
        }
    }

    /** It may come back with an entry. */
    @Test
    void failedStoreDeniesNoEntry() throws IOException {
        MetadataStore store = MetadataFixture.open(folder, 1, epochs(1));
        put(store, metadata("a", 1));
        assertThat(store.isAbsent(id("a"))).isFalse();
        assertThat(store.isAbsent(id("b"))).isTrue();

        MetadataStoreFault.fail(store);
        assertThat(store.get(id("a"))).isEmpty();

        assertThat(store.hasFailed()).isTrue();
        assertThat(store.isAbsent(id("b"))).isFalse();
        assertThatThrownBy(store::close).isInstanceOf(IOException.class);
    }

    @Test
    void keepsVersionsApartFromTheCurrentOne() throws IOException {
        ObjectId version = new ObjectId("test", id("a").object(), Optional.of("v1"));
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, metadata("a", 7));
            put(store, metadata(version, 8));
            store.delete(id("a"));
            assertThat(store.get(id("a"))).isEmpty();
            assertThat(store.get(version)).contains(metadata(version, 8));
        }
    }

    @Test
    void storesAllMetadataOfABackend() throws IOException {
        ObjectVersion weak = new ObjectVersion(ObjectVersion.ValidatorStrength.WEAK, "W/\"x\"", 0, Optional.of("null"));
        ObjectHead head = new ObjectHead(
                weak, Optional.empty(), Optional.empty(), HeaderList.EMPTY.with("x-amz-meta-\u00e9", ""));
        ObjectMetadata known = new ObjectMetadata(
                id("\0\udbff\udfff"),
                head,
                -1,
                false,
                false,
                MetadataFixture.FINGERPRINTS.of(id("\0\udbff\udfff"), weak, 4096),
                4096);
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, known);
            assertThat(store.get(known.id())).contains(known);
        }
    }

    @Test
    void leavesNothingOlderThanWhatHasBeenOvertaken() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, metadata("a", 7));
            store.put(metadata("a", 8), () -> false);
            assertThat(store.get(id("a"))).isEmpty();
        }
    }

    @Test
    void deletesAPrefixAndNothingBesideIt() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            for (String key : List.of("a", "a/", "a/1", "a/\uffff", "a0", "b")) {
                put(store, metadata(key, 7));
            }
            store.delete(below("a/"));
            assertThat(keys(store)).containsExactly("a", "a0", "b");
            store.delete(below(""));
            assertThat(keys(store)).isEmpty();
        }
    }

    @Test
    void deletesAPrefixOfManyObjects() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, metadata("a", 1));
            for (int i = 0; i < 12_000; i++) {
                put(store, metadata("b/" + i, i));
            }
            put(store, metadata("c", 1));
            store.delete(below("b/"));
            assertThat(keys(store)).containsExactly("a", "c");
            put(store, metadata("b/1", 2));
            assertThat(store.get(id("b/1"))).contains(metadata("b/1", 2));
        }
    }

    @Test
    void listsInPagesInTheOrderOfKeys() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            for (int i = 0; i < 25; i++) {
                put(store, metadata("p/%02d".formatted(i), i));
            }
            put(store, metadata("q", 1));
            List<String> found = new ArrayList<>();
            Optional<ObjectId> after = Optional.empty();
            List<ObjectMetadata> page;
            do {
                page = store.list(below("p/"), after, 10);
                page.forEach(each -> found.add(each.id().object().key().value()));
                after = page.isEmpty()
                        ? after
                        : Optional.of(page.get(page.size() - 1).id());
            } while (!page.isEmpty());
            assertThat(found).hasSize(25).isSorted().allMatch(key -> key.startsWith("p/"));
            assertThat(store.fraction(below("p/"), id("p/00"))).isBetween(0.0, 1.0);
        }
    }

    @Test
    void entriesBeforeTheStaleEpochMustBeRevalidated() throws IOException {
        StaleEpoch epochs = recording(1);
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs)) {
            put(store, metadata("a", 7));
            epochs.raise();
            put(store, metadata("b", 7));
            assertThat(store.get(id("a")).orElseThrow().mustRevalidate()).isTrue();
            assertThat(store.get(id("b")).orElseThrow().mustRevalidate()).isFalse();
        }
    }

    /**
     * Raised instead of a deletion that had no room, or that hangs: what was overtaken meanwhile must not come behind
     * it.
     */
    @Test
    void entryHasTheEpochFromBeforeItsValidation() throws IOException {
        StaleEpoch epochs = recording(1);
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs)) {
            store.put(metadata("a", 7), () -> {
                raise(epochs);
                return true;
            });
            assertThat(store.get(id("a")).orElseThrow().mustRevalidate()).isTrue();
        }
    }

    private static void raise(StaleEpoch epochs) {
        try {
            epochs.raise();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void olderCopyOfTheStoreIsStale() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, metadata("a", 7));
        }
        copy(folder.resolve("store"), folder.resolve("older"));
        try (MetadataStore store = MetadataFixture.open(folder, 2, epochs(2))) {
            store.delete(id("a"));
        }
        remove(folder.resolve("store"));
        copy(folder.resolve("older"), folder.resolve("store"));
        try (MetadataStore store = MetadataFixture.open(folder, 3, recording(3))) {
            assertThat(store.get(id("a")).orElseThrow().mustRevalidate()).isTrue();
        }
        assertThat(raised).isNotEmpty();
    }

    @Test
    void missingStoreDoesNotMakeNewEntriesStale() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, metadata("a", 7));
        }
        remove(folder.resolve("store"));
        try (MetadataStore store = MetadataFixture.open(folder, 2, epochs(2))) {
            assertThat(store.get(id("a"))).isEmpty();
            put(store, metadata("a", 8));
            assertThat(store.get(id("a"))).contains(metadata("a", 8));
        }
    }

    /** As a kill may leave it, when compaction was behind. */
    @Test
    void storeWithACompactionBacklogIsOpened() throws Exception {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, metadata("a", 7));
        }
        addUncompactedFiles(folder.resolve("store"));
        try (MetadataStore store = MetadataFixture.open(folder, 2, recording(2))) {
            assertThat(store.hasFailed()).isFalse();
            assertThat(store.get(id("a"))).contains(metadata("a", 7));
        }
        assertThat(raised).isEmpty();
    }

    private static void addUncompactedFiles(Path store) throws RocksDBException {
        try (Options options = new Options().setDisableAutoCompactions(true).setLevel0StopWritesTrigger(1000);
                RocksDB database = RocksDB.open(options, store.toString());
                FlushOptions flush = new FlushOptions()) {
            byte[] run = database.get(new byte[] {0, 0});
            // More than stop writes.
            for (int i = 0; i < 100; i++) {
                database.put(new byte[] {0, 0}, run);
                database.flush(flush);
            }
        }
    }

    @Test
    void refusesAFolderThatIsInUse() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            put(store, metadata("a", 7));
            assertThatThrownBy(() -> MetadataFixture.open(folder, 2, epochs(2)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
            assertThat(store.get(id("a"))).isPresent();
        }
    }

    @Test
    void closedStoreHoldsNothing() throws IOException {
        MetadataStore store = MetadataFixture.open(folder, 1, epochs(1));
        put(store, metadata("a", 7));
        store.close();
        assertThat(store.get(id("a"))).isEmpty();
        put(store, metadata("b", 7));
        store.delete(id("a"));
        assertThatThrownBy(() -> store.list(Optional.empty(), 1)).isInstanceOf(IOException.class);
        store.reopen();
        assertThat(store.hasFailed()).isTrue();
    }

    private static List<String> keys(MetadataStore store) throws IOException {
        return store.list(Optional.empty(), 100_000).stream()
                .map(each -> each.id().object().key().value())
                .toList();
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
