package io.millrace.cache.metadata;

import static io.millrace.cache.metadata.MetadataFixture.id;
import static io.millrace.cache.metadata.MetadataFixture.metadata;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A publication that cannot be stored leaves no older entry that a restart would trust. */
class MetadataWriterTest {
    @TempDir
    private Path folder;

    private final List<Long> raised = new ArrayList<>();
    private MetadataStore store;
    private MetadataWriter writer;

    @BeforeEach
    void open() throws IOException {
        store = MetadataFixture.open(folder, 1, new StaleEpoch(StaleEpoch.first(1), 0, raised::add));
        writer = new MetadataWriter(store);
        store.put(metadata("a", 7), () -> true);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private void publishAndFail(Throwable failure) throws InterruptedException {
        writer.add(metadata("a", 8), () -> {
            if (failure instanceof OutOfMemoryError shortage) {
                throw shortage;
            }
            throw (RuntimeException) failure;
        });
        writer.storeWaiting();
        assertThat(writer.isEmpty()).isTrue();
    }

    @Test
    void failedPublicationDeletesTheOlderEntry() throws Exception {
        publishAndFail(new IllegalStateException("injected"));
        assertThat(store.get(id("a"))).isEmpty();
        assertThat(raised).isEmpty();
    }

    @Test
    void publicationWithoutMemoryDeletesTheOlderEntry() throws Exception {
        publishAndFail(new OutOfMemoryError("injected"));
        assertThat(store.get(id("a"))).isEmpty();
    }

    @Test
    void raisesTheEpochIfTheOlderEntryCannotBeDeleted() throws Exception {
        MetadataStoreFault.fail(store);
        publishAndFail(new IllegalStateException("injected"));
        assertThat(raised).hasSize(1);
        store.reopen();
        assertThat(store.get(id("a")).orElseThrow().mustRevalidate()).isTrue();
    }

    @Test
    void laterPublicationIsStoredAfterAFailedOne() throws Exception {
        publishAndFail(new IllegalStateException("injected"));
        writer.add(metadata("a", 9), () -> true);
        writer.storeWaiting();
        assertThat(store.get(id("a"))).contains(metadata("a", 9));
    }

    @Test
    void closedWriterAcceptsNoEntry() {
        writer.close();
        assertThat(writer.add(metadata("a", 8), () -> true)).isFalse();
    }

    /** Whoever deletes the object meanwhile must learn that an entry may still come into the store. */
    @Test
    void refusedEntryLeavesTheQueuedOneOfItsObject() {
        writer.add(metadata("b", 8), () -> true);
        writer.close();

        assertThat(writer.add(metadata("b", 9), () -> true)).isFalse();

        assertThat(writer.contains(id("b"))).isTrue();
    }
}
