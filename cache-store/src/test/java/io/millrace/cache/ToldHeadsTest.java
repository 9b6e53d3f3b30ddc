package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A list of whatever length has few heads read at a time, and what differs from it is forgotten. */
class ToldHeadsTest {
    private static final Optional<ETag> TAG = Optional.of(ETag.strong("tag"));
    private static final int MOST_WORDS = (int) (ToldHeads.MOST_BYTES / 250);

    private final Disk disk = new Disk();
    private final ToldHeads told = new ToldHeads(disk);

    /** Heads on a disk whose reads end when they are told to, or at once. */
    private static final class Disk implements ToldHeads.Known {
        private final Queue<Sinks.Empty<ObjectMetadata>> reads = new ArrayDeque<>();
        private final Set<ObjectId> gone = new HashSet<>();
        private final Set<ObjectId> goes = new HashSet<>();
        private final List<ObjectId> forgotten = new ArrayList<>();
        private final List<Runnable> unwritten = new ArrayList<>();
        private boolean atOnce;
        private boolean slowToForget;
        private int most;

        @Override
        public Optional<ObjectMetadata> inMemory(ObjectId id) {
            return Optional.empty();
        }

        @Override
        public boolean contains(ObjectId id) {
            return !gone.contains(id);
        }

        @Override
        public boolean isUnread(ObjectId id) {
            return contains(id);
        }

        @Override
        public Mono<ObjectMetadata> find(ObjectId id) {
            if (atOnce) {
                return Mono.fromRunnable(() -> {
                    if (goes.contains(id)) {
                        gone.add(id);
                    }
                });
            }
            Sinks.Empty<ObjectMetadata> read = Sinks.empty();
            reads.add(read);
            most = Math.max(most, reads.size());
            return read.asMono();
        }

        @Override
        public void forget(ObjectId id, Runnable done) {
            forgotten.add(id);
            if (slowToForget) {
                unwritten.add(done);
            } else {
                done.run();
            }
        }
    }

    @Test
    void fewAreReadAtATimeAndAllInTheEnd() {
        for (int i = 0; i < 1000; i++) {
            told.told(id(i), TAG, 1);
        }
        assertThat(disk.reads).hasSize(ToldHeads.AT_ONCE);

        int read = 0;
        for (Sinks.Empty<ObjectMetadata> next = disk.reads.poll(); next != null; next = disk.reads.poll()) {
            read++;
            next.tryEmitEmpty().orThrow();
        }

        assertThat(read).isEqualTo(1000);
        assertThat(disk.most).isEqualTo(ToldHeads.AT_ONCE);
    }

    @Test
    void manyThatEndAtOnceNeedNoStack() {
        disk.atOnce = true;

        for (int i = 0; i < 200_000; i++) {
            told.told(id(i), TAG, 1);
        }

        assertThat(disk.forgotten).hasSize(200_000);
    }

    @Test
    void whatIsThereAndCannotBeReadIsForgotten() {
        disk.atOnce = true;
        disk.goes.add(id(1));

        told.told(id(1), TAG, 1);
        told.told(id(2), TAG, 1);

        assertThat(disk.forgotten).containsExactly(id(2));
    }

    @Test
    void whatWaitsToBeReadIsBoundedInBytesAndTheRestStaysAsItIsKnown() {
        for (int i = 0; i < 100_000; i++) {
            told.told(id(i), TAG, 1);
        }

        assertThat(disk.forgotten).isEmpty();
        disk.atOnce = true;
        disk.reads.forEach(read -> read.tryEmitEmpty().orThrow());
        assertThat(disk.forgotten).as("what waited, looked at").hasSizeBetween(1000, MOST_WORDS);
        told.told(id(100_000), TAG, 1);
        assertThat(disk.forgotten).as("behind it there is room again").contains(id(100_000));
    }

    @Test
    void whatWaitsToBeForgottenOnASlowDiskIsBoundedToo() {
        disk.atOnce = true;
        disk.slowToForget = true;
        for (int i = 0; i < 100_000; i++) {
            told.told(id(i), TAG, 1);
        }

        assertThat(disk.forgotten).hasSizeBetween(1000, MOST_WORDS);
        disk.unwritten.forEach(Runnable::run);
        told.told(id(100_000), TAG, 1);
        assertThat(disk.forgotten).contains(id(100_000));
    }

    private static ObjectId id(int number) {
        return ObjectId.current("backend", new ObjectRef(new BucketName("bucket"), new ObjectKey("key-" + number)));
    }
}
