package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.bucket.BucketViews;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Listings are not cached for a prefix that a backend treats as another path, because no write would invalidate them.
 */
class ListCachePathAliasTest {
    @Promise("L3")
    @ParameterizedTest
    @CsvSource({
        "'', false",
        "a/, false",
        "a, false",
        ".a/, false",
        "/, true",
        "//, true",
        "./, true",
        "../, true",
        "/./, true",
        "a/../, true",
        "a//b, true",
        "/a, true",
        "./a, true"
    })
    void prefixThatMayBeAnotherIsFolded(String prefix, boolean folded) {
        InMemoryBackend strict = new InMemoryBackend();
        InMemoryBackend passed = new InMemoryBackend(Set.of(Capability.PATH_ALIASES));

        assertThat(ListCache.isFolded(BucketViews.of("bucket", passed, "bucket", ""), prefix))
                .isEqualTo(folded);
        assertThat(ListCache.isFolded(BucketViews.of("bucket", strict, "bucket", ""), prefix))
                .isFalse();
    }

    /** It may be no key, of which an alias is known. */
    @ParameterizedTest
    @CsvSource({"256, false", "257, true"})
    void longPrefixIsFolded(int length, boolean folded) {
        InMemoryBackend passed = new InMemoryBackend(Set.of(Capability.PATH_ALIASES));

        assertThat(ListCache.isFolded(BucketViews.of("bucket", passed, "bucket", ""), "a".repeat(length)))
                .isEqualTo(folded);
    }
}
