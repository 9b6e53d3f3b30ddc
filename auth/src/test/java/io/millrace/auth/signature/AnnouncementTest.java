package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests requests that are refused by their headers alone: a body that is never read cannot be stored by mistake. The
 * codes and texts are S3's, which its test suites compare.
 */
class AnnouncementTest {
    private static final PayloadType SIGNED = new PayloadType.SignedChunks(false);
    private static final PayloadType SIGNED_WITH_TRAILER = new PayloadType.SignedChunks(true);
    private static final PayloadType UNSIGNED_WITH_TRAILER = new PayloadType.UnsignedChunksWithTrailer();

    @ParameterizedTest
    @ValueSource(strings = {"", "abc", "12x", "-1", "+5", "1e3", "9999999999999999999"})
    void refusesBodiesWithoutAValidLength(String length) {
        assertRefused(PayloadType.UNSIGNED, Map.of("content-length", length), Code.MISSING_CONTENT_LENGTH);
        assertRefused(SIGNED, Map.of("x-amz-decoded-content-length", length), Code.MISSING_CONTENT_LENGTH);
        assertRefused(PayloadType.UNSIGNED, Map.of(), Code.MISSING_CONTENT_LENGTH);
        assertRefused(UNSIGNED_WITH_TRAILER, Map.of("content-length", "10"), Code.MISSING_CONTENT_LENGTH);
    }

    @Test
    void decodedLengthIsTheLengthOfChunks() throws Exception {
        Map<String, String> both = Map.of("content-length", "200", "x-amz-decoded-content-length", "10");

        assertThat(reader(SIGNED, both).length()).isEqualTo(10);
        assertThat(reader(PayloadType.UNSIGNED, Map.of("content-length", "200")).length())
                .isEqualTo(200);
        assertThat(reader(PayloadType.UNSTATED, Map.of("content-length", "200")).length())
                .isEqualTo(200);
    }

    @Test
    void lengthsThatContradictEachOtherAreRefused() {
        Map<String, String> both = Map.of("content-length", "10", "x-amz-decoded-content-length", "11");

        assertRefused(SIGNED, both, Code.INCOMPLETE_BODY);
        assertRefused(PayloadType.UNSIGNED, both, Code.INVALID_REQUEST);
    }

    @Test
    void moreThanAnObjectMayHaveIsRefused() throws Exception {
        String most = Long.toString(5L << 30);
        String more = Long.toString((5L << 30) + 1);

        assertThat(reader(PayloadType.UNSIGNED, Map.of("content-length", most)).length())
                .isEqualTo(5L << 30);
        assertRefused(PayloadType.UNSIGNED, Map.of("content-length", more), Code.ENTITY_TOO_LARGE);
        assertRefused(SIGNED, Map.of("x-amz-decoded-content-length", more), Code.ENTITY_TOO_LARGE);
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-checksum-crc32,        invalid,  Value for x-amz-checksum-crc32 header is invalid.",
        "x-amz-checksum-crc32,        '',       Value for x-amz-checksum-crc32 header is invalid.",
        "x-amz-checksum-sha1,         AAAAAA==, Value for x-amz-checksum-sha1 header is invalid.",
        "x-amz-checksum-crc32,        AAAAAA==-2, Value for x-amz-checksum-crc32 header is invalid.",
        "x-amz-checksum-foo,          AAAAAA==, The algorithm type you specified in x-amz-checksum- header is invalid."
    })
    void checksumMustBeOne(String name, String value, String message) {
        assertThatThrownBy(() -> reader(PayloadType.UNSIGNED, withLength(Map.of(name, value))))
                .hasMessage(message)
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.INVALID_REQUEST));
    }

    @Test
    void checksumsWordsThatAreNoChecksumsAreLeftAlone() throws Exception {
        PayloadVerifier reader = reader(
                PayloadType.UNSIGNED,
                withLength(Map.of(
                        "x-amz-checksum-type",
                        "FULL_OBJECT",
                        "x-amz-checksum-mode",
                        "ENABLED",
                        "x-amz-checksum-algorithm",
                        "CRC32")));

        assertThat(reader.checksum()).isEmpty();
    }

    @Test
    void moreThanOneChecksumIsRefused() {
        assertRefused(
                PayloadType.UNSIGNED,
                withLength(Map.of("x-amz-checksum-crc32", "AAAAAA==", "x-amz-checksum-crc32c", "AAAAAA==")),
                Code.INVALID_REQUEST);
        assertRefused(
                UNSIGNED_WITH_TRAILER,
                withLength(Map.of("x-amz-checksum-crc32", "AAAAAA==", "x-amz-trailer", "x-amz-checksum-crc32")),
                Code.INVALID_REQUEST);
        assertRefused(
                UNSIGNED_WITH_TRAILER,
                withLength(Map.of("x-amz-trailer", "x-amz-checksum-crc32,x-amz-checksum-sha1")),
                Code.INVALID_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x-amz-meta-a", "x-amz-checksum-foo", "x-amz-checksum-crc32,", "content-md5"})
    void refusesTrailerWithoutSupportedChecksum(String trailer) {
        assertRefused(UNSIGNED_WITH_TRAILER, withLength(Map.of("x-amz-trailer", trailer)), Code.INVALID_REQUEST);
    }

    @Test
    void trailerAndPayloadFormMustAgree() throws Exception {
        Map<String, String> trailer = withLength(Map.of("x-amz-trailer", "X-Amz-Checksum-Sha256"));

        assertRefused(SIGNED, trailer, Code.INVALID_REQUEST);
        assertRefused(PayloadType.UNSIGNED, trailer, Code.INVALID_REQUEST);
        assertRefused(SIGNED_WITH_TRAILER, withLength(Map.of()), Code.MALFORMED_TRAILER);
        assertThat(reader(SIGNED_WITH_TRAILER, trailer).checksum()).contains(ChecksumAlgorithm.SHA256);
        assertThat(reader(UNSIGNED_WITH_TRAILER, withLength(Map.of())).checksum())
                .isEmpty();
    }

    @Test
    void algorithmOfTheSdkMustBeTheOneUsed() throws Exception {
        Map<String, String> crc = withLength(Map.of("x-amz-checksum-crc32", "AAAAAA=="));

        assertThat(reader(PayloadType.UNSIGNED, with(crc, "x-amz-sdk-checksum-algorithm", "crc32"))
                        .checksum())
                .contains(ChecksumAlgorithm.CRC32);
        assertRefused(PayloadType.UNSIGNED, with(crc, "x-amz-sdk-checksum-algorithm", "SHA1"), Code.INVALID_REQUEST);
        assertRefused(
                PayloadType.UNSIGNED,
                withLength(Map.of("x-amz-sdk-checksum-algorithm", "CRC32")),
                Code.INVALID_REQUEST);
        assertRefused(
                UNSIGNED_WITH_TRAILER,
                withLength(Map.of("x-amz-trailer", "x-amz-checksum-crc64nvme", "x-amz-sdk-checksum-algorithm", "sha1")),
                Code.INVALID_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "AAAA", "not base64 at all......=", "1B2M2Y8AsgTpgAmY7PhCfg"})
    void md5MustBeOne(String md5) {
        assertRefused(PayloadType.UNSIGNED, withLength(Map.of("content-md5", md5)), Code.INVALID_DIGEST);
    }

    @Test
    void headerThatComesTwiceIsRefused() {
        Map<String, List<String>> twice = Map.of("content-length", List.of("1", "2"));

        assertThatThrownBy(() -> PayloadVerifier.of(
                        new Authentication.Anonymous(), new PayloadHeaders(twice), PayloadLimits.defaults()))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.INVALID_ARGUMENT));
    }

    @Test
    void anonymousBodiesAreReadByTheirHeader() throws Exception {
        assertThat(anonymous(Map.of("content-length", "3")).length()).isEqualTo(3);
        assertThat(anonymous(Map.of(
                                "x-amz-content-sha256",
                                "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                                "x-amz-decoded-content-length",
                                "2",
                                "content-length",
                                "30"))
                        .length())
                .isEqualTo(2);
        assertThatThrownBy(() -> anonymous(Map.of(
                        "x-amz-content-sha256",
                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                        "x-amz-decoded-content-length",
                        "2")))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.ACCESS_DENIED));
        assertThatThrownBy(() -> anonymous(Map.of("x-amz-content-sha256", "x", "content-length", "2")))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.INVALID_ARGUMENT));
    }

    @Test
    void limitsAreNotNegative() {
        assertThat(new PayloadLimits(0, 0).longest()).isZero();
        assertThatThrownBy(() -> new PayloadLimits(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PayloadLimits(0, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void fieldsOfAFormStandForHeaders() throws Exception {
        PayloadVerifier reader = PayloadVerifier.of(
                new Authentication.Anonymous(),
                PayloadHeaders.ofForm(Map.of("x-amz-checksum-sha1", "qvTGHdzF6KLavt4PO0gs2a6pQ00="), 5),
                PayloadLimits.defaults());

        assertThat(reader.length()).isEqualTo(5);
        assertThat(reader.checksum()).contains(ChecksumAlgorithm.SHA1);
    }

    private static PayloadVerifier anonymous(Map<String, String> headers) throws RequestVerificationException {
        return PayloadVerifier.of(
                new Authentication.Anonymous(),
                PayloadHeaders.of(new Upload("/b/k", headers)),
                PayloadLimits.defaults());
    }

    private static void assertRefused(PayloadType form, Map<String, String> headers, Code code) {
        assertThatThrownBy(() -> reader(form, headers))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(code));
    }

    private static PayloadVerifier reader(PayloadType form, Map<String, String> headers)
            throws RequestVerificationException {
        return Upload.signed(form, headers).reader();
    }

    private static Map<String, String> withLength(Map<String, String> headers) {
        return with(with(headers, "content-length", "100"), "x-amz-decoded-content-length", "100");
    }

    private static Map<String, String> with(Map<String, String> headers, String name, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(name, value);
        return more;
    }
}
