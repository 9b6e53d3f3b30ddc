package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests parsing and formatting of sizes: a wrong one fills a disk, or leaves it empty. */
class DataSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "4096, 4096",
        "4096B, 4096",
        "64KiB, 65536",
        "1MiB, 1048576",
        "20GiB, 21474836480",
        "1TiB, 1099511627776",
        "1kB, 1000",
        "3MB, 3000000",
        "5GB, 5000000000",
        "2TB, 2000000000000",
        "007MiB, 7340032",
        "8192TiB, 9007199254740992",
    })
    void readsWhatOperatorsWrite(String text, long bytes) {
        assertThat(DataSize.parse(text).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "-1", "-1MiB", "+1MiB", "1 MiB", "1 MB?", "1MB?", "1.5GiB", "1,5GiB", "MiB", "1m", "1M", "1Mi",
                "1K", "1KB", "1mib", "1MIB", "1PiB", "1 ", " 1", "1e3", "0x10", "١MiB", "1MiB1", "1MiB\n"
            })
    void refusesEverythingElse(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DataSize.parse(text))
                .withMessageContaining("not a size");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9007199254740993",
                "8193TiB",
                "4194304TiB",
                "9223372036854775807",
                "9223372036854775808",
                "8388608TiB",
                "10000000000GB",
                "99999999999999999999999"
            })
    void refusesWhatNoMachineHas(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DataSize.parse(text))
                .withMessage("is too large a size: the largest is 8192TiB");
    }

    @Test
    void refusesAMillionDigitsAtOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DataSize.parse("9".repeat(1_000_000)))
                .withMessageContaining("too large");
    }

    @Test
    void isNeverNegative() {
        assertThatIllegalArgumentException().isThrownBy(() -> new DataSize(-1));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0B",
        "1, 1B",
        "1000, 1kB",
        "1023, 1023B",
        "1024, 1KiB",
        "65536, 64KiB",
        "1048577, 1048577B",
        "500000000, 500MB",
        "1000000000000, 1TB",
        "21474836480, 20GiB",
        "1536000, 1500KiB",
    })
    void isWrittenAsAnOperatorWould(long bytes, String text) {
        assertThat(new DataSize(bytes)).hasToString(text);
    }

    @Test
    void parsesItsOwnFormat() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            long bytes = random.nextLong() >>> (11 + random.nextInt(53));
            DataSize size = new DataSize(i % 2 == 0 ? bytes : (bytes >>> 20) << 20);
            assertThat(DataSize.parse(size.toString())).isEqualTo(size);
        }
    }

    @Test
    void isMadeFromBinaryUnitsAndOrderedByBytes() {
        assertThat(DataSize.ofKibibytes(64)).isEqualTo(DataSize.parse("64KiB"));
        assertThat(DataSize.ofMebibytes(256)).isEqualTo(DataSize.parse("256MiB"));
        assertThat(DataSize.ofGibibytes(20)).isEqualTo(DataSize.parse("20GiB"));
        assertThat(DataSize.parse("1MB")).isLessThan(DataSize.parse("1MiB"));
    }
}
