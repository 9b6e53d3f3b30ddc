package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.archive.ArchiveException;
import io.millrace.gateway.archive.MemberIndex;
import io.millrace.gateway.objects.monitor.MeterName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Indexes are made once a version, members are served when they are met, and indexes in memory are bounded. */
class ArchiveIndexesTest {
    private final ArchiveIndexes indexes = new ArchiveIndexes(Optional.empty(), 100_000);

    @Test
    void readersShareAScan() {
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 10, 100);
        SourceObject opened = tar.open("1");

        List<ArchiveIndex> found = Flux.range(0, 20)
                .flatMap(reader -> indexes.of(opened), 20)
                .collectList()
                .blockOptional()
                .orElseThrow();

        assertThat(found).hasSize(20).allMatch(index -> index == found.get(0));
        assertThat(tar.read()).hasSize(1);
        assertThat(indexes.known(opened)).isSameAs(found.get(0));
    }

    @Test
    void memberIsServedWhenTheScanMeetsIt() {
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 100, 10_000);
        Sinks.Empty<Void> rest = Sinks.empty();
        SourceObject opened = tar.open("1", tar.bytes().length / 2, rest.asMono());

        CompletableFuture<ArchiveIndex> last = indexes.with("00099", opened).toFuture();
        CompletableFuture<ArchiveIndex> absent = indexes.with("absent", opened).toFuture();
        for (String name : List.of("00040", "00003", "00040")) {
            ArchiveIndex alone = with(name, opened);
            assertThat(alone.members().size()).isEqualTo(1);
            assertThat(alone.members().position(alone.members().find(name))).isEqualTo(position(name));
        }

        assertThat(last).isNotDone();
        assertThat(absent).isNotDone();
        assertThat(indexes.known(opened)).isNull();
        rest.tryEmitEmpty();
        assertThat(last.join().members().find("00099")).isNotNegative();
        assertThat(absent.join().members().find("absent")).isNegative();
        assertThat(absent.join().members().size()).isEqualTo(100);
        assertThat(tar.read().stream().mapToLong(ByteRange::length).sum()).isLessThanOrEqualTo(tar.bytes().length);
    }

    /** Of millions that were met the first look takes a good part of a second, which an event loop has not. */
    @Test
    void readersThreadDoesNotLookForMembers() {
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 100, 10_000);
        Sinks.Empty<Void> rest = Sinks.empty();
        SourceObject opened = tar.open("1", tar.bytes().length / 2, rest.asMono());
        assertThat(with("00040", opened).members().size()).isEqualTo(1);

        Optional<Thread> answers = indexes.with("00003", opened)
                .map(index -> Thread.currentThread())
                .blockOptional(Duration.ofSeconds(60));

        assertThat(answers).isPresent().get().isNotSameAs(Thread.currentThread());
        rest.tryEmitEmpty();
    }

    private static long position(String name) {
        return Integer.parseInt(name) * (512L + 10_240) + 512;
    }

    private ArchiveIndex with(String name, SourceObject opened) {
        return indexes.with(name, opened).blockOptional(Duration.ofSeconds(60)).orElseThrow();
    }

    @Test
    void failureHurtsThoseWhoseMemberWasNotMet() {
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 100, 10_000);
        Sinks.Empty<Void> rest = Sinks.empty();
        SourceObject opened = tar.open("1", tar.bytes().length / 2, rest.asMono());
        CompletableFuture<ArchiveIndex> last = indexes.with("00099", opened).toFuture();
        ArchiveIndex first = with("00000", opened);

        rest.tryEmitError(new BackendException(FailureKind.UNAVAILABLE, "it is away"));

        assertThatThrownBy(last::join).hasRootCauseInstanceOf(BackendException.class);
        assertThat(first.members().find("00000")).isZero();
        assertThat(with("00099", tar.open("1")).members().find("00099")).isNotNegative();
    }

    @Test
    void scanGoesOnWithoutReaders() {
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 100, 10_000);
        Sinks.Empty<Void> rest = Sinks.empty();
        SourceObject opened = tar.open("1", tar.bytes().length / 2, rest.asMono());
        indexes.with("00099", opened).subscribe().dispose();

        rest.tryEmitEmpty();

        Polling.until("the index is made", () -> indexes.known(opened) != null);
    }

    @Test
    void anotherVersionHasAnotherIndex() {
        ArchiveIndex first = index(TestArchiveBytes.of("a.tar", 10, 100), "1");
        TestArchiveBytes replaced = TestArchiveBytes.of("a.tar", 11, 100);

        assertThat(indexes.known(replaced.open("2"))).isNull();
        ArchiveIndex second = index(replaced, "2");

        assertThat(second.members().size()).isEqualTo(11);
        assertThat(second.tag(0)).isNotEqualTo(first.tag(0));
    }

    @Test
    void placesOfAZipsDataAreThoseOfOneVersionAndCountAsMemory() throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (ZipOutputStream entries = new ZipOutputStream(written)) {
            for (String name : List.of("first", "second")) {
                entries.putNextEntry(new ZipEntry(name));
            }
        }
        TestArchiveBytes zip = new TestArchiveBytes("a.zip", written.toByteArray());
        ArchiveIndex index = index(zip, "1");
        long data = index.members().position(1) + 36;
        assertThat(index.dataPosition(1)).isEmpty();

        index.rememberDataPosition(1, data);

        assertThat(index.dataPosition(1)).hasValue(data);
        assertThat(index.dataPosition(0)).isEmpty();
        assertThat(index(zip, "2").dataPosition(1)).isEmpty();
        assertThat(index.bytes()).isEqualTo(index.members().bytes() + 2 * Integer.BYTES);
        ArchiveIndex tar = index(TestArchiveBytes.of("a.tar", 2, 100), "1");
        assertThat(tar.bytes()).isEqualTo(tar.members().bytes());
    }

    @Test
    void indexesBeyondTheMemoryAreMadeAnew() {
        TestArchiveBytes[] tars = new TestArchiveBytes[20];
        for (int i = 0; i < tars.length; i++) {
            tars[i] = TestArchiveBytes.of(i + ".tar", 500, 1);
            index(tars[i], "1");
        }

        long known = List.of(tars).stream()
                .filter(tar -> indexes.known(tar.open("1")) != null)
                .count();

        assertThat(known).isBetween(1L, 100_000L / (500 * 20));
    }

    @Test
    void indexThatIsTooLargeIsAnError() {
        ArchiveIndex index = index(TestArchiveBytes.of("a.tar", 5000, 1), "1");

        assertThat(index.members().size()).isLessThan(2000);
        assertThat(index.members().damage()).map(ArchiveException::kind).contains(ArchiveException.Kind.TOO_LARGE);
    }

    @Test
    void entriesOfAZipThatOverlapAreMissing() throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (ZipOutputStream entries = new ZipOutputStream(written)) {
            for (String name : List.of("first", "second", "third")) {
                entries.putNextEntry(new ZipEntry(name));
                entries.write(1);
            }
        }
        ByteBuffer zip = ByteBuffer.wrap(written.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
        int first = zip.getInt(zip.limit() - 22 + 16);
        int second = first + 46 + zip.getShort(first + 28) + zip.getShort(first + 30) + zip.getShort(first + 32);
        int third = second + 46 + zip.getShort(second + 28) + zip.getShort(second + 30) + zip.getShort(second + 32);
        // The third one says that it is where the second is.
        zip.putInt(third + 42, zip.getInt(second + 42));

        for (int count : new int[] {3, 2}) {
            zip.putShort(zip.limit() - 22 + 10, (short) count);
            MemberIndex members = index(new TestArchiveBytes(count + ".zip", zip.array()), "1")
                    .members();

            assertThat(members.damage()).map(ArchiveException::kind).contains(ArchiveException.Kind.DAMAGED);
            assertThat(members.size()).as("of %d", count).isEqualTo(1);
            assertThat(members.find("first")).isZero();
        }
    }

    /** What is hidden takes nothing in the index, but the scan remembers where it is. */
    @Test
    void zipOfTooManyHiddenEntriesIsAnError() throws IOException {
        ByteArrayOutputStream zip = new ByteArrayOutputStream();
        try (ZipOutputStream entries = new ZipOutputStream(zip)) {
            for (int i = 0; i < 2000; i++) {
                entries.putNextEntry(new ZipEntry(i + "/"));
            }
        }

        ArchiveIndex index = index(new TestArchiveBytes("a.zip", zip.toByteArray()), "1");

        assertThat(index.members().damage()).map(ArchiveException::kind).contains(ArchiveException.Kind.TOO_LARGE);
    }

    @Test
    void scansAndLookUpsAreCounted() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        indexes.register(meters);
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 10, 100);
        byte[] cut = Arrays.copyOf(tar.bytes(), 600);

        index(tar, "1");
        index(new TestArchiveBytes("cut.tar", cut), "1");
        assertThat(indexes.known(tar.open("1"))).isNotNull();
        assertThat(indexes.known(tar.open("2"))).isNull();
        assertThatThrownBy(() -> index(new TestArchiveBytes("a.tar.gz", cut), "1"))
                .isInstanceOf(BackendException.class);

        assertThat(List.of("ok", "damaged", "failed"))
                .extracting(outcome -> meters.get(MeterName.ARCHIVE_SCAN.wireName())
                        .tag("outcome", outcome)
                        .functionTimer()
                        .count())
                .containsExactly(1.0, 1.0, 1.0);
        assertThat(lookUps(meters, "hit")).isEqualTo(1);
        assertThat(lookUps(meters, "miss")).isEqualTo(3);
        assertThat(meters.get(MeterName.ARCHIVE_INDEXES.wireName()).gauge().value())
                .isEqualTo(2);
        assertThat(meters.get(MeterName.ARCHIVE_INDEX_BYTES.wireName()).gauge().value())
                .isGreaterThan(10 * 25);
    }

    private static double lookUps(SimpleMeterRegistry meters, String result) {
        return meters.get(MeterName.ARCHIVE_LOOKUPS.wireName())
                .tag("result", result)
                .functionCounter()
                .count();
    }

    @Test
    void hiddenEntriesAreCounted() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        indexes.register(meters);
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 2, 100);
        System.arraycopy(tar.bytes(), 0, tar.bytes(), 1024, 1024);

        index(tar, "1");

        assertThat(meters.get(MeterName.ARCHIVE_HIDDEN.wireName())
                        .tag("reason", "duplicate")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void scansBeyondThoseThatMayWaitAreRefused() {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        int waitOrRun = ArchiveIndexes.MOST_SCANS * 3 / 4 + ArchiveIndexes.MOST_WAITING / 2;
        for (int i = 0; i < waitOrRun + 3; i++) {
            SourceObject tar = TestArchiveBytes.of(i + ".tar", 1, 1).open("1");
            SourceObject hanging = new SourceObject(tar.id(), tar.head(), Optional.empty(), range -> Flux.never());
            indexes.of(hanging).subscribe(index -> {}, failures::add);
        }

        assertThat(failures)
                .hasSize(3)
                .allMatch(failure ->
                        failure instanceof BackendException known && known.kind() == BackendException.FailureKind.BUSY);
    }

    private ArchiveIndex index(TestArchiveBytes tar, String version) {
        return indexes.of(tar.open(version)).blockOptional().orElseThrow();
    }
}
