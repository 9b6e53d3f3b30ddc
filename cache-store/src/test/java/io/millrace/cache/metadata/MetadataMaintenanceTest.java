package io.millrace.cache.metadata;

import static io.millrace.cache.metadata.MetadataFixture.epochs;
import static io.millrace.cache.metadata.MetadataFixture.id;
import static io.millrace.cache.metadata.MetadataFixture.metadata;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataMaintenanceTest {
    private static final int OBJECTS = 20_000;

    @TempDir
    private Path folder;

    @Test
    void entriesOfObjectsThatAreNotCachedGoFirst() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            fill(store);
            shrink(store, store.diskBytes() * 9 / 10);
            assertThat(found(store, true)).isEqualTo(OBJECTS / 2);
            assertThat(found(store, false)).isBetween(OBJECTS / 10, OBJECTS / 2 - OBJECTS / 10);
        }
    }

    @Test
    void otherEntriesGoWhereThatIsNotEnough() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            fill(store);
            long most = store.diskBytes() / 4;
            shrink(store, most);
            assertThat(found(store, false)).isZero();
            assertThat(found(store, true)).isBetween(1, OBJECTS / 2 - 1);
            assertThat(store.diskBytes()).isLessThanOrEqualTo(most);
        }
    }

    @Test
    void evictsNothingBelowTheLimit() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder, 1, epochs(1))) {
            fill(store);
            shrink(store, store.diskBytes());
            assertThat(found(store, true) + found(store, false)).isEqualTo(OBJECTS);
        }
    }

    private static void fill(MetadataStore store) throws IOException {
        for (int i = 0; i < OBJECTS; i++) {
            MetadataFixture.put(store, metadata("k/" + i, i));
        }
        store.compact();
    }

    private static void shrink(MetadataStore store, long most) {
        new MetadataMaintenance(store, most, metadata -> isCached((int) metadata.size())).shrink();
    }

    private static boolean isCached(int number) {
        return number % 2 == 0;
    }

    private static int found(MetadataStore store, boolean cached) {
        int found = 0;
        for (int i = 0; i < OBJECTS; i++) {
            found += isCached(i) == cached && store.get(id("k/" + i)).isPresent() ? 1 : 0;
        }
        return found;
    }
}
