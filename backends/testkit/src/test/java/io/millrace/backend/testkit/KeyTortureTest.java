package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectKey;
import org.junit.jupiter.api.Test;

/** The list is a promise of at least 300 names; a slip in its code must not quietly shorten it. */
class KeyTortureTest {
    @Test
    void holdsAtLeastThreeHundredNamesEachOnce() {
        assertThat(KeyTorture.keys()).hasSizeGreaterThanOrEqualTo(300).doesNotHaveDuplicates();
    }

    @Test
    void holdsTheWorst() {
        assertThat(KeyTorture.keys())
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
