package io.millrace.backend.spi.object;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyPathNormalizerTest {
    @ParameterizedTest
    @CsvSource({
        "/a, a",
        "//a//b, a/b",
        "a//, a/",
        "a/./b, a/b",
        "./a, a",
        "x/../a, a",
        "../a, a",
        "a/., a",
        "a//.git/x, a/.git/x"
    })
    void aServerOfFilesTakesItForAnother(String key, String other) {
        assertThat(KeyPathNormalizer.alias(new ObjectKey(key))).contains(new ObjectKey(other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b", "a/", ".git/config", "a/.git/b", "a/...", "/", "//", ".", "a/.."})
    void thereIsNoOther(String key) {
        assertThat(KeyPathNormalizer.alias(new ObjectKey(key))).isEmpty();
    }
}
