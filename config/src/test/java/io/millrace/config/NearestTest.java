package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A suggestion saves a look into the manual; a wrong one costs more than none. */
class NearestTest {
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
        assertThat(Nearest.of(written, KEYS)).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"x", "endpoint", "cache", "a", "zzzzzzzzzz"})
    void staysSilentWhenNothingIsNear(String written) {
        assertThat(Nearest.of(written, KEYS)).isEmpty();
    }

    @Test
    void takesNoTimeForLongTexts() {
        assertThat(Nearest.of("x".repeat(1_000_000), KEYS)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'', '', 0", "a, '', 1", "kitten, sitting, 3", "ab, ba, 1", "abcd, acbd, 1", "ca, abc, 3"})
    void countsTheSlips(String a, String b, int slips) {
        assertThat(Nearest.distance(a, b)).isEqualTo(slips);
    }
}
