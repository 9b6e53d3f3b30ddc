package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tombstone that is let go while what it hides is still on a disk brings an old head back at the next start. */
class SurvivorsTest {
    private static final Fingerprint KEY = new Fingerprint(1, 2);
    private static final Fingerprint VERSION = new Fingerprint(3, 4);

    @TempDir
    Path folder;

    // A key of its own each time would put the only block where the policy looks for others, now and then.
    private final StoreParts parts = TestLog.parts(new FingerprintHash(1, 2));
    private final Survivors survivors = new Survivors(parts, () -> 1 << 20);
    private final AtomicInteger doubts = new AtomicInteger();
    private Segment other;
    private SegmentWriter victim;
    private SegmentWriter open;

    @BeforeEach
    void create() throws IOException {
        other = segment(1);
        victim = new SegmentWriter(
                segment(2), 1 << 20, new WriteBudget(Optional.empty(), System::nanoTime), parts.groups());
        open = new SegmentWriter(
                segment(3), 1 << 20, new WriteBudget(Optional.empty(), System::nanoTime), parts.groups());
    }

    @AfterEach
    void close() {
        parts.segments().all().forEach(Segment::release);
    }

    @Test
    void tombstoneThatMayHideSomethingMoves() throws IOException {
        other.holds(5);
        write(Kind.TOMBSTONE, 9);

        survivors.move(victim.segment(), (line, must) -> open, 0);

        assertThat(find().segment()).isEqualTo(3);
        assertThat(doubts).hasValue(0);
    }

    @Test
    void tombstoneThatHidesNothingGoes() throws IOException {
        other.holds(10);
        write(Kind.TOMBSTONE, 9);

        survivors.move(victim.segment(), (line, must) -> open, 0);

        assertThat(parts.index().find(KEY)).isNull();
        assertThat(doubts).hasValue(0);
    }

    @Test
    void whereThereIsNoRoomForATombstoneWhatItHidesIsDoubted() throws IOException {
        other.holds(5);
        write(Kind.TOMBSTONE, 9);

        survivors.move(victim.segment(), (line, must) -> null, 0);

        assertThat(parts.index().find(KEY)).isNull();
        assertThat(doubts).hasValue(1);
    }

    @Test
    void whatCannotBeWrittenIsWhereItWas() throws IOException {
        write(Kind.OBJECT, 9);
        use(KEY);
        open.segment().writing().close();

        assertThatThrownBy(() -> survivors.move(victim.segment(), (line, must) -> open, 1 << 20))
                .isInstanceOf(IOException.class);

        assertThat(find().segment()).isEqualTo(2);
    }

    @Test
    void ofAnObjectWhoseHeadIsOldOnlyTheBlockMoves() throws IOException {
        write(Kind.OBJECT, 5);
        Fingerprint block = parts.hash().of(VERSION, 0);
        use(block);
        assertThat(parts.index().remove(KEY, find().place())).isTrue();

        survivors.move(victim.segment(), (line, must) -> open, 1 << 20);

        Entry moved = Objects.requireNonNull(parts.index().find(block));
        RecordHeader header =
                RecordHeader.read(open.segment().file(), moved.start()).orElseThrow();
        assertThat(header.kind()).isEqualTo(Kind.BLOCK);
        assertThat(header.key()).isEqualTo(block);
        assertThat(parts.index().find(KEY)).isNull();
    }

    /** Hundreds of thousands of records may be listed, of which hardly one is found any more. */
    @Test
    void victimsListIsReadInSteps() throws IOException {
        for (int i = 0; i < 5000; i++) {
            victim.add(new BlockDraft(Kind.HEAD, i, KEY, VERSION, 0, ByteBuffer.allocate(0), List.of()));
        }
        victim.flush();
        victim.seal();
        int[] steps = new int[1];

        int lines = Footer.of(victim.segment().file(), () -> steps[0]++).lines().size();

        assertThat(lines).isEqualTo(5000);
        assertThat(steps[0]).isEqualTo(5);
    }

    private void use(Fingerprint key) {
        parts.policy().used(key);
    }

    private Entry find() {
        return Objects.requireNonNull(parts.index().find(KEY));
    }

    private void write(Kind kind, long sequence) throws IOException {
        List<ByteBuf> body = kind == Kind.OBJECT ? List.of(Unpooled.wrappedBuffer(new byte[100])) : List.of();
        FooterEntry line = victim.add(new BlockDraft(kind, sequence, KEY, VERSION, 0, ByteBuffer.allocate(3), body));
        victim.flush();
        victim.seal();
        assertThat(new Newest(parts).put(line, victim.segment().number())).isEqualTo(Newest.Result.FOUND);
    }

    private Segment segment(int number) throws IOException {
        Segment.Home home = new Segment.Home(Runnable::run, () -> 0, doubts::incrementAndGet);
        Segment segment = Segment.create(folder, number, UUID.randomUUID(), home, () -> {});
        parts.segments().add(segment);
        return segment;
    }
}
