package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the two complete chunked uploads in AWS's documentation. */
class AwsExamplesTest {
    private static final byte[] PAYLOAD = "a".repeat(66560).getBytes(StandardCharsets.ISO_8859_1);

    @Test
    void signedChunks() throws Exception {
        PayloadVerifier reader = example(
                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                        "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
                        Map.of("content-length", "66824"))
                .reader();

        assertThat(reader.length()).isEqualTo(66560);
        Decoded.of(
                        reader,
                        body(
                                "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
                                "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
                                "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
                                "\r\n"))
                .assertWhole(PAYLOAD);
    }

    @Test
    void signedChunksWithASignedTrailer() throws Exception {
        PayloadVerifier reader = example(
                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                        "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
                        Map.of("x-amz-trailer", "x-amz-checksum-crc32c"))
                .reader();

        assertThat(reader.checksum()).contains(ChecksumAlgorithm.CRC32C);
        Decoded.of(
                        reader,
                        body(
                                "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
                                "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
                                "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
                                "x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:"
                                        + "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n"))
                .assertWhole(PAYLOAD);
        assertThat(reader.trailerValue()).isEqualTo("sOO8/Q==");
    }

    private static String body(String first, String second, String last, String end) {
        return "10000;chunk-signature=" + first + "\r\n" + "a".repeat(65536) + "\r\n400;chunk-signature=" + second
                + "\r\n" + "a".repeat(1024) + "\r\n0;chunk-signature=" + last + "\r\n" + end;
    }

    private static Upload example(String payload, String signature, Map<String, String> more) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("content-encoding", "aws-chunked");
        headers.put("host", "s3.amazonaws.com");
        headers.put("x-amz-content-sha256", payload);
        headers.put("x-amz-date", "20130524T000000Z");
        headers.put("x-amz-decoded-content-length", "66560");
        headers.put("x-amz-storage-class", "REDUCED_REDUNDANCY");
        headers.putAll(more);
        String names = String.join(";", headers.keySet().stream().sorted().toList());
        headers.put(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="
                        + names + ",Signature=" + signature);
        return new Upload("/examplebucket/chunkObject.txt", headers);
    }
}
