package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.model.ChecksumMode;

/** Stored checksums: told when asked for, and never beside other bytes than those they are of. */
interface ReadChecksumCases extends EndpointReadCases {
    String SHA256 = "x-amz-checksum-sha256";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-checksum-mode: ENABLED",
                "x-amz-checksum-mode: enabled",
                "X-Amz-Checksum-Mode: Enabled",
                "X-AMZ-CHECKSUM-MODE: eNABLED",
            })
    default void checksumModeIsCaseInsensitive(String field) throws Exception {
        assumeTrue(has(OriginFixture.Trait.CHECKSUMS), "keeps no checksums");
        String sum = seedSummed();

        RawClient.Response response = wire().get(RawResponse.path(bucket(), "summed"), field);

        assertThat(response.headers()).containsEntry(SHA256, sum);
        assertHeadIsTheSame(response, RawResponse.path(bucket(), "summed"), field);
    }

    @Test
    default void presignedRequestRequestsInItsQuery() throws Exception {
        assumeTrue(has(OriginFixture.Trait.CHECKSUMS), "keeps no checksums");
        String sum = seedSummed();

        RawClient.Response response = wire().get(RawResponse.path(bucket(), "summed") + "?x-amz-checksum-mode=ENABLED");

        assertThat(response.headers()).containsEntry(SHA256, sum);
    }

    @Test
    default void checksumIsNotReportedUnasked() throws Exception {
        assumeTrue(has(OriginFixture.Trait.CHECKSUMS), "keeps no checksums");
        seedSummed();
        String target = RawResponse.path(bucket(), "summed");

        assertNoChecksum(wire().get(target), 200);
        assertNoChecksum(wire().head(target), 200);
        assertNoChecksum(wire().get(target, "x-amz-checksum-mode: DISABLED"), 200);
    }

    @Test
    default void rangeCarriesNoChecksumOfTheWhole() throws Exception {
        assumeTrue(has(OriginFixture.Trait.CHECKSUMS), "keeps no checksums");
        seedSummed();
        String target = RawResponse.path(bucket(), "summed");

        assertNoChecksum(wire().get(target, "range: bytes=1-5", "x-amz-checksum-mode: ENABLED"), 206);
        assertNoChecksum(wire().head(target, "range: bytes=1-5", "x-amz-checksum-mode: ENABLED"), 206);
    }

    @Test
    default void checksumModeOfAnyObjectSucceeds() throws IOException {
        seeded("perhaps-summed", 10);

        assertThat(sdk().getObjectAsBytes(get ->
                                get.bucket(bucket()).key("perhaps-summed").checksumMode(ChecksumMode.ENABLED))
                        .asByteArray())
                .isEqualTo(GeneratedBytes.of("perhaps-summed").first(10));
    }

    private static void assertNoChecksum(RawClient.Response response, int status) {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.headers().keySet()).noneMatch(name -> name.startsWith("x-amz-checksum-"));
    }

    private String seedSummed() throws IOException, NoSuchAlgorithmException {
        byte[] bytes = GeneratedBytes.of("summed").first(100);
        String sum = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
        origin().put(bucket(), "summed", bytes, HeaderList.EMPTY.with(SHA256, sum));
        return sum;
    }
}
