package io.millrace.cache.residency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A share is read as operators write it, and nothing else is one. */
class QuotaSizeTest {
    @Test
    void partsAreOfTheRoomThereIs() {
        assertThat(QuotaSize.parse("25%").of(1000)).isEqualTo(250);
        assertThat(QuotaSize.parse("0.5%").of(1000)).isEqualTo(5);
        assertThat(QuotaSize.parse("100%").of(1000)).isEqualTo(1000);
    }

    @Test
    void bytesAreBytesWhateverTheRoom() {
        assertThat(QuotaSize.parse("2KiB").of(1000)).isEqualTo(2048);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0%", "0", "101%", "-5%", "25 %", "a quarter", "%", "1e3%"})
    void refusesInvalidSizes(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> QuotaSize.parse(text));
    }
}
