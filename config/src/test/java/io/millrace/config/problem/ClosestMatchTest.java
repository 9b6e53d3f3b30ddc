package io.millrace.config.problem;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests suggestions for misspelt words; a wrong suggestion is worse than none. */
class ClosestMatchTest {
    private static final List<String> KEYS = List.of("block-size", "disks", "port", "address", "secret-key", "ttl");

    @ParameterizedTest
    @CsvSource({
        "blocksize, block-size",
        "blockSize, block-size",
        "block_size, block-size",
        "BLOCK-SIZE, block-size",
        "blok-size, block-size",
        "disk, disks",
        "prot, port",
        "adress, address",
        "secretkey, secret-key",
        "tll, ttl",
    })
    void findsWhatWasMeant(String written, String meant) {
        assertThat(ClosestMatch.find(written, KEYS)).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"x", "endpoint", "cache", "a", "zzzzzzzzzz"})
    void staysSilentWhenNothingIsNear(String written) {
        assertThat(ClosestMatch.find(written, KEYS)).isEmpty();
    }

    @Test
    void takesNoTimeForLongTexts() {
        assertThat(ClosestMatch.find("x".repeat(1_000_000), KEYS)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'', '', 0", "a, '', 1", "kitten, sitting, 3", "ab, ba, 1", "abcd, acbd, 1", "ca, abc, 3"})
    void countsTheSlips(String a, String b, int slips) {
        assertThat(ClosestMatch.distance(a, b)).isEqualTo(slips);
    }
}
