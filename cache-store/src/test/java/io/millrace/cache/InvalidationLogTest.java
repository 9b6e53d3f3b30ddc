package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.cache.InvalidatedPrefixes.Mark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that lost an invalidation without saying so would bring old content back. */
class InvalidationLogTest {
    /** As the numbers of another run. */
    private static final long NEXT_RUN = 1_000_000;

    @TempDir
    Path folder;

    @Test
    void whatWasAppendedIsThereInTheNextRun() throws IOException {
        begin("train/\t\n%é ", "");

        InvalidatedPrefixes found = read();

        assertThat(found.covers(id("bucket", "train/\t\n%é x"), 5)).isTrue();
        assertThat(found.covers(id("bucket", "train/"), 5)).isFalse();
        assertThat(found.covers(id("whole", "any"), 5)).isTrue();
        assertThat(found.covers(id("whole", "any"), 12)).isFalse();
    }

    @Test
    void aLastLineThatIsNotWholeWasNeverAcknowledged() throws IOException {
        begin("a/", "b/");
        byte[] whole = Files.readAllBytes(file());
        for (int cut = 1; cut < 20; cut++) {
            Files.write(file(), java.util.Arrays.copyOf(whole, whole.length - cut));

            InvalidatedPrefixes found = read();

            assertThat(found.covers(id("bucket", "a/x"), 5)).as("cut %d", cut).isTrue();
            assertThat(found.covers(id("other", "x"), 5)).as("cut %d", cut).isFalse();
        }
    }

    @Test
    void aLineThatIsDamagedMakesEverythingDoubtful() throws IOException {
        begin("a/", "b/");
        String text = Files.readString(file());
        Files.writeString(file(), text.replace("a%2F", "c%2F"));

        InvalidatedPrefixes found = read();

        assertThat(found.covers(id("other", "x"), NEXT_RUN - 1)).isTrue();
        assertThat(found.covers(id("other", "x"), NEXT_RUN)).isFalse();
        // And it stays so.
        assertThat(read().covers(id("other", "x"), NEXT_RUN - 1)).isTrue();
    }

    @Test
    void damageToTheLastLineThatWasAcknowledgedMakesEverythingDoubtful() throws IOException {
        begin("a/", "b/");
        byte[] whole = Files.readAllBytes(file());
        // Behind the last line that is whole, up to its end.
        for (int at = whole.length - 20; at < whole.length - 1; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 1;
            Files.write(file(), damaged);

            assertThat(read().covers(id("other", "x"), NEXT_RUN - 1))
                    .as("at %d", at)
                    .isTrue();
        }
    }

    @Test
    void bytesThatAreNoTextAreDamageWhereverTheyAre() throws IOException {
        begin("a/", "b/");
        byte[] whole = Files.readAllBytes(file());
        for (int at = 0; at < whole.length - 1; at++) {
            byte[] damaged = whole.clone();
            damaged[at] |= (byte) 0x80;
            Files.write(file(), damaged);

            assertThat(read().covers(id("other", "x"), NEXT_RUN - 1))
                    .as("at %d", at)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-2", "1x", "x", "02", "2 "})
    void aHeadingThatNoProgramWritesIsDamage(String format) throws IOException {
        Files.writeString(file(), "millrace invalidations " + format + "\n");

        assertThat(read().covers(id("other", "x"), NEXT_RUN - 1)).isTrue();
    }

    @Test
    void aFileThatIsGoneOrEmptyMakesEverythingDoubtful() throws IOException {
        begin("a/", "b/");
        Files.delete(file());
        assertThat(read().covers(id("other", "x"), 5)).isTrue();
        Files.write(file(), new byte[0]);
        assertThat(read().covers(id("other", "x"), 5)).isTrue();
    }

    @Test
    void whereThereNeverWasAFileNothingIsDoubtful() throws IOException {
        InvalidatedPrefixes found = new InvalidatedPrefixes();
        InvalidationLog.open(folder, found, false, NEXT_RUN).close();

        assertThat(found.covers(id("other", "x"), 5)).isFalse();
    }

    @Test
    void aFileOfANewerProgramIsRefused() throws IOException {
        Files.writeString(file(), "millrace invalidations 2\n");

        assertThatThrownBy(this::read).isInstanceOf(IOException.class).hasMessageContaining("newer Millrace");
    }

    @Test
    void whatCouldNotBeWrittenIsWrittenWithTheNext() throws IOException {
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes();
        InvalidationLog log = InvalidationLog.open(folder, prefixes, false, 1);
        log.close();
        Mark first = mark("bucket", "a/", 10);
        prefixes.add(first.below().orElseThrow(), 10);
        assertThatThrownBy(() -> log.append(first)).isInstanceOf(IOException.class);
        Mark second = mark("bucket", "b/", 11);
        prefixes.add(second.below().orElseThrow(), 11);
        log.append(second);
        log.close();

        InvalidatedPrefixes found = read();
        assertThat(found.covers(id("bucket", "a/x"), 5)).isTrue();
        assertThat(found.covers(id("bucket", "b/x"), 5)).isTrue();
    }

    @Test
    void theFileStaysSmall() throws IOException {
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes();
        try (InvalidationLog log = InvalidationLog.open(folder, prefixes, false, 1)) {
            for (int i = 0; i < 6_000; i++) {
                Mark mark = mark("bucket", "x".repeat(900) + i % 10, 10 + i);
                prefixes.add(mark.below().orElseThrow(), mark.sequence());
                log.append(mark);
            }
        }

        assertThat(Files.size(file())).isLessThan(5 << 20);
        assertThat(read().covers(id("bucket", "x".repeat(900) + 7), 6_000)).isTrue();
    }

    private void begin(String ofBucket, String ofWhole) throws IOException {
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes();
        try (InvalidationLog log = InvalidationLog.open(folder, prefixes, false, 1)) {
            for (Mark mark : new Mark[] {mark("bucket", ofBucket, 10), mark("whole", ofWhole, 11)}) {
                prefixes.add(mark.below().orElseThrow(), mark.sequence());
                log.append(mark);
            }
        }
    }

    private InvalidatedPrefixes read() throws IOException {
        InvalidatedPrefixes found = new InvalidatedPrefixes();
        InvalidationLog.open(folder, found, true, NEXT_RUN).close();
        return found;
    }

    private Path file() throws IOException {
        Path file = folder.resolve(InvalidationLog.NAME);
        Files.write(file, new byte[0], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return file;
    }

    private static Mark mark(String bucket, String prefix, long sequence) {
        return new Mark(Optional.of(new ObjectPrefix("test", new BucketName(bucket), prefix)), sequence);
    }

    private static ObjectId id(String bucket, String key) {
        return ObjectId.current("test", new ObjectRef(new BucketName(bucket), new ObjectKey(key)));
    }
}
