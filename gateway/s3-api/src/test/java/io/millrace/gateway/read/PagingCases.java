package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Pages by token, small and many: each key once, in order, whatever the size of a page. */
interface PagingCases extends EndpointReadCases {
    int MANY = 2500;

    @ParameterizedTest
    @CsvSource({"1, ''", "2, ''", "3, ''", "100, ''", "1, /", "2, /", "3, /", "100, /"})
    default void pagesByTokenMakeTheWholeListing(int pageSize, String delimiter) throws IOException {
        String bucket = bucketOf(ListV2Cases.KEYS);
        ParsedListing whole = page(bucket, delimiter, 1000, Optional.empty());
        List<String> keys = new ArrayList<>();
        List<String> prefixes = new ArrayList<>();
        Optional<String> token = Optional.empty();
        do {
            ParsedListing page = page(bucket, delimiter, pageSize, token);
            assertThat(page.field("ContinuationToken")).isEqualTo(token);
            assertThat(page.keys().size() + page.prefixes().size()).isBetween(1, pageSize);
            assertThat(page.field("NextContinuationToken").isPresent()).isEqualTo(page.isTruncated());
            keys.addAll(page.keys());
            prefixes.addAll(page.prefixes());
            token = page.field("NextContinuationToken");
        } while (token.isPresent() && keys.size() < 100);

        assertThat(keys).isEqualTo(whole.keys());
        assertThat(prefixes).isEqualTo(whole.prefixes());
    }

    @Test
    default void tokenTakesTheLeadOverStartAfter() throws IOException {
        String bucket = bucketOf("1", "2", "3", "4");
        ParsedListing first = ParsedListing.of(wire().get("/" + bucket + "?list-type=2&max-keys=1&start-after=1"));

        ParsedListing second = ParsedListing.of(wire().get("/" + bucket + "?list-type=2&max-keys=1&start-after=1&"
                + RawResponse.parameter(
                        "continuation-token",
                        first.field("NextContinuationToken").orElseThrow())));

        assertThat(first.keys()).containsExactly("2");
        assertThat(second.keys()).containsExactly("3");
    }

    @Test
    default void manyKeysArePagedToTheEnd() throws IOException {
        String bucket = newBucket();
        List<String> keys = IntStream.range(0, MANY)
                .mapToObj(n -> "many/%02d/%04d".formatted(n % 10, n))
                .sorted()
                .toList();
        keys.parallelStream().forEach(key -> putEmpty(bucket, key));

        List<String> second = sdk().listObjectsV2Paginator(list -> list.bucket(bucket)).contents().stream()
                .map(S3Object::key)
                .toList();
        List<String> rolledUp = sdk()
                .listObjectsV2Paginator(list ->
                        list.bucket(bucket).prefix("many/").delimiter("/").maxKeys(3))
                .commonPrefixes()
                .stream()
                .map(prefix -> String.valueOf(prefix.prefix()))
                .toList();

        assertThat(second).isEqualTo(keys);
        assertThat(firstVersion(bucket)).isEqualTo(keys);
        assertThat(rolledUp)
                .isEqualTo(
                        IntStream.range(0, 10).mapToObj("many/%02d/"::formatted).toList());
    }

    private List<String> firstVersion(String bucket) {
        List<String> keys = new ArrayList<>();
        boolean more = true;
        while (more && keys.size() <= MANY) {
            String marker = keys.isEmpty() ? "" : keys.get(keys.size() - 1);
            var page = sdk().listObjects(list -> list.bucket(bucket).marker(marker));
            page.contents().forEach(object -> keys.add(object.key()));
            more = page.isTruncated();
        }
        return keys;
    }

    private ParsedListing page(String bucket, String delimiter, int size, Optional<String> token) throws IOException {
        return ParsedListing.of(wire().get("/" + bucket + "?list-type=2&max-keys=" + size
                + "&" + RawResponse.parameter("delimiter", delimiter)
                + token.map(t -> "&" + RawResponse.parameter("continuation-token", t))
                        .orElse("")));
    }

    private void putEmpty(String bucket, String key) {
        try {
            origin().put(bucket, key, new byte[0], HeaderList.EMPTY);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
