package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.IndexEntry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is worth keeping moves when its segment is evicted, and what cannot be moved stays where it was. */
class SegmentEvictorTest {
    private static final Fingerprint KEY = new Fingerprint(1, 2);

    @TempDir
    Path folder;

    // A key of its own each time would put the only block where the policy looks for others, now and then.
    private final SharedDiskComponents parts = TestLog.parts(new FingerprintHash(1, 2));
    private final SegmentEvictor survivors = parts.evictor(() -> 1 << 20);
    private SegmentWriter victim;
    private SegmentWriter open;

    @BeforeEach
    void create() throws IOException {
        victim = writer(1);
        open = writer(2);
    }

    @AfterEach
    void close() {
        parts.segments().all().forEach(Segment::release);
    }

    @Test
    void blockThatIsReadMoves() throws IOException {
        write();
        parts.policy().used(KEY);

        survivors.move(victim.segment(), (record, must) -> open, 1 << 20, false);

        assertThat(find().segment()).isEqualTo(2);
        RecordHeader header =
                RecordHeader.read(open.segment().file(), find().start()).orElseThrow();
        assertThat(header.key()).isEqualTo(KEY);
    }

    @Test
    void unreadBlockIsEvicted() throws IOException {
        write();

        survivors.move(victim.segment(), (record, must) -> open, 1 << 20, false);

        assertThat(parts.index().find(KEY)).isNull();
    }

    /** The content of one place in another: a write that the disk misdirected. */
    @Test
    void recordOfAnotherPlaceIsNotCopied() throws IOException {
        List<ByteBuf> body = List.of(Unpooled.wrappedBuffer(new byte[100]));
        SegmentFooterEntry first = victim.add(new BlockToWrite(KEY, 0, ByteBuffer.allocate(3), body));
        SegmentFooterEntry second = victim.add(new BlockToWrite(KEY, 0, ByteBuffer.allocate(3), body));
        victim.flush();
        victim.seal();
        ByteBuffer record = ByteBuffer.allocate(first.recordBytes());
        Segment.readFully(victim.segment().file(), record, first.start());
        try (FileChannel file = FileChannel.open(victim.segment().path(), StandardOpenOption.WRITE)) {
            file.write(record.rewind(), second.start());
        }
        assertThat(parts.index().put(KEY, second.entry(victim.segment().number())))
                .isTrue();
        parts.policy().used(KEY);

        survivors.move(victim.segment(), (place, must) -> open, 1 << 20, false);

        assertThat(parts.index().find(KEY)).isNull();
    }

    @Test
    void pinnedBlockMovesThoughItIsNotRead() throws IOException {
        write();
        parts.pins().set(identity -> true);

        survivors.move(victim.segment(), (record, must) -> must ? open : null, 0, false);

        assertThat(find().segment()).isEqualTo(2);
    }

    @Test
    void failedCopyLeavesTheBlockInPlace() throws IOException {
        write();
        parts.policy().used(KEY);
        open.segment().writing().close();

        assertThatThrownBy(() -> survivors.move(victim.segment(), (record, must) -> open, 1 << 20, false))
                .isInstanceOf(IOException.class);

        assertThat(find().segment()).isEqualTo(1);
    }

    /** Hundreds of thousands of records may be listed, of which hardly one is found any more. */
    @Test
    void footerOfAVictimIsReadInSteps() throws IOException {
        for (int i = 0; i < 5000; i++) {
            victim.add(new BlockToWrite(KEY, i, ByteBuffer.allocate(0), List.of()));
        }
        victim.flush();
        victim.seal();
        int[] steps = new int[1];

        int records = SegmentFooter.of(victim.segment().file(), () -> steps[0]++)
                .entries()
                .size();

        assertThat(records).isEqualTo(5000);
        assertThat(steps[0]).isEqualTo(5);
    }

    private IndexEntry find() {
        return Objects.requireNonNull(parts.index().find(KEY));
    }

    private void write() throws IOException {
        List<ByteBuf> body = List.of(Unpooled.wrappedBuffer(new byte[100]));
        SegmentFooterEntry entry = victim.add(new BlockToWrite(KEY, 0, ByteBuffer.allocate(3), body));
        victim.flush();
        victim.seal();
        assertThat(parts.index().put(KEY, entry.entry(victim.segment().number())))
                .isTrue();
    }

    private SegmentWriter writer(int number) throws IOException {
        Segment segment = Segment.create(folder, number, UUID.randomUUID(), Runnable::run, () -> {});
        parts.segments().add(segment);
        return new SegmentWriter(segment, 1 << 20, new WriteBudget(Optional.empty(), System::nanoTime), parts.groups());
    }
}
