package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was invalidated must be doubted, for ever; what was not must not be, as long as there is room to tell them apart. */
class InvalidatedPrefixesTest {
    private static final BucketName BUCKET = new BucketName("bucket");

    @Test
    void aKeyIsCoveredByEachPrefixOfItAndByNoOther() {
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes();
        prefixes.add(below("a/b"), 10);
        prefixes.add(below("a/bc/d"), 20);

        assertThat(prefixes.covers(id("a/b"), 9)).isTrue();
        assertThat(prefixes.covers(id("a/b"), 10)).isFalse();
        assertThat(prefixes.covers(id("a/bc/x"), 9)).isTrue();
        assertThat(prefixes.covers(id("a/bc/x"), 15)).isFalse();
        assertThat(prefixes.covers(id("a/bc/d/e"), 15)).isTrue();
        for (String beside : List.of("a", "a/a", "a/", "b", "a/c", "", "A/b")) {
            assertThat(beside.isEmpty() || !prefixes.covers(id(beside), 0))
                    .as(beside)
                    .isTrue();
        }
    }

    @Test
    void anotherBucketAndAnotherBackendAreNotCovered() {
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes();
        prefixes.add(below(""), 10);

        assertThat(prefixes.covers(id("any"), 9)).isTrue();
        assertThat(prefixes.covers(ObjectId.current("other", ref(BUCKET, "any")), 9))
                .isFalse();
        assertThat(prefixes.covers(ObjectId.current("test", ref(new BucketName("others"), "any")), 9))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void itSaysWhatAListOfAllOfThemWouldSay(long seed) {
        Random random = new Random(seed);
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes();
        List<InvalidatedPrefixes.Mark> all = new ArrayList<>();
        for (int i = 1; i < 2_000; i++) {
            ObjectPrefix below = below(text(random, 6));
            prefixes.add(below, i);
            all.add(new InvalidatedPrefixes.Mark(java.util.Optional.of(below), i));
            ObjectId id = id(text(random, 8) + "x");
            long sequence = random.nextInt(i + 1);
            boolean covered =
                    all.stream().anyMatch(mark -> mark.below().orElseThrow().holds(id) && sequence < mark.sequence());
            assertThat(prefixes.covers(id, sequence))
                    .as("seed %d, %s under %d", seed, id, sequence)
                    .isEqualTo(covered);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whereThereIsNoRoomMoreIsDoubtedAndNeverLess(long seed) {
        Random random = new Random(seed);
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes(50, 1_000);
        List<ObjectPrefix> all = new ArrayList<>();
        for (int i = 1; i < 3_000; i++) {
            BucketName bucket = new BucketName("bucket-" + random.nextInt(seed == 4 ? 500 : 3));
            ObjectPrefix below = new ObjectPrefix("test", bucket, text(random, 12));
            prefixes.add(below, i);
            all.add(below);
            int any = random.nextInt(all.size());
            ObjectId id = ObjectId.current(
                    "test", ref(all.get(any).bucket(), all.get(any).prefix() + "x"));
            assertThat(prefixes.covers(id, any)).as("seed %d, %s", seed, id).isTrue();
            assertThat(prefixes.covers(id, i)).as("what came behind all").isFalse();
            assertThat(prefixes.all()).hasSizeLessThanOrEqualTo(51);
        }
    }

    @Test
    void foldersAreDoubtedBeforeWholeBuckets() {
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes(10, 1 << 20);
        for (int i = 0; i <= 10; i++) {
            prefixes.add(below("train/n-" + i), i + 1);
        }

        assertThat(prefixes.all()).hasSize(1);
        assertThat(prefixes.covers(id("train/other"), 1)).isTrue();
        assertThat(prefixes.covers(id("test/other"), 1)).isFalse();
    }

    @Test
    void whereCharactersAreTooManyTheBucketThatHasTheMostOfThemGivesWay() {
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes(1_000, 1_000);
        ObjectPrefix few = new ObjectPrefix("test", new BucketName("few"), "long/" + "x".repeat(600) + "/y/");
        prefixes.add(few, 1);
        for (int i = 0; i < 120; i++) {
            prefixes.add(below("n-" + i), i + 2);
        }

        // 608 of some thousand characters are those of one prefix; the short ones stay told apart.
        assertThat(prefixes.all()).hasSize(121);
        assertThat(prefixes.covers(ObjectId.current("test", ref(few.bucket(), "long/other")), 0))
                .isTrue();
        assertThat(prefixes.covers(id("other"), 0)).isFalse();
    }

    private static String text(Random random, int most) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(most + 1); length > 0; length--) {
            text.append("ab/".charAt(random.nextInt(3)));
        }
        return text.toString();
    }

    private static ObjectPrefix below(String prefix) {
        return new ObjectPrefix("test", BUCKET, prefix);
    }

    private static ObjectId id(String key) {
        return ObjectId.current("test", ref(BUCKET, key.isEmpty() ? "x" : key));
    }

    private static ObjectRef ref(BucketName bucket, String key) {
        return new ObjectRef(bucket, new ObjectKey(key));
    }
}
