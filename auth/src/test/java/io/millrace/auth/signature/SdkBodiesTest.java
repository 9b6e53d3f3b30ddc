package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.checksums.DefaultChecksumAlgorithm;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Tests bodies that AWS's SDK frames, signs and checksums, independently of this project's reading of aws-chunked. */
class SdkBodiesTest {
    private static final AwsCredentialsIdentity WRITER =
            AwsCredentialsIdentity.create(Upload.ACCESS_KEY, Upload.SECRET.reveal());

    @ParameterizedTest
    @CsvSource({
        "0, true, CRC32",
        "1, true, CRC32C",
        "131072, true, CRC32C",
        "300000, true, SHA1",
        "300000, true, SHA256",
        "300000, true, ''",
        "0, false, CRC32",
        "300000, false, CRC32",
        "300000, false, CRC32C",
        "131072, false, SHA256"
    })
    void bodyOfTheSdkIsRead(int length, boolean signed, String algorithm) throws Exception {
        byte[] payload = new byte[length];
        new Random(length).nextBytes(payload);
        SignedRequest request = sign(payload, signed, algorithm);
        Upload upload = upload(request.request());
        byte[] wire = read(request.payload().orElseThrow());
        PayloadVerifier reader = upload.reader();

        assertThat(((Authentication.Signed) upload.authentication()).payload())
                .isEqualTo(
                        signed
                                ? new PayloadType.SignedChunks(!algorithm.isEmpty())
                                : new PayloadType.UnsignedChunksWithTrailer());
        assertThat(reader.length()).isEqualTo(length);
        assertThat(reader.checksum().map(ChecksumAlgorithm::wireName).orElse(""))
                .isEqualTo(algorithm);
        Decoded.inSteps(reader, wire, 10_000).assertWhole(payload);
        if (!algorithm.isEmpty()) {
            ChecksumDigest digest =
                    ChecksumAlgorithm.ofWireName(algorithm).orElseThrow().newDigest();
            digest.update(payload);
            assertThat(reader.trailerValue()).isEqualTo(digest.base64());
        }
    }

    private static SignedRequest sign(byte[] payload, boolean signed, String algorithm) {
        SdkHttpRequest request = SdkHttpRequest.builder()
                // Over plain HTTP it signs all the same.
                .uri(URI.create((signed ? "http" : "https") + "://s3.local/bucket/key"))
                .method(SdkHttpMethod.PUT)
                .putHeader("Content-Length", Integer.toString(payload.length))
                .build();
        SignRequest.Builder<AwsCredentialsIdentity> toSign = SignRequest.builder(WRITER)
                .request(request)
                .payload(ContentStreamProvider.fromByteArray(payload))
                .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(Upload.NOW, ZoneOffset.UTC))
                .putProperty(AwsV4HttpSigner.REGION_NAME, "us-east-1")
                .putProperty(AwsV4FamilyHttpSigner.SERVICE_SIGNING_NAME, "s3")
                .putProperty(AwsV4FamilyHttpSigner.DOUBLE_URL_ENCODE, false)
                .putProperty(AwsV4FamilyHttpSigner.NORMALIZE_PATH, false)
                .putProperty(AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED, signed)
                .putProperty(AwsV4FamilyHttpSigner.CHUNK_ENCODING_ENABLED, true);
        if (!algorithm.isEmpty()) {
            toSign.putProperty(AwsV4FamilyHttpSigner.CHECKSUM_ALGORITHM, DefaultChecksumAlgorithm.fromValue(algorithm));
        }
        return AwsV4HttpSigner.create().sign(toSign.build());
    }

    private static Upload upload(SdkHttpRequest request) {
        Map<String, String> headers = new LinkedHashMap<>();
        request.forEachHeader((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        return new Upload("/bucket/key", headers);
    }

    private static byte[] read(ContentStreamProvider payload) throws IOException {
        try (InputStream in = payload.newStream()) {
            return in.readAllBytes();
        }
    }
}
