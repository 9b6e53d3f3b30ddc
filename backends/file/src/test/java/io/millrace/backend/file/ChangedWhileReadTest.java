package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;

/**
 * A file that changes while it is read yields bytes of the opened version or an error, never a mixture or a short body.
 */
@ExtendWith(BufferLeakExtension.class)
class ChangedWhileReadTest {
    private static final int SIZE = 1 << 20;
    private static final byte[] OLD = new GeneratedBytes("file", 1).first(SIZE);
    private static final byte[] NEW = new GeneratedBytes("file", 2).first(SIZE);

    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    private Path file;

    @BeforeEach
    void putFile() throws IOException {
        file = Files.write(tree.bucket().resolve("file"), OLD);
    }

    @Test
    void inPlaceChangeFailsTheReadBeforeItsBytes() throws IOException {
        ManualReader reader = openAndReadOnePiece();

        overwrite(SIZE - 1, new byte[] {NEW[SIZE - 1]});
        reader.request(Long.MAX_VALUE);

        reader.assertFailedWithOldBytesOnly();
        assertThat(reader.bytes.size()).isEqualTo(FileBodyPublisher.PIECE);
    }

    @Test
    void truncationEndsTheRead() throws IOException {
        ManualReader reader = openAndReadOnePiece();

        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(100_000);
        }
        reader.request(Long.MAX_VALUE);

        reader.assertFailedWithOldBytesOnly();
    }

    @Test
    void growthEndsTheRead() throws IOException {
        ManualReader reader = openAndReadOnePiece();

        Files.write(file, new byte[] {1}, StandardOpenOption.APPEND);
        reader.request(Long.MAX_VALUE);

        reader.assertFailedWithOldBytesOnly();
    }

    @Test
    void replacedFileIsReadUnchangedToItsEnd() throws IOException {
        ManualReader reader = openAndReadOnePiece();

        Path other = Files.write(tree.root().resolve("other"), NEW);
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        reader.request(Long.MAX_VALUE);

        reader.assertBrought(OLD);
    }

    @Test
    void deletedFileIsReadToItsEnd() throws IOException {
        ManualReader reader = openAndReadOnePiece();

        Files.delete(file);
        reader.request(Long.MAX_VALUE);

        reader.assertBrought(OLD);
    }

    @Test
    void movedFileThatIsThenChangedIsNoticedToo() throws IOException {
        ManualReader reader = openAndReadOnePiece();

        file = Files.move(file, tree.root().resolve("elsewhere"));
        reader.request(1);
        reader.awaitBytes(2 * FileBodyPublisher.PIECE);
        overwrite(SIZE - 1, new byte[] {NEW[SIZE - 1]});
        reader.request(Long.MAX_VALUE);

        reader.assertFailedWithOldBytesOnly();
    }

    @Test
    void nextReaderGetsTheChangedContent() throws IOException {
        ManualReader reader = openAndReadOnePiece();
        overwrite(0, NEW);
        reader.request(Long.MAX_VALUE);

        reader.assertFailedWithOldBytesOnly();
        assertThat(FileBackendFixture.drain(tree.open(ReadRequest.of(FileBackendFixture.ref("file")))))
                .isEqualTo(NEW);
    }

    @Test
    void equalVersionsHaveEqualBytesDuringInPlaceWrites() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            Random random = new Random(1);
            while (!done.get()) {
                overwriteQuietly(SIZE - 1, (byte) random.nextInt());
                LockSupport.parkNanos(random.nextInt(40_000_000));
            }
        });
        Map<ObjectVersion, Byte> seen = new HashMap<>();
        writer.start();
        try {
            for (int i = 0; i < 150; i++) {
                readLastByte(seen);
            }
        } finally {
            done.set(true);
            writer.join();
        }
        readLastByte(seen);
        assertThat(seen).as("versions seen").isNotEmpty();
    }

    @Test
    void constantlyWrittenFileIsUnavailable() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong longestPause = new AtomicLong();
        long began = System.nanoTime();
        Thread writer = new Thread(() -> {
            long last = began;
            while (!done.get()) {
                overwriteQuietly(0, (byte) 1);
                long now = System.nanoTime();
                longestPause.accumulateAndGet(now - last, Math::max);
                last = now;
            }
            longestPause.accumulateAndGet(System.nanoTime() - last, Math::max);
        });
        writer.start();
        Optional<FailureKind> failure;
        try {
            failure = tree.failure("file");
        } finally {
            done.set(true);
            writer.join();
        }
        // On a busy machine the writer may have been made to pause for long enough.
        if (longestPause.get() < FileObjectHeadBuilder.SETTLE_TIME.toNanos() / 2) {
            assertThat(failure).contains(FailureKind.UNAVAILABLE);
        }
        assertThat(tree.failure("file")).isEmpty();
    }

    @Test
    void readsDuringOverwritesMatchTheirHeaders() throws Exception {
        AtomicBoolean hasRead = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            // On a busy machine all these may come before the first read.
            for (int i = 0; i < 300 || !hasRead.get(); i++) {
                writeQuietly(i % 2 == 0 ? OLD : NEW, i % 2 == 0 ? "old" : "new");
            }
        });
        writeQuietly(OLD, "old");
        writer.start();
        try {
            while (writer.isAlive()) {
                assertReadMatchesItsHeaders();
                hasRead.set(true);
            }
        } finally {
            hasRead.set(true);
            writer.join();
        }
    }

    private void assertReadMatchesItsHeaders() {
        ObjectContent content = tree.open(ReadRequest.of(FileBackendFixture.ref("file")));
        String reported = content.head().headers().first("x-amz-meta-which").orElse("none");
        byte[] bytes = FileBackendFixture.drain(content);
        assertThat(reported).isEqualTo(Arrays.equals(bytes, OLD) ? "old" : Arrays.equals(bytes, NEW) ? "new" : "mixed");
    }

    /**
     * A read that loses a race against a writer tries again, and one that has begun keeps its file, whoever closes
     * theirs.
     */
    @Test
    void readersSucceedHoweverOftenWritersReplaceTheFile() {
        int rounds = 150;
        writeQuietly(OLD, "old");
        Flux<Integer> writers = Flux.range(0, rounds)
                .flatMap(
                        i -> Mono.fromRunnable(() -> tree.write("file", new byte[] {i.byteValue()}, HeaderList.EMPTY))
                                .thenReturn(i)
                                .subscribeOn(Schedulers.boundedElastic()),
                        4);
        Flux<Integer> readers = Flux.range(0, rounds)
                .flatMap(i -> Mono.fromCallable(this::readLength).subscribeOn(Schedulers.boundedElastic()), 4);

        List<Integer> lengths =
                Flux.merge(writers.ignoreElements(), readers).collectList().block(Duration.ofMinutes(2));

        assertThat(lengths)
                .hasSize(rounds)
                .allSatisfy(length -> assertThat(length).isIn(1, SIZE));
    }

    private int readLength() {
        return FileBackendFixture.drain(tree.open(ReadRequest.of(FileBackendFixture.ref("file")))).length;
    }

    private void readLastByte(Map<ObjectVersion, Byte> seen) {
        try {
            ObjectContent content = tree.open(ReadRequest.of(FileBackendFixture.ref("file")));
            byte[] bytes = FileBackendFixture.drain(content);
            Byte before = seen.put(content.head().version(), bytes[SIZE - 1]);
            assertThat(before).isIn(null, bytes[SIZE - 1]);
            assertThat(Arrays.copyOf(bytes, SIZE - 1)).isEqualTo(Arrays.copyOf(OLD, SIZE - 1));
        } catch (BackendException e) {
            assertThat(e.kind()).isIn(FailureKind.VERSION_CHANGED, FailureKind.UNAVAILABLE);
        }
    }

    private ManualReader openAndReadOnePiece() {
        ManualReader reader = new ManualReader();
        tree.open(ReadRequest.of(FileBackendFixture.ref("file"))).body().subscribe(reader);
        reader.request(1);
        reader.awaitBytes(FileBodyPublisher.PIECE);
        return reader;
    }

    private void overwriteQuietly(long position, byte value) {
        try {
            overwrite(position, new byte[] {value});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void writeQuietly(byte[] bytes, String which) {
        tree.write("file", bytes, HeaderList.EMPTY.with("x-amz-meta-which", which));
    }

    private void overwrite(long position, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), position);
        }
    }

    /** Subscriber that collects bytes on demand of the test. */
    private static final class ManualReader extends BaseSubscriber<ByteBuf> {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private volatile int received;
        private volatile boolean ended;
        private volatile @Nullable Throwable failure;

        void awaitBytes(int count) {
            Polling.until(count + " bytes come", () -> received >= count || ended);
            assertThat(received).isEqualTo(count);
        }

        void assertBrought(byte[] expected) {
            Polling.until("the body ends", () -> ended);
            assertThat(failure).isNull();
            assertThat(bytes.toByteArray()).isEqualTo(expected);
        }

        void assertFailedWithOldBytesOnly() {
            Polling.until("the body ends", () -> ended);
            assertThat(failure)
                    .isInstanceOfSatisfying(
                            BackendException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION_CHANGED));
            assertThat(bytes.toByteArray()).isEqualTo(Arrays.copyOf(OLD, bytes.size()));
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // Requests nothing yet.
        }

        @Override
        protected void hookOnNext(ByteBuf piece) {
            bytes.writeBytes(ByteBufUtil.getBytes(piece));
            piece.release();
            received = bytes.size();
        }

        @Override
        protected void hookOnError(Throwable error) {
            failure = error;
        }

        @Override
        protected void hookFinally(SignalType type) {
            ended = true;
        }
    }
}
