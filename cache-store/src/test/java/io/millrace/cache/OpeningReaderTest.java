package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.FaultyObjectSource.Fault;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.util.context.Context;

/** The reader that opened an object, on an event loop that is busy while its bytes arrive. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class OpeningReaderTest {
    private static final int SIZE = 4096;

    @TempDir
    Path folder;

    /** The tasks that the event loop has not run yet. */
    private final Queue<Runnable> loop = new ConcurrentLinkedQueue<>();

    private TestCache cache;

    @BeforeEach
    void start() {
        cache = new TestCache(folder, "16MiB", "64MiB");
    }

    @AfterEach
    void stop() {
        cache.awaitIdle();
        cache.close();
    }

    @Test
    void getsASmallStoredObjectFromMemory() {
        FaultyObjectSource source = FaultyObjectSource.with("small", SIZE, new Fault.Stall(0));
        VerifyingReader reader = opening(source);
        source.goOn();
        cache.awaitIdle();

        loop.remove().run();

        assertThat(reader.awaitEnd().received()).isEqualTo(SIZE);
        assertThat(loop).isEmpty();
    }

    @Test
    void cancelledReaderReleasesWhatHasArrived() {
        VerifyingReader reader = opening(FaultyObjectSource.sound("cancelled", SIZE));
        cache.awaitIdle();

        reader.cancel();
        loop.remove().run();

        assertThat(reader.received()).isZero();
    }

    @Test
    void cancelledReaderReleasesWhatArrivesLater() {
        FaultyObjectSource source = FaultyObjectSource.with("stalled", SIZE, new Fault.Stall(0));
        VerifyingReader reader = opening(source);
        loop.remove().run();
        reader.cancel();
        loop.remove().run();

        source.goOn();
        cache.awaitIdle();

        assertThat(reader.received()).isZero();
    }

    /** Waits until the event loop has the reader's first step. */
    private VerifyingReader opening(FaultyObjectSource source) {
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        cache.read(source.name(), source)
                .contextWrite(Context.of(CacheReader.EXECUTOR, (Executor) loop::add))
                .subscribe(reader);
        Polling.until("the reader has a step to take", () -> !loop.isEmpty());
        return reader;
    }
}
