package io.millrace.cache.metadata;

import static io.millrace.cache.metadata.MetadataFixture.id;
import static io.millrace.cache.metadata.MetadataFixture.metadata;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.testkit.Promise;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A listing of any length causes few concurrent lookups, and metadata that differs from it is invalidated. */
class ListingObserverTest {
    private static final Optional<ETag> ANOTHER = Optional.of(ETag.strong("another"));
    private static final int SIZE = 7;
    private static final int MOST_WAITING = (int) (ListingObserver.MOST_BYTES / 250);

    private final Store store = new Store();
    private final ListingObserver observer =
            new ListingObserver(id -> Optional.ofNullable(store.inMemory), store::find, store.forgotten::add);

    /** Entries whose lookups end when they are told to, or at once. */
    private static final class Store {
        private final Queue<Sinks.One<ObjectMetadata>> lookups = new ArrayDeque<>();
        private final List<ObjectId> forgotten = new ArrayList<>();
        private boolean atOnce;
        private int most;

        @org.jspecify.annotations.Nullable ObjectMetadata inMemory;

        Mono<ObjectMetadata> find(ObjectId id) {
            if (atOnce) {
                return Mono.just(metadata(id, SIZE));
            }
            Sinks.One<ObjectMetadata> lookup = Sinks.one();
            lookups.add(lookup);
            most = Math.max(most, lookups.size());
            return lookup.asMono();
        }
    }

    @Test
    void comparesMetadataInMemoryAtOnce() {
        store.inMemory = metadata("a", SIZE);
        Optional<ETag> same = store.inMemory.head().eTag();

        observer.observe(id("a"), same, SIZE);
        assertThat(store.forgotten).isEmpty();
        observer.observe(id("a"), same, SIZE + 1);
        observer.observe(id("a"), ANOTHER, SIZE);

        assertThat(store.forgotten).containsExactly(id("a"), id("a"));
        assertThat(store.lookups).isEmpty();
    }

    @Test
    void invalidatesStoredMetadataOnlyIfItDiffers() {
        store.atOnce = true;

        observer.observe(id("same"), metadata("same", SIZE).head().eTag(), SIZE);
        observer.observe(id("other"), ANOTHER, SIZE);

        assertThat(store.forgotten).containsExactly(id("other"));
    }

    @Test
    void ignoresObjectsWithoutMetadata() {
        observer.observe(id("a"), ANOTHER, SIZE);
        store.lookups.remove().tryEmitEmpty().orThrow();

        assertThat(store.forgotten).isEmpty();
    }

    @Test
    void invalidatesMetadataThatCannotBeRead() {
        observer.observe(id("a"), ANOTHER, SIZE);
        store.lookups.remove().tryEmitError(new IOException("it hangs")).orThrow();

        assertThat(store.forgotten).containsExactly(id("a"));
    }

    @Promise("R8")
    @Test
    void boundsConcurrentLookups() {
        for (int i = 0; i < 1000; i++) {
            observer.observe(id("key-" + i), ANOTHER, SIZE);
        }
        assertThat(store.lookups).hasSize(ListingObserver.MAX_CONCURRENT);

        int lookups = 0;
        for (Sinks.One<ObjectMetadata> next = store.lookups.poll(); next != null; next = store.lookups.poll()) {
            lookups++;
            next.tryEmitEmpty().orThrow();
        }

        assertThat(lookups).isEqualTo(1000);
        assertThat(store.most).isEqualTo(ListingObserver.MAX_CONCURRENT);
    }

    @Test
    void manyThatEndAtOnceNeedNoStack() {
        store.atOnce = true;

        for (int i = 0; i < 200_000; i++) {
            observer.observe(id("key-" + i), ANOTHER, SIZE);
        }

        assertThat(store.forgotten).hasSize(200_000);
    }

    @Promise("R8")
    @Test
    void boundsWaitingEntriesAndSkipsTheRest() {
        for (int i = 0; i < 100_000; i++) {
            observer.observe(id("key-" + i), ANOTHER, SIZE);
        }
        assertThat(store.forgotten).isEmpty();

        store.atOnce = true;
        store.lookups.forEach(
                lookup -> lookup.tryEmitValue(metadata("under way", SIZE)).orThrow());
        assertThat(store.forgotten).as("what waited, compared").hasSizeBetween(1000, MOST_WAITING);
        observer.observe(id("behind"), ANOTHER, SIZE);
        assertThat(store.forgotten).as("behind it there is room again").contains(id("behind"));
    }
}
