package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.FaultyObjectSource.Fault;
import io.millrace.cache.monitor.CacheEventListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The meter of bytes served from the cache leaves out bytes that were fetched for the reader itself. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class ServedBytesMeterTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private final AtomicLong joins = new AtomicLong();
    private final AtomicLong served = new AtomicLong();
    private final AtomicLong fetched = new AtomicLong();
    private final AtomicLong fetches = new AtomicLong();
    private TestCache cache;

    @BeforeEach
    void start() {
        CacheEventListener recorder = new CacheEventListener() {
            @Override
            public void collapsed() {
                joins.incrementAndGet();
            }

            @Override
            public void served(long bytes) {
                served.addAndGet(bytes);
            }

            @Override
            public void fetched(long bytes) {
                fetched.addAndGet(bytes);
            }

            @Override
            public void fetch() {
                fetches.incrementAndGet();
            }
        };
        cache = new TestCache(folder, recorder, "64MiB", "1GiB");
    }

    @AfterEach
    void stop() {
        cache.awaitIdle();
        cache.close();
    }

    @Test
    void ownFetchCountsNeitherAsCollapsedNorServed() {
        long all = 0;
        for (int size : new int[] {1, 1000, 300_000, MIB, 100 * MIB}) {
            FaultyObjectSource source = FaultyObjectSource.sound("own-" + size, size);
            read(source).await(size);
            all += size;
        }

        assertThat(joins).hasValue(0);
        assertThat(served).hasValue(0);
        assertThat(fetched).hasValue(all);
    }

    @Test
    void cachedBytesCountAsServed() {
        FaultyObjectSource source = FaultyObjectSource.sound("again", 5 * MIB);
        read(source).await(5 * MIB);
        cache.awaitIdle();

        read(source).await(5 * MIB);

        assertThat(served).hasValue(5 * MIB);
        assertThat(fetched).hasValue(5 * MIB);
        assertThat(joins).hasValue(0);
    }

    @Test
    void followerOfAFillCountsAsCollapsed() {
        FaultyObjectSource source = FaultyObjectSource.with("joined", 2 * MIB, new Fault.Stall(MIB));
        List<VerifyingReader> readers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            readers.add(read(source));
            readers.get(i).awaitBytes(1000);
        }
        source.goOn();
        readers.forEach(reader -> reader.await(2 * MIB));

        assertThat(joins).hasValue(4);
        assertThat(fetched).hasValue(2 * MIB);
        assertThat(fetches).hasValue(1);
    }

    private VerifyingReader read(FaultyObjectSource source) {
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        cache.read(source.name(), source).subscribe(reader);
        return reader;
    }
}
