package io.millrace.backend.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFoldingTest {
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
        assertThat(KeyFolding.other(new ObjectKey(key))).contains(new ObjectKey(other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b", "a/", ".git/config", "a/.git/b", "a/...", "/", "//", ".", "a/.."})
    void thereIsNoOther(String key) {
        assertThat(KeyFolding.other(new ObjectKey(key))).isEmpty();
    }
}
