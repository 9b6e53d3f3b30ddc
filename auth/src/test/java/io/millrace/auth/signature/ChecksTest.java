package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests bodies without chunks: length, signed hash and every checksum are verified before the last byte is emitted. */
class ChecksTest {
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] OTHER = "jello".getBytes(StandardCharsets.ISO_8859_1);

    @ParameterizedTest
    @CsvSource({
        "crc32,     NhCmhg==",
        "crc32c,    mnG7TA==",
        "crc64nvme, M3eFcAZSQlc=",
        "sha1,      qvTGHdzF6KLavt4PO0gs2a6pQ00=",
        "sha256,    LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
        "md5,       XUFAKrxLKna5cZ2REBfFkg=="
    })
    void checksumOfTheHeaderBinds(String name, String value) throws Exception {
        Map<String, String> headers = Map.of("content-length", "5", "x-amz-checksum-" + name, value);

        Decoded.of(reader(PayloadType.UNSIGNED, headers), HELLO).assertWhole(HELLO);
        Decoded wrong = Decoded.of(reader(PayloadType.UNSIGNED, headers), OTHER);
        wrong.assertRefused(OTHER, Code.BAD_DIGEST);
        assertThat(wrong.bytes()).isEmpty();
    }

    /** The backend verifies the body against it, so the value must be valid and must reach the backend. */
    @Test
    void checksumThatIsNotComputedIsPassedOn() throws Exception {
        Map<String, String> header = Map.of("content-length", "5", "x-amz-checksum-xxhash64", "AAAAAAAAAAA=");
        Decoded.of(reader(PayloadType.UNSIGNED, header), HELLO).assertWhole(HELLO);
        assertThatThrownBy(() ->
                        reader(PayloadType.UNSIGNED, Map.of("content-length", "5", "x-amz-checksum-xxhash64", "AAAA")))
                .isInstanceOf(RequestVerificationException.class);

        Map<String, String> trailer =
                Map.of("x-amz-decoded-content-length", "5", "x-amz-trailer", "x-amz-checksum-xxhash64");
        PayloadVerifier behind = reader(new PayloadType.UnsignedChunksWithTrailer(), trailer);
        Decoded.of(behind, chunked(HELLO, ChecksumAlgorithm.XXHASH64, "AAAAAAAAAAA="))
                .assertWhole(HELLO);
        assertThat(behind.trailerValue()).isEqualTo("AAAAAAAAAAA=");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "XXHASH.*")
    void checksumOfTheTrailerBinds(ChecksumAlgorithm algorithm) throws Exception {
        ChecksumDigest digest = algorithm.newDigest();
        digest.update(HELLO);
        String value = digest.base64();
        Map<String, String> headers =
                Map.of("x-amz-decoded-content-length", "5", "x-amz-trailer", algorithm.headerName());
        PayloadType form = new PayloadType.UnsignedChunksWithTrailer();
        PayloadVerifier reader = reader(form, headers);

        Decoded.of(reader, chunked(HELLO, algorithm, value)).assertWhole(HELLO);
        assertThat(reader.trailerValue()).isEqualTo(value);

        PayloadVerifier deceived = reader(form, headers);
        Decoded.of(deceived, chunked(OTHER, algorithm, value)).assertRefused(OTHER, Code.BAD_DIGEST);
        assertThatThrownBy(deceived::trailerValue).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void signedHashBinds() throws Exception {
        PayloadType form = new PayloadType.Sha256("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        Map<String, String> headers = Map.of("content-length", "5");

        Decoded.inSteps(reader(form, headers), HELLO, 1).assertWhole(HELLO);
        Decoded wrong = Decoded.inSteps(reader(form, headers), OTHER, 1);
        wrong.assertRefused(OTHER, Code.CONTENT_SHA256_MISMATCH);
        assertThat(wrong.bytes()).isEqualTo(Arrays.copyOf(OTHER, 4));
        assertThat(wrong.failure())
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.details())
                                .containsEntry("ClientComputedContentSHA256", form.text())
                                .containsKey("S3ComputedContentSHA256"));
    }

    @Test
    void md5Binds() throws Exception {
        Map<String, String> headers = Map.of("content-length", "5", "content-md5", "XUFAKrxLKna5cZ2REBfFkg==");

        Decoded.of(reader(PayloadType.UNSIGNED, headers), HELLO).assertWhole(HELLO);
        Decoded wrong = Decoded.of(reader(PayloadType.UNSIGNED, headers), OTHER);
        wrong.assertRefused(OTHER, Code.BAD_DIGEST);
        assertThat(wrong.failure())
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.details()).containsEntry("ExpectedDigest", "XUFAKrxLKna5cZ2REBfFkg=="));
    }

    @Test
    void allOfThemBindTogether() throws Exception {
        PayloadType right = new PayloadType.Sha256("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        Map<String, String> headers = Map.of(
                "content-length", "5",
                "content-md5", "XUFAKrxLKna5cZ2REBfFkg==",
                "x-amz-checksum-crc32", "NhCmhw==");

        Decoded.of(reader(right, headers), HELLO).assertRefused(HELLO, Code.BAD_DIGEST);
    }

    @Test
    void declaredLengthBindsBothWays() throws Exception {
        Map<String, String> headers = Map.of("content-length", "5");
        byte[] longer = "hello!".getBytes(StandardCharsets.ISO_8859_1);

        for (PayloadType form : new PayloadType[] {PayloadType.UNSIGNED, PayloadType.UNSTATED}) {
            Decoded.inSteps(reader(form, headers), HELLO, 2).assertWhole(HELLO);
            Decoded.inSteps(reader(form, headers), Arrays.copyOf(HELLO, 4), 1)
                    .assertRefused(HELLO, Code.INCOMPLETE_BODY);
            Decoded cutLate = Decoded.inSteps(reader(form, headers), longer, 1);
            cutLate.assertRefused(HELLO, Code.INCOMPLETE_BODY);
        }
    }

    @Test
    void emptyBodyIsVerifiedToo() throws Exception {
        byte[] nothing = new byte[0];
        PayloadType hello = new PayloadType.Sha256("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        Map<String, String> headers = Map.of("content-length", "0");

        Decoded.of(reader(PayloadType.UNSIGNED, headers), nothing).assertWhole(nothing);
        Decoded.of(reader(hello, headers), nothing).assertRefused(nothing, Code.CONTENT_SHA256_MISMATCH);
        Decoded.of(
                        reader(PayloadType.UNSIGNED, Map.of("content-length", "0", "x-amz-checksum-crc32", "NhCmhg==")),
                        nothing)
                .assertRefused(nothing, Code.BAD_DIGEST);
    }

    private static byte[] chunked(byte[] payload, ChecksumAlgorithm algorithm, String value) {
        return new Wire(null)
                .chunks(payload, payload.length)
                .trailer(algorithm.headerName(), value)
                .bytes();
    }

    private static PayloadVerifier reader(PayloadType form, Map<String, String> headers)
            throws RequestVerificationException {
        return Upload.signed(form, headers).reader();
    }
}
