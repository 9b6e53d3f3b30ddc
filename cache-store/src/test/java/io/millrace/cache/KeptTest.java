package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.testkit.LeakGuard;
import io.netty.util.ReferenceCounted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** What is to stay does, however much else comes, and no more than half of a disk. */
@ExtendWith(LeakGuard.class)
class KeptTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private TestCache test;

    @BeforeEach
    void open() {
        test = new TestCache(folder, "32MiB", "32MiB");
    }

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void whatIsKeptOutlivesSeveralTurnsOfTheCache() {
        keep(key -> key.startsWith("kept"));
        bring("kept", 8, MIB);
        bring("kept-small", 50, 4096);

        bring("other", 150, MIB);

        assertThat(cached("kept", 8)).isEqualTo(8L * MIB);
        assertThat(cached("kept-small", 50)).isEqualTo(50 * 4096);
        assertThat(cached("other", 150)).isPositive();
    }

    @Test
    void whatIsNotKeptAnyMoreGoesLikeAllElse() {
        keep(key -> key.startsWith("kept"));
        bring("kept", 8, MIB);
        bring("other", 60, MIB);

        test.cache().keep(KeptObjects.NONE);
        bring("more", 60, MIB);

        assertThat(cached("kept", 8)).isZero();
    }

    @Test
    void moreThanHalfOfADiskIsNotKept() {
        keep(key -> key.startsWith("kept"));

        bring("kept", 60, MIB);
        bring("other", 100, MIB);

        assertThat(cached("kept", 60)).isBetween(6L * MIB, 17L * MIB);
        assertThat(cached("other", 100)).isPositive();
        assertThat(test.cache().state().used()).isLessThanOrEqualTo(40L * MIB);
    }

    @Test
    void afterARestartItIsStillThere() {
        keep(key -> key.startsWith("kept"));
        bring("kept", 8, MIB);
        bring("other", 60, MIB);

        test.close();
        test = new TestCache(folder, "32MiB", "32MiB");
        keep(key -> key.startsWith("kept"));
        bring("more", 100, MIB);

        assertThat(cached("kept", 8)).isEqualTo(8L * MIB);
    }

    @Test
    void whatIsKeptIsStoredAlsoWhereOthersAreReadMoreOften() {
        bring("other", 60, MIB);
        keep(key -> key.startsWith("kept"));

        for (int i = 0; i < 4; i++) {
            test.read("kept-" + i, FaultySource.sound("kept-" + i, MIB))
                    .doOnNext(ReferenceCounted::release)
                    .blockLast(Duration.ofSeconds(30));
            test.read("newcomer-" + i, FaultySource.sound("newcomer-" + i, MIB))
                    .doOnNext(ReferenceCounted::release)
                    .blockLast(Duration.ofSeconds(30));
        }
        test.awaitIdle();

        assertThat(cached("kept", 4)).isEqualTo(4L * MIB);
    }

    private void keep(Predicate<String> keys) {
        test.cache().keep(new KeptObjects() {
            @Override
            public boolean isNone() {
                return false;
            }

            @Override
            public boolean keeps(ObjectId id) {
                return keys.test(id.object().key().value());
            }
        });
    }

    private void bring(String name, int objects, int size) {
        Flux.range(0, objects)
                .flatMap(
                        number -> {
                            String key = name + "-" + number;
                            FaultySource source = FaultySource.sound(key, size);
                            return test.cache()
                                    .openAhead(TestCache.id(key), new Selection.Whole(), source)
                                    .map(opened -> ((Opened.Known) opened).head())
                                    .flatMap(head -> test.cache().warm(head, new ByteRange(0, size - 1), source));
                        },
                        16)
                .blockLast(Duration.ofSeconds(60));
        test.awaitIdle();
    }

    private long cached(String name, int objects) {
        long bytes = 0;
        for (int i = 0; i < objects; i++) {
            CachedHead head = test.cache().find(TestCache.id(name + "-" + i)).block();
            bytes += head == null ? 0 : test.cache().resident(head);
        }
        return bytes;
    }
}
