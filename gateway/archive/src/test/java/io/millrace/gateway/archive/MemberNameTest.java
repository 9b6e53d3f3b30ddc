package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which names of entries can be part of a key. */
class MemberNameTest {
    private static final int LONGEST = 20;

    @ParameterizedTest
    @CsvSource({
        "a, a",
        "a/b.jpg, a/b.jpg",
        "./a, a",
        "././a, a",
        ".hidden, .hidden",
        "..., ...",
        "a/..b/c.., a/..b/c..",
        "a b\\c, a b\\c",
        "\u00e4\u65e5\uD83D\uDE00, \u00e4\u65e5\uD83D\uDE00",
        "12345678901234567890, 12345678901234567890"
    })
    void namesThatCanBeKeysStay(String spelled, String expected) {
        assertThat(name(spelled.getBytes(StandardCharsets.UTF_8))).isEqualTo(new MemberName(expected, null));
    }

    @ParameterizedTest
    @CsvSource({
        "/a, ABSOLUTE_NAME",
        "/, ABSOLUTE_NAME",
        ".//a, ABSOLUTE_NAME",
        "'', EMPTY_NAME",
        "./, EMPTY_NAME",
        "a//b, EMPTY_NAME",
        "a/, EMPTY_NAME",
        "., RELATIVE_NAME",
        ".., RELATIVE_NAME",
        "../a, RELATIVE_NAME",
        "a/./b, RELATIVE_NAME",
        "a/../../b, RELATIVE_NAME",
        "a/.., RELATIVE_NAME",
        "123456789012345678901, LONG_NAME",
        "1234567890123456789\u00e4, LONG_NAME"
    })
    void otherNamesAreHidden(String spelled, HiddenReason reason) {
        assertThat(name(spelled.getBytes(StandardCharsets.UTF_8))).isEqualTo(new MemberName("", reason));
    }

    @Test
    void beginningThatSaysNothingIsRemovedWithinABound() {
        assertThat(name(("./".repeat(512) + "a").getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(new MemberName("a", null));
        assertThat(name(("./".repeat(513) + "a").getBytes(StandardCharsets.UTF_8))
                        .hidden())
                .isEqualTo(HiddenReason.RELATIVE_NAME);
        assertThat(name(("./".repeat(1 << 19) + "a").getBytes(StandardCharsets.UTF_8))
                        .hidden())
                .isEqualTo(HiddenReason.LONG_NAME);
    }

    @Test
    void namesWithNulAreHidden() {
        assertThat(name(new byte[] {'a', 0, 'b'}).hidden()).isEqualTo(HiddenReason.NUL_IN_NAME);
    }

    /** Latin-1, a cut character, a surrogate, a slash in two bytes: a guess would give a key that nobody chose. */
    @Test
    void namesThatAreNotUtf8AreHidden() {
        for (byte[] name : new byte[][] {
            {'a', (byte) 0xe4},
            {(byte) 0xe6, (byte) 0x97},
            {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
            {(byte) 0xc0, (byte) 0xaf}
        }) {
            assertThat(name(name).hidden()).isEqualTo(HiddenReason.NAME_NOT_UTF8);
        }
    }

    private static MemberName name(byte[] bytes) {
        return MemberName.of(bytes, 0, bytes.length, LONGEST);
    }
}
