package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** Every form of a Range, of an object of 1,000 bytes. */
interface ReadRangeCases extends EndpointReadCases {
    int SIZE = 1000;

    @ParameterizedTest
    @CsvSource(textBlock = """
            bytes=0-0, 0, 0
            bytes=0-9, 0, 9
            bytes=10-19, 10, 19
            bytes=999-999, 999, 999
            bytes=0-999, 0, 999
            bytes=0-, 0, 999
            bytes=10-, 10, 999
            bytes=999-, 999, 999
            bytes=-1, 999, 999
            bytes=-10, 990, 999
            bytes=-1000, 0, 999
            bytes=-5000, 0, 999
            bytes=990-5000, 990, 999
            bytes=0-1000, 0, 999
            bytes=1-9223372036854775807, 1, 999
            bytes=1-9223372036854775808, 1, 999
            bytes=5-99999999999999999999999999, 5, 999
            bytes=-9223372036854775808, 0, 999
            bytes=-99999999999999999999999999, 0, 999
            bytes=0000000000000000000000000001-0000000000000000000000000002, 1, 2
            BYTES=3-4, 3, 4
            """)
    default void satisfiableRangeBringsThoseBytes(String range, int first, int last) throws IOException {
        String target = seeded("ranged", SIZE);

        RawClient.Response response = wire().get(target, "range: " + range);

        assertThat(response.status()).isEqualTo(206);
        assertThat(response.headers())
                .containsEntry("content-range", "bytes %d-%d/%d".formatted(first, last, SIZE))
                .containsEntry("content-length", Integer.toString(last - first + 1))
                .containsEntry("accept-ranges", "bytes");
        assertThat(response.bytes()).isEqualTo(GeneratedBytes.of("ranged").slice(first, last - first + 1));
        assertHeadIsTheSame(response, target, "range: " + range);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes=9-0",
                "bytes=",
                "bytes=-",
                "bytes",
                "bytes 0-9",
                "bytes=a-b",
                "bytes=0x1-0x2",
                "bytes=1.5-2",
                "bytes=+1-5",
                "bytes=--5",
                "bytes=1-2-3",
                "items=0-9",
                "bytes=0-1,5-6",
                "bytes=0-1, -5",
                "bytes=,0-1",
                "bytes=99999999999999999999-5",
            })
    default void invalidOrMultipleRangesReturnTheWholeObject(String range) throws IOException {
        String target = seeded("ranged", SIZE);

        RawClient.Response response = wire().get(target, "range: " + range);

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers()).containsEntry("content-length", "1000").doesNotContainKey("content-range");
        assertThat(response.bytes()).isEqualTo(GeneratedBytes.of("ranged").first(SIZE));
        assertHeadIsTheSame(response, target, "range: " + range);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes=1000-",
                "bytes=1000-1000",
                "bytes=5000-6000",
                "bytes=-0",
                "bytes=9223372036854775807-",
                "bytes=99999999999999999999-99999999999999999999999",
            })
    default void rangeAfterTheEndIsRefusedWithTheSize(String range) throws IOException {
        String target = seeded("ranged", SIZE);

        RawClient.Response response = wire().get(target, "range: " + range);

        EndpointReadCases.assertError(response, 416, "InvalidRange", "/" + bucket() + "/ranged");
        assertThat(response.element("ActualObjectSize")).isEqualTo("1000");
        assertThat(wire().head(target, "range: " + range).status()).isEqualTo(416);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-0", "bytes=5-9"})
    default void emptyObjectHasNoRange(String range) throws IOException {
        String target = seeded("empty", 0);

        RawClient.Response response = wire().get(target, "range: " + range);

        EndpointReadCases.assertError(response, 416, "InvalidRange", "/" + bucket() + "/empty");
        assertThat(response.element("ActualObjectSize")).isEqualTo("0");
    }

    @Test
    default void rangeOfAMissingKeyIsAMissingKey() throws IOException {
        RawClient.Response response = wire().get(RawResponse.path(bucket(), "not-there"), "range: bytes=0-9");

        assertThat(response.element("Code")).isEqualTo("NoSuchKey");
    }

    @Test
    default void sdkReadsRangesAcrossALargerObject() throws IOException {
        int size = 1_000_003;
        seeded("stepped", size);
        for (int first = 0; first < size; first += 131_071) {
            String range = "bytes=%d-%d".formatted(first, first + 131_070);

            ResponseBytes<GetObjectResponse> got = sdk().getObjectAsBytes(
                            get -> get.bucket(bucket()).key("stepped").range(range));

            int length = Math.min(131_071, size - first);
            assertThat(got.asByteArray()).isEqualTo(GeneratedBytes.of("stepped").slice(first, length));
        }
        EndpointReadCases.assertRefused(
                416,
                "InvalidRange",
                () -> sdk().getObjectAsBytes(
                                get -> get.bucket(bucket()).key("stepped").range("bytes=%d-".formatted(size))));
    }
}
