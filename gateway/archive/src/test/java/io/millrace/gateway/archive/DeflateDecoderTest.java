package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However the data of a member are cut, its content comes out, or an error if it is not what the directory says. */
class DeflateDecoderTest {
    private static final byte[] CONTENT = content(5000);

    /** Returns text with bytes that do not compress in its middle. */
    private static byte[] content(int size) {
        byte[] content = "one sample, and another one; ".repeat(size / 28).getBytes(StandardCharsets.UTF_8);
        byte[] noise = new byte[size / 4];
        new Random(3).nextBytes(noise);
        System.arraycopy(noise, 0, content, size / 2, noise.length);
        return content;
    }

    static byte[] deflated(byte[] content, int level) {
        Deflater deflater = new Deflater(level, true);
        deflater.setInput(content);
        deflater.finish();
        byte[] piece = new byte[1000];
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        while (!deflater.finished()) {
            data.write(piece, 0, deflater.deflate(piece));
        }
        deflater.end();
        return data.toByteArray();
    }

    private static int crc32(byte[] content) {
        CRC32 sum = new CRC32();
        sum.update(content);
        return (int) sum.getValue();
    }

    private static ArchiveMember member(byte[] data, long size, int crc32) {
        return new ArchiveMember("name", 77, data.length, size, true, OptionalInt.of(crc32));
    }

    /** Decodes data in two pieces, into buffers of a size. */
    private static byte[] decoded(ArchiveMember member, byte[] data, int cut, int room) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try (DeflateDecoder decoder = new DeflateDecoder(member)) {
            decode(decoder, ByteBuffer.wrap(data, 0, cut), room, content);
            decode(decoder, ByteBuffer.wrap(data, cut, data.length - cut), room, content);
            decoder.endOfInput();
            assertThat(decoder.isFinished()).isTrue();
            assertThat(decoder.position()).isEqualTo(member.size());
        }
        return content.toByteArray();
    }

    private static void decode(DeflateDecoder decoder, ByteBuffer data, int room, ByteArrayOutputStream content) {
        decoder.input(data);
        ByteBuffer into = ByteBuffer.allocate(room);
        do {
            into.clear();
            int bytes = decoder.decode(into);
            assertThat(into.position()).isEqualTo(bytes);
            content.write(into.array(), 0, bytes);
        } while (!into.hasRemaining() && !decoder.isFinished());
        assertThat(decoder.isFinished() || decoder.needsInput()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9})
    void contentComesOutWhateverTheCut(int level) {
        byte[] data = deflated(CONTENT, level);
        ArchiveMember member = member(data, CONTENT.length, crc32(CONTENT));

        for (int cut = 0; cut < data.length; cut++) {
            assertThat(decoded(member, data, cut, 1 + cut % 700))
                    .as("cut at %d", cut)
                    .isEqualTo(CONTENT);
        }
    }

    @Test
    void memberWithoutContentHasAnEnd() {
        byte[] data = deflated(new byte[0], 9);

        assertThat(decoded(member(data, 0, 0), data, 1, 1)).isEmpty();
    }

    @Test
    void bytesAfterTheEndAreNoContent() {
        byte[] data = Arrays.copyOf(deflated(CONTENT, 9), 4000);

        assertThat(decoded(member(data, CONTENT.length, crc32(CONTENT)), data, data.length, 8192))
                .isEqualTo(CONTENT);
    }

    @Test
    void dataThatEndTooSoonAreDamaged() {
        byte[] whole = deflated(CONTENT, 9);
        ArchiveMember member = member(whole, CONTENT.length, crc32(CONTENT));

        for (int length = 0; length < whole.length; length++) {
            byte[] data = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> decoded(member, data, data.length / 2, 8192))
                    .as("%d bytes", length)
                    .isInstanceOfSatisfying(
                            ArchiveException.class,
                            failure -> assertThat(failure.position()).isEqualTo(77))
                    .hasMessageContaining("end after");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, -4000, 100_000})
    void sizeThatIsALieIsFound(int more) {
        byte[] data = deflated(CONTENT, 9);
        ArchiveMember member = member(data, CONTENT.length + more, crc32(CONTENT));

        assertThatThrownBy(() -> decoded(member, data, 10, 100))
                .isInstanceOf(ArchiveException.class)
                .hasMessageContaining(more < 0 ? "longer than" : "ends after");
    }

    @Test
    void checksumThatIsALieIsFound() {
        byte[] data = deflated(CONTENT, 9);

        assertThatThrownBy(() -> decoded(member(data, CONTENT.length, 1), data, 10, 100))
                .isInstanceOf(ArchiveException.class)
                .hasMessageContaining("CRC-32");
    }

    /** Never more comes out than was asked for, and then the declared size ends it. */
    @Test
    void bombIsCutOffAtItsDeclaredSize() {
        byte[] data = deflated(new byte[50_000_000], 9);
        try (DeflateDecoder decoder = new DeflateDecoder(member(data, 1000, 0))) {
            decoder.input(ByteBuffer.wrap(data));
            ByteBuffer into = ByteBuffer.allocate(600);
            assertThat(decoder.decode(into)).isEqualTo(600);

            assertThatThrownBy(() -> decoder.decode(into.clear())).hasMessageContaining("longer than the 1000 bytes");
        }
    }

    /** Any flipped bit is found, by the format or by the checksum; and nothing else escapes. */
    @Test
    void damageIsFound() {
        byte[] whole = deflated(CONTENT, 6);
        ArchiveMember member = member(whole, CONTENT.length, crc32(CONTENT));

        for (int at = 0; at < whole.length; at++) {
            byte[] data = whole.clone();
            data[at] ^= (byte) (1 << at % 8);
            try {
                assertThat(decoded(member, data, data.length, 700))
                        .as("byte %d is of no meaning", at)
                        .isEqualTo(CONTENT);
            } catch (ArchiveException found) {
                assertThat(found.kind()).isEqualTo(ArchiveException.Kind.DAMAGED);
            }
        }
    }

    @Test
    void whatIsNotDeflatedIsDamaged() {
        byte[] noise = new byte[100_000];
        new Random(5).nextBytes(noise);

        assertThatThrownBy(() -> decoded(member(noise, noise.length, 0), noise, 1, 1000))
                .isInstanceOf(ArchiveException.class);
    }
}
