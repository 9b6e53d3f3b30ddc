package io.millrace.backend.testkit.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ObjectKey;
import org.junit.jupiter.api.Test;

/** The list has at least 300 different keys. */
class DifficultKeysTest {
    @Test
    void holdsAtLeastThreeHundredNamesEachOnce() {
        assertThat(DifficultKeys.keys()).hasSizeGreaterThanOrEqualTo(300).doesNotHaveDuplicates();
    }

    @Test
    void holdsTheWorst() {
        assertThat(DifficultKeys.keys())
                .extracting(ObjectKey::value)
                .contains(
                        "..",
                        ".",
                        "a/../b",
                        "//",
                        "/",
                        "a",
                        "a/b",
                        "%2F",
                        "%252F",
                        "ctl\u0000c",
                        "\uFFFF",
                        "a//b",
                        "a/");
    }
}
