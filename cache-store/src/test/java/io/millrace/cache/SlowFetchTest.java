package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.FaultyObjectSource.Fault;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A request that stands still ends with its last reader, and binds nobody who comes later. Nothing here goes on unless
 * the test says so.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class SlowFetchTest {
    private static final int MIB = 1 << 20;
    private static final int FEW = 1000;
    private static final ByteRange WHOLE = new ByteRange(0, MIB - 1);
    private static final ByteRange REST = new ByteRange(FEW, MIB - 1);

    @TempDir
    Path folder;

    private TestCache cache;

    @BeforeEach
    void start() {
        cache = new TestCache(folder, "16MiB", "256MiB");
    }

    @AfterEach
    void stop() {
        cache.awaitIdle();
        cache.close();
    }

    @Test
    void requestThatBringsNothingEndsWithItsLastReader() {
        FaultyObjectSource source = FaultyObjectSource.with("left", MIB, new Fault.Stall(FEW));
        VerifyingReader reader = reading(source);
        reader.awaitBytes(FEW);

        reader.cancel();

        Polling.until("it is given up", () -> source.givenUp() == 1);
        // Its blocks are let go one after the other; whoever comes meanwhile asks for what is absent already.
        cache.awaitIdle();
        reading(source).await(MIB);
        assertThat(source.asked()).containsExactly(WHOLE, WHOLE);
    }

    @Test
    void requestWhoseReaderNeverCameEnds() {
        FaultyObjectSource source = FaultyObjectSource.with("opened", MIB, new Fault.Stall(FEW));

        assertThat(cache.head("opened", new ByteSelection.WholeObject(), source).block(Duration.ofSeconds(60)))
                .isNotNull();

        Polling.until("it is given up", () -> source.givenUp() == 1);
    }

    @Test
    void requestGoesOnWhileOneReaderStays() {
        FaultyObjectSource source = FaultyObjectSource.with("stays", MIB, new Fault.Stall(FEW));
        VerifyingReader first = reading(source);
        VerifyingReader second = reading(source);
        first.awaitBytes(FEW);
        second.awaitBytes(FEW);

        first.cancel();
        source.goOn();

        second.await(MIB);
        assertThat(source.givenUp()).isZero();
    }

    @Test
    void laterReaderOfARequestThatStandsStillGetsAllAndTheFirstOneToo() {
        FaultyObjectSource source = FaultyObjectSource.with("still", MIB, new Fault.Stall(FEW));
        VerifyingReader first = reading(source);
        first.awaitBytes(FEW);

        VerifyingReader later = reading(source);

        later.await(MIB);
        first.await(MIB);
        assertThat(source.asked()).containsExactly(WHOLE, REST);
        assertThat(source.givenUp()).as("the one that stands still").isEqualTo(1);
    }

    @Test
    void secondRequestThatFailsHurtsNobody() {
        FaultyObjectSource source = FaultyObjectSource.with(
                "refused", MIB, new Fault.Stall(FEW), new Fault.Refused(FailureKind.UNAVAILABLE));
        VerifyingReader first = reading(source);
        first.awaitBytes(FEW);
        VerifyingReader later = reading(source);
        Polling.until("it is sent again", () -> source.asked().size() == 2);

        source.goOn();

        first.await(MIB);
        later.await(MIB);
        assertThat(source.sent()).isEqualTo(MIB);
    }

    /** Which of the two answers first is left to chance; each byte is compared. */
    @Test
    void bothRequestsMayAnswerAtOnce() {
        for (int i = 0; i < 3; i++) {
            FaultyObjectSource source =
                    FaultyObjectSource.with("both-" + i, MIB, new Fault.Stall(FEW), new Fault.Stall(0));
            VerifyingReader first = reading(source);
            first.awaitBytes(FEW);
            VerifyingReader later = reading(source);
            Polling.until("it is sent again", () -> source.asked().size() == 2);

            source.goOn();

            first.await(MIB);
            later.await(MIB);
        }
    }

    @Test
    void secondRequestGoesOnIfTheFirstOneBreaksOff() {
        FaultyObjectSource source = FaultyObjectSource.with("broken", MIB, new Fault.CutLater(FEW), new Fault.Stall(0));
        VerifyingReader first = reading(source);
        first.awaitBytes(FEW);
        VerifyingReader later = reading(source);
        Polling.until("it is sent again", () -> source.asked().size() == 2);

        source.goOn();

        first.await(MIB);
        later.await(MIB);
        assertThat(source.asked()).containsExactly(WHOLE, REST);
    }

    private VerifyingReader reading(FaultyObjectSource source) {
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        cache.read(source.name(), source).subscribe(reader);
        return reader;
    }
}
