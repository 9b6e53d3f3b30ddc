package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeadScanTest {
    private static final int HEADS = 100;

    @TempDir
    Path folder;

    private final StoreParts parts = TestLog.parts();
    private final HeadScan scan = new HeadScan(parts);

    /** What waits for a thread of the disk. */
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    private final List<Runnable> atEachHead = new ArrayList<>();
    private int read;
    private SegmentWriter writer;

    @BeforeEach
    void write() throws IOException {
        Segment.Home home = new Segment.Home(waiting::add, this::read, () -> {});
        Segment segment = Segment.create(folder, 1, UUID.randomUUID(), home, () -> {});
        parts.segments().add(segment);
        writer = new SegmentWriter(
                segment, 1 << 20, new WriteBudget(Optional.empty(), System::nanoTime), parts.groups());
        for (int i = 0; i < HEADS; i++) {
            add(i);
        }
    }

    @AfterEach
    void close() {
        parts.segments().all().forEach(Segment::release);
    }

    @Test
    void whoLeavesEndsThePieceThatIsBeingRead() {
        CompletableFuture<ScanPiece> piece = scan.piece(ScanPosition.BEGINNING, HEADS);
        atEachHead.add(() -> piece.cancel(false));

        waiting.remove().run();

        assertThat(read).isEqualTo(1);
    }

    @Test
    void whatNobodyWaitsForIsNotRead() {
        scan.piece(ScanPosition.BEGINNING, HEADS).cancel(false);

        waiting.remove().run();

        assertThat(read).isZero();
    }

    @Test
    void pieceThatWaitsHoldsNoSegment() {
        CompletableFuture<ScanPiece> piece = scan.piece(ScanPosition.BEGINNING, HEADS);
        parts.segments().remove(writer.segment());
        writer.segment().remove();

        assertThat(writer.segment().file().isOpen()).isFalse();
        waiting.remove().run();
        assertThat(piece).isCompletedWithValueMatching(told -> told.heads().isEmpty());
    }

    @Test
    void segmentThatCannotBeReadIsNamedAndNotTakenForEmpty() throws IOException {
        writer.segment().file().close();
        CompletableFuture<ScanPiece> piece = scan.piece(ScanPosition.BEGINNING, HEADS);

        waiting.remove().run();

        assertThatThrownBy(piece::join)
                .hasCauseInstanceOf(DiskUnavailableException.class)
                .hasMessageContaining("the segment " + writer.segment().path() + " cannot be read");
    }

    /** Record by record: what lies before its position is not read again. */
    @Test
    void listIsReadOnceForAllPieces() throws IOException {
        ScanPiece first = piece(ScanPosition.BEGINNING, 10);
        long line = Footer.of(writer.segment().file()).lines().get(1).start();
        writer.segment().writing().write(ByteBuffer.allocate((int) line - Segment.HEADER), Segment.HEADER);

        ScanPiece second = piece(first.next().orElseThrow(), 10);

        assertThat(first.heads()).hasSize(10);
        assertThat(second.heads()).hasSize(10);
    }

    @Test
    void whatWasWrittenSinceTheLastScanIsTold() throws IOException {
        assertThat(piece(ScanPosition.BEGINNING, 2 * HEADS).heads()).hasSize(HEADS);
        add(HEADS);
        assertThat(piece(ScanPosition.BEGINNING, 2 * HEADS).heads()).hasSize(HEADS + 1);
        add(HEADS + 1);
        writer.seal();
        assertThat(piece(ScanPosition.BEGINNING, 2 * HEADS).heads()).hasSize(HEADS + 2);
    }

    @Test
    void allPiecesTogetherTellAllHeads() {
        int heads = 0;
        int pieces = 0;
        Optional<ScanPosition> next = Optional.of(ScanPosition.BEGINNING);
        while (next.isPresent()) {
            ScanPiece piece = piece(next.orElseThrow(), 10);
            heads += piece.heads().size();
            pieces++;
            next = piece.next();
        }

        assertThat(heads).isEqualTo(HEADS);
        assertThat(pieces).isGreaterThanOrEqualTo(HEADS / 10);
    }

    private ScanPiece piece(ScanPosition from, int most) {
        CompletableFuture<ScanPiece> piece = scan.piece(from, most);
        Runnable read = waiting.poll();
        if (read != null) {
            read.run();
        }
        return piece.join();
    }

    private long read() {
        read++;
        atEachHead.forEach(Runnable::run);
        return 0;
    }

    private void add(int number) throws IOException {
        Footer.Line line = writer.add(new RecordDraft(
                Kind.HEAD,
                number + 1L,
                new Fingerprint(1, number),
                Fingerprint.NONE,
                0,
                ByteBuffer.allocate(3),
                List.of()));
        writer.flush();
        assertThat(new Newest(parts).put(line, writer.segment().number())).isEqualTo(Newest.Result.FOUND);
    }
}
