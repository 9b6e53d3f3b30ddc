package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.disk.HangingDisk;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.ChecksumVerification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.util.context.Context;

/** A reader that leaves while a disk reads for it: what the disk brings then is nobody's, and must be released. */
@ExtendWith(BufferLeakExtension.class)
class DepartedReaderTest {
    @TempDir
    Path folder;

    /** The way in which the disk's thread reads a block, here the first one after a restart. */
    private enum Way {
        /** A large block: a region of its file. */
        FILE(200_000, ChecksumVerification.FIRST_READ, false),
        /** A small block: a buffer. */
        BUFFER(10_000, ChecksumVerification.FIRST_READ, false),
        /** Buffers for a connection that encrypts. */
        CHECKED_BUFFERS(200_000, ChecksumVerification.FIRST_READ, true),
        /** Buffers, because each read is verified. */
        VERIFIED_ALWAYS(200_000, ChecksumVerification.ALWAYS, false);

        private final int size;
        private final ChecksumVerification verify;
        private final boolean buffersOnly;

        Way(int size, ChecksumVerification verify, boolean buffersOnly) {
            this.size = size;
            this.verify = verify;
            this.buffersOnly = buffersOnly;
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void resultForACancelledReaderIsReleased(Way way) throws Exception {
        FaultyObjectSource source = stored(way);
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        try (TestCache cache = open(way)) {
            try (HangingDisk hanging = HangingDisk.unnoticed(cache.cache(), 0)) {
                read(cache, way, source, reader, Runnable::run);
                hanging.awaitReader();

                reader.cancel();
            }
        }

        assertThat(reader.received()).isZero();
        assertThat(source.asked()).hasSize(1);
        assertThat(openFiles()).isEmpty();
    }

    /** As when the gateway stops: the event loop takes no task any more, so the disk's thread ends the reader. */
    @Test
    void resultAfterTheEndOfTheEventLoopIsReleased() throws Exception {
        Way way = Way.BUFFER;
        FaultyObjectSource source = stored(way);
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        ExecutorService loop = Executors.newSingleThreadExecutor();
        try (TestCache cache = open(way)) {
            try (HangingDisk hanging = HangingDisk.unnoticed(cache.cache(), 0)) {
                read(cache, way, source, reader, loop);
                hanging.awaitReader();

                loop.shutdown();
            }
        }

        assertThat(reader.received()).isZero();
        assertThat(openFiles()).isEmpty();
    }

    /** Stores an object, which a later start has to read from the disk. */
    private FaultyObjectSource stored(Way way) {
        FaultyObjectSource source = FaultyObjectSource.sound("object", way.size);
        try (TestCache cache = open(way)) {
            VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
            cache.read(source.name(), source).subscribe(reader);
            reader.await(way.size);
            cache.awaitIdle();
        }
        return source;
    }

    private static void read(
            TestCache cache, Way way, FaultyObjectSource source, VerifyingReader reader, Executor executor) {
        Context context = Context.of(CacheReader.EXECUTOR, executor);
        cache.read(source.name(), source)
                .contextWrite(way.buffersOnly ? context.put(CacheReader.BUFFERS_ONLY, true) : context)
                .subscribe(reader);
    }

    private TestCache open(Way way) {
        return new TestCache(folder, CacheEventListener.NONE, way.verify, "16MiB", "64MiB");
    }

    /** The cache is closed, so only a region that nobody has released keeps one open. */
    private List<Path> openFiles() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.map(DepartedReaderTest::target)
                    .filter(path -> path.startsWith(folder))
                    .toList();
        }
    }

    private static Path target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException closedMeanwhile) {
            return descriptor;
        }
    }
}
