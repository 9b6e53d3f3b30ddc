package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** Reads by part number: the SDK's parallel downloads rely on the boundaries and on the count. */
interface ReadPartCases extends EndpointReadCases {
    /** S3's smallest part but the last. */
    int PART = 5 << 20;

    @Test
    default void partOneOfASimpleObjectIsTheWhole() throws IOException {
        String target = seeded("one-piece", 1000) + "?partNumber=1";

        RawClient.Response response = wire().get(target);

        assertThat(response.status()).isEqualTo(206);
        assertThat(response.headers())
                .containsEntry("content-range", "bytes 0-999/1000")
                .containsEntry("content-length", "1000");
        assertThat(response.bytes()).isEqualTo(GeneratedBytes.of("one-piece").first(1000));
        assertHeadIsTheSame(response, target);
    }

    @Test
    default void partOneOfAnEmptyObjectIsEmpty() throws IOException {
        RawClient.Response response = wire().get(seeded("no-piece", 0) + "?partNumber=1");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers()).containsEntry("content-length", "0");
    }

    /** Servers word it differently. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 10_000})
    default void partThatIsNotThereIsRefused(int number) throws IOException {
        String target = seeded("one-piece", 1000) + "?partNumber=" + number;

        RawClient.Response response = wire().get(target);

        assertThat(response.status()).isIn(400, 416);
        assertThat(response.element("Code")).as(response.text()).isIn("InvalidPartNumber", "InvalidPart");
        assertThat(wire().head(target).status()).isIn(400, 416);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "10001", "x", "", "1.0", "99999999999"})
    default void refusesInvalidPartNumbers(String number) throws IOException {
        RawClient.Response response = wire().get(seeded("one-piece", 1000) + "?partNumber=" + number);

        EndpointReadCases.assertError(response, 400, "InvalidArgument", "/" + bucket() + "/one-piece");
        assertThat(response.element("ArgumentName")).isEqualTo("partNumber");
    }

    @Test
    default void rangeAndPartNumberTogetherAreRefused() throws IOException {
        String target = seeded("one-piece", 1000) + "?partNumber=1";

        RawClient.Response response = wire().get(target, "range: bytes=0-9");

        EndpointReadCases.assertError(response, 400, "InvalidRequest", "/" + bucket() + "/one-piece");
        assertThat(wire().head(target, "range: bytes=0-9").status()).isEqualTo(400);
    }

    @Test
    default void partsOfAnUploadAreReadByNumber() throws IOException {
        assumeTrue(has(OriginFixture.Trait.PARTS), "remembers no parts");
        GeneratedBytes bytes = GeneratedBytes.of("pieces");
        origin().putParts(bucket(), "pieces", List.of(bytes.first(PART), bytes.slice(PART, 77)));

        assertPart(1, 0, PART);
        assertPart(2, PART, 77);
        EndpointReadCases.assertRefused(416, "InvalidPartNumber", () -> part(3));
        assertThat(sdk().getObjectAsBytes(get -> get.bucket(bucket()).key("pieces"))
                        .asByteArray())
                .isEqualTo(bytes.first(PART + 77));
        assertHeadIsTheSame(
                wire().get(RawResponse.path(bucket(), "pieces") + "?partNumber=2"),
                RawResponse.path(bucket(), "pieces") + "?partNumber=2");
    }

    private void assertPart(int number, int first, int length) {
        ResponseBytes<GetObjectResponse> got = part(number);

        assertThat(got.asByteArray()).isEqualTo(GeneratedBytes.of("pieces").slice(first, length));
        assertThat(got.response().partsCount()).isEqualTo(2);
        assertThat(got.response().contentRange())
                .isEqualTo("bytes %d-%d/%d".formatted(first, first + length - 1, PART + 77));
    }

    private ResponseBytes<GetObjectResponse> part(int number) {
        return sdk().getObjectAsBytes(get -> get.bucket(bucket()).key("pieces").partNumber(number));
    }
}
