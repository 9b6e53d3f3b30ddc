package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.gateway.archive.ArchiveException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Indexes are made once a version, and those in memory are bounded. */
class ArchiveIndexesTest {
    private final ArchiveIndexes indexes = new ArchiveIndexes(100_000);

    @Test
    void readersShareAScan() {
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 10, 100);
        OpenArchive opened = tar.open("1");

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
    void anotherVersionHasAnotherIndex() {
        ArchiveIndex first = index(TestArchiveBytes.of("a.tar", 10, 100), "1");
        TestArchiveBytes replaced = TestArchiveBytes.of("a.tar", 11, 100);

        assertThat(indexes.known(replaced.open("2"))).isNull();
        ArchiveIndex second = index(replaced, "2");

        assertThat(second.members().size()).isEqualTo(11);
        assertThat(second.tag(0)).isNotEqualTo(first.tag(0));
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
    void scansBeyondThoseThatMayWaitAreRefused() {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        int waitOrRun = ArchiveIndexes.MOST_SCANS + ArchiveIndexes.MOST_WAITING / 2;
        for (int i = 0; i < waitOrRun + 3; i++) {
            OpenArchive tar = TestArchiveBytes.of(i + ".tar", 1, 1).open("1");
            OpenArchive hanging = new OpenArchive(tar.id(), tar.head(), Optional.empty(), range -> Flux.never());
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
