package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.metadata.ObjectId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Heads in memory are bounded by what they hold: all that is long counts. */
class KnownHeadsTest {
    @Test
    void keysAndIdsOfVersionsCount() {
        int least = weight("k", "v");

        assertThat(weight("k".repeat(1001), "v")).isEqualTo(least + 1000);
        assertThat(weight("k", "v".repeat(1001))).isEqualTo(least + 1000);
    }

    private static int weight(String key, String versionId) {
        ObjectId id = new ObjectId("test", TestCache.id(key).object(), Optional.of(versionId));
        return KnownHeads.weight(id, Optional.empty());
    }
}
