package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that a write changes the epoch of each listing that may show it, and hardly any other. */
class ListEpochsTest {
    private static final BucketName BUCKET = new BucketName("bucket");

    private final ListEpochs epochs = new ListEpochs();

    @Test
    void writeRaisesTheFoldersOfItsKey() {
        epochs.raiseFolders("b", BUCKET, "a/b/c");

        for (String prefix : new String[] {"", "x", "a/", "a/x", "a/b/", "a/b/x"}) {
            assertThat(epochs.of("b", BUCKET, prefix)).as(prefix).isEqualTo(1);
        }
        for (String prefix : new String[] {"b/", "a/b/c/", "a/c/", "/"}) {
            assertThat(epochs.of("b", BUCKET, prefix)).as(prefix).isZero();
        }
        assertThat(epochs.of("c", BUCKET, "a/")).isZero();
        assertThat(epochs.of("b", new BucketName("other"), "a/")).isZero();
    }

    @Test
    void changeOfABucketRaisesAllItsFolders() {
        epochs.raiseBucket("b", BUCKET);

        assertThat(epochs.of("b", BUCKET, "")).isEqualTo(1);
        assertThat(epochs.of("b", BUCKET, "a/b/")).isEqualTo(1);
        assertThat(epochs.of("b", new BucketName("other"), "")).isZero();
    }

    @Test
    void allAreRaisedTogether() {
        epochs.raiseAll();

        for (String prefix : new String[] {"", "a/", "a/b/"}) {
            assertThat(epochs.of("b", BUCKET, prefix)).as(prefix).isEqualTo(2);
        }
    }

    @Test
    void writesWithoutAResponseAreCountedUntilTheyEnd() {
        epochs.countUnansweredWrites("b", BUCKET, "a/k", 1);
        epochs.countUnansweredWrites("b", BUCKET, "a/l", 1);
        epochs.countUnansweredWrites("b", BUCKET, "a/k", -1);

        assertThat(epochs.hasUnansweredWrites("b", BUCKET, "a/")).isTrue();
        assertThat(epochs.hasUnansweredWrites("b", BUCKET, "")).isTrue();
        assertThat(epochs.hasUnansweredWrites("b", BUCKET, "c/")).isFalse();
        epochs.countUnansweredWrites("b", BUCKET, "a/l", -1);
        assertThat(epochs.hasUnansweredWrites("b", BUCKET, "a/")).isFalse();
        assertThat(epochs.of("b", BUCKET, "a/")).isZero();
    }

    /** Otherwise writes of one folder would keep the listings of the others out of the cache. */
    @Test
    void foldersHardlyEverShareAnEpoch() {
        epochs.raiseFolders("b", BUCKET, "train/shard/key");

        assertThat(IntStream.range(0, 10_000)
                        .filter(i -> epochs.of("b", BUCKET, "train/shard-%05d/".formatted(i)) != 0)
                        .count())
                .isLessThan(20);
        assertThat(IntStream.range(0, 10_000)
                        .filter(i -> epochs.of("b", new BucketName("bucket-" + i), "") != 0)
                        .count())
                .isLessThan(20);
    }
}
