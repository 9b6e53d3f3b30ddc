package io.millrace.backend.spi.checksum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A checksum of ours that differs from the client's refuses good bodies, or passes bad ones on. */
class ChecksumAlgorithmTest {
    /** The values that catalogues of CRCs give for these nine digits, and FIPS 180's functions of them. */
    @ParameterizedTest
    @CsvSource({
        "CRC32,     cbf43926",
        "CRC32C,    e3069283",
        "CRC64NVME, ae8b14860a799888",
        "SHA1,      f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        "SHA256,    15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        "SHA512,    d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d4"
                + "99c95455b6b5bb503acf574fba8ffe85",
        "MD5,       25f9e794323b453885f5181f1b624d0b"
    })
    void checkValueIsRight(ChecksumAlgorithm algorithm, String hex) {
        ChecksumDigest digest = algorithm.newDigest();
        digest.update("123456789".getBytes(StandardCharsets.ISO_8859_1));

        byte[] value = digest.bytes();

        assertThat(HexFormat.of().formatHex(value)).isEqualTo(hex);
        assertThat(value).hasSize(algorithm.length());
    }

    @Test
    void crc64MatchesTheBitwiseReference() {
        Random random = new Random(64);
        for (int length = 0; length < 600; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            int split = length == 0 ? 0 : random.nextInt(length);
            Crc64Nvme crc = new Crc64Nvme();
            crc.update(bytes, 0, split);
            ByteBuffer rest = ByteBuffer.allocateDirect(length - split).put(bytes, split, length - split);
            crc.update(rest.flip());

            assertThat(crc.getValue()).isEqualTo(bitwiseCrc64(bytes));
            assertThat(rest.hasRemaining()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "XXHASH.*")
    void allBufferTypesGiveTheSameChecksum(ChecksumAlgorithm algorithm) {
        byte[] bytes = new byte[10_000];
        new Random(7).nextBytes(bytes);
        ChecksumDigest expected = algorithm.newDigest();
        expected.update(bytes);
        String base64 = expected.base64();

        for (ByteBuf buffer : List.of(
                Unpooled.wrappedBuffer(bytes),
                Unpooled.directBuffer(bytes.length).writeBytes(bytes),
                composite(bytes),
                Unpooled.directBuffer(bytes.length + 7)
                        .writeZero(7)
                        .writeBytes(bytes)
                        .skipBytes(7))) {
            int at = buffer.readerIndex();
            ChecksumDigest digest = algorithm.newDigest();
            digest.update(buffer);

            assertThat(digest.base64()).isEqualTo(base64);
            assertThat(buffer.readerIndex()).isEqualTo(at);
            buffer.release();
        }
    }

    @Test
    void compositeIsTheChecksumOfTheChecksums() {
        byte[] first = crc32c("one");
        byte[] second = crc32c("two");
        ChecksumDigest both = ChecksumAlgorithm.CRC32C.newDigest();
        both.update(first);
        both.update(second);

        Base64.Encoder base64 = Base64.getEncoder();
        assertThat(ChecksumAlgorithm.CRC32C.composite(
                        List.of(base64.encodeToString(first), base64.encodeToString(second))))
                .isEqualTo(both.base64() + "-2");
        assertThatThrownBy(() -> ChecksumAlgorithm.CRC32C.composite(List.of("AAAA")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "XXHASH.*")
    void thoseThatAreNotComputedSaySo(ChecksumAlgorithm algorithm) {
        assertThat(algorithm.isComputed()).isFalse();
        assertThatThrownBy(algorithm::newDigest).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void namesAreThoseOfTheWireInAnyCase() {
        assertThat(ChecksumAlgorithm.ofHeader("X-Amz-Checksum-Crc64Nvme")).contains(ChecksumAlgorithm.CRC64NVME);
        assertThat(ChecksumAlgorithm.ofHeader("x-amz-checksum-type")).isEmpty();
        assertThat(ChecksumAlgorithm.ofWireName("sha1")).contains(ChecksumAlgorithm.SHA1);
        assertThat(ChecksumAlgorithm.ofWireName("MD4")).isEmpty();
        assertThat(ChecksumAlgorithm.SHA256.headerName()).isEqualTo("x-amz-checksum-sha256");
        assertThat(ChecksumAlgorithm.CRC32.wireName()).isEqualTo("CRC32");
    }

    @ParameterizedTest
    @CsvSource({"AAAAAA==, true", "AAAAAA, false", "AAAAAAA=, false", "AAAA, false", "'', false", "AAA!AA==, false"})
    void valueIsBase64OfTheRightLength(String text, boolean valid) {
        assertThat(ChecksumAlgorithm.CRC32.decode(text).isPresent()).isEqualTo(valid);
    }

    private static byte[] crc32c(String text) {
        ChecksumDigest digest = ChecksumAlgorithm.CRC32C.newDigest();
        digest.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return digest.bytes();
    }

    private static CompositeByteBuf composite(byte[] bytes) {
        CompositeByteBuf composite = Unpooled.compositeBuffer();
        for (int at = 0; at < bytes.length; at += 2500) {
            composite.addComponent(true, Unpooled.wrappedBuffer(bytes, at, 2500));
        }
        return composite;
    }

    private static long bitwiseCrc64(byte[] bytes) {
        long crc = -1;
        for (byte octet : bytes) {
            crc ^= octet & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ 0x9A6C9329AC4BC9B5L;
            }
        }
        return ~crc;
    }
}
