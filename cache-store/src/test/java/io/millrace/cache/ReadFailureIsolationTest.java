package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.disk.BrokenFiles;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.monitor.CacheEventListener;
import io.netty.util.ReferenceCounted;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A reader that cancels and a disk that fails cost other readers of the same files a miss at most. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class ReadFailureIsolationTest {
    private static final int OBJECTS = 1500;

    @TempDir
    Path folder;

    private final AtomicInteger diskErrors = new AtomicInteger();
    private final CacheEventListener recorder = new CacheEventListener() {
        @Override
        public void diskError() {
            diskErrors.incrementAndGet();
        }
    };

    @Test
    void cancelledReadsDisturbNoOthersAndLeakNothing() {
        store(OBJECTS);
        try (TestCache cache = open()) {
            for (int i = 0; i < OBJECTS / 2; i++) {
                cache.read("object-" + i, FaultyObjectSource.sound("object-" + i, 1000))
                        .doOnDiscard(ReferenceCounted.class, ReferenceCounted::release)
                        .subscribe(ReferenceCounted::release)
                        .dispose();
            }
            for (int i = OBJECTS / 2; i < OBJECTS; i++) {
                assertThat(find(cache, "object-" + i)).as("object %d", i).isNotNull();
                read(cache, FaultyObjectSource.sound("object-" + i, 1000));
            }
        }
        Polling.until("no file is held", () -> openFiles().isEmpty());
        assertThat(diskErrors.get()).isZero();
    }

    @Test
    void unreadableBlockIsAMissAndRefetched() {
        store(2);
        try (TestCache cache = open()) {
            BrokenFiles.of(cache.cache());

            FaultyObjectSource source = FaultyObjectSource.sound("object-0", 1000);
            read(cache, source);
            cache.awaitIdle();
            read(cache, source);

            assertThat(diskErrors.get()).isEqualTo(1);
            assertThat(source.asked()).hasSize(1);
        }
        try (TestCache cache = open()) {
            assertThat(find(cache, "object-0")).isNotNull();
            assertThat(find(cache, "object-1")).isNotNull();
        }
    }

    private void store(int objects) {
        try (TestCache cache = open()) {
            for (int i = 0; i < objects; i++) {
                read(cache, FaultyObjectSource.sound("object-" + i, 1000));
            }
            cache.awaitIdle();
        }
    }

    private static void read(TestCache cache, FaultyObjectSource source) {
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        cache.read(source.name(), source).subscribe(reader);
        reader.await(1000);
    }

    private TestCache open() {
        return new TestCache(folder, recorder, "16MiB", "256MiB");
    }

    private static @Nullable ObjectMetadata find(TestCache cache, String key) {
        return cache.cache().reader().find(TestCache.id(key)).block(Duration.ofSeconds(60));
    }

    /** Segments that somebody holds still, where the system tells. */
    private List<String> openFiles() {
        List<String> open = new ArrayList<>();
        File[] descriptors = new File("/proc/self/fd").listFiles();
        for (File descriptor : descriptors == null ? new File[0] : descriptors) {
            try {
                String file = Files.readSymbolicLink(descriptor.toPath()).toString();
                if (file.startsWith(folder.toString()) && file.contains(".seg")) {
                    open.add(file);
                }
            } catch (IOException closedMeanwhile) {
                // Not held, then.
            }
        }
        return open;
    }
}
