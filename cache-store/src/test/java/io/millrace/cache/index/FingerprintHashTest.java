package io.millrace.cache.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hash is the published one, so that what is known of its strength holds for ours. */
class FingerprintHashTest {
    /** Vectors of the reference implementation: key 00..0f, input 00, 01, … of the given length. */
    @ParameterizedTest
    @CsvSource({
        "0, a3817f04ba25a8e66df67214c7550293",
        "1, da87c1d86b99af44347659119b22fc45",
        "2, 8177228da4a45dc7fca38bdef60affe4",
        "3, 9c70b60c5267a94e5f33b6b02985ed51",
        "4, f88164c12d9c8faf7d0f6e7c7bcd5579",
        "7, a1f1ebbed8dbc153c0b84aa61ff08239",
        "8, 3b62a9ba6258f5610f83e264f31497b4"
    })
    void fingerprintsAreThoseOfTheReference(int length, String expected) {
        byte[] input = new byte[length];
        for (int i = 0; i < length; i++) {
            input[i] = (byte) i;
        }
        FingerprintHash hash = new FingerprintHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

        Fingerprint fingerprint = hash.of(input);

        ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(fingerprint.high()).putLong(fingerprint.low());
        assertThat(HexFormat.of().formatHex(bytes.array())).isEqualTo(expected);
    }
}
