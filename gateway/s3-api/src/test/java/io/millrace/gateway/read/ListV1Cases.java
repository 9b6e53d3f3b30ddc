package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** ListObjects, the first version, which s3cmd, rclone and others still page with. */
interface ListV1Cases extends EndpointReadCases {
    List<String> KEYS = List.of("a", "a.txt", "b/1", "b/2", "b/c/3", "b0", "e-f", "f/x/y", "z");

    @Test
    default void firstVersionHasItsOwnElements() throws IOException {
        ParsedListing listing = listV1(bucketOf("a/1", "b"), "marker=a");

        assertThat(listing.keys()).containsExactly("a/1", "b");
        assertThat(listing.field("Marker")).contains("a");
        assertThat(listing.field("MaxKeys")).contains("1000");
        assertThat(listing.field("KeyCount")).isEmpty();
        assertThat(listing.field("NextMarker")).isEmpty();
        assertThat(listing.isTruncated()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            prefix=b/             | b/1 b/2   | -
            delimiter=/           | a c       | b/
            prefix=b/&delimiter=/ | b/1 b/2   | -
            marker=b/1            | b/2 c     | -
            marker=b/1&prefix=b/  | b/2       | -
            marker=c              | -         | -
            marker=b/&delimiter=/ | c         | -
            marker=a&delimiter=/  | c         | b/
            """)
    default void prefixDelimiterAndMarkerChoose(String query, String keys, String prefixes) throws IOException {
        ParsedListing listing = listV1(bucketOf("a", "b/1", "b/2", "c"), query);

        assertThat(String.join(" ", listing.keys())).isEqualTo(keys == null ? "" : keys);
        assertThat(String.join(" ", listing.prefixes())).isEqualTo(prefixes == null ? "" : prefixes);
    }

    /** The parser of every client would refuse the document. */
    @Test
    default void prefixThatXmlCannotRepresentIsEncoded() throws IOException {
        ParsedListing listing = listV1(bucketOf("a"), "encoding-type=url&prefix=x%01");

        assertThat(listing.field("Prefix")).contains("x%01");
        assertThat(listing.keys()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, false", "1, 1, true", "2, 2, true", "3, 3, false", "5000, 3, false"})
    default void pageWithoutDelimiterHasNoNextMarker(int requested, int keys, boolean truncated) throws IOException {
        ParsedListing listing = listV1(bucketOf("1", "2", "3"), "max-keys=" + requested);

        assertThat(listing.keys()).hasSize(keys);
        assertThat(listing.isTruncated()).isEqualTo(truncated);
        assertThat(listing.field("NextMarker")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 100})
    default void pagesGoOnAfterTheLastKey(int pageSize) throws IOException {
        String bucket = bucketOf(KEYS);
        List<String> seen = new ArrayList<>();
        String marker = "";
        ParsedListing page;
        do {
            page = listV1(bucket, "max-keys=" + pageSize + "&" + RawResponse.parameter("marker", marker));
            assertThat(page.keys()).isNotEmpty();
            seen.addAll(page.keys());
            marker = seen.get(seen.size() - 1);
        } while (page.isTruncated() && seen.size() < 100);

        assertThat(seen).isEqualTo(KEYS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100})
    default void nextMarkerContinuesDelimitedPages(int pageSize) throws IOException {
        String bucket = bucketOf(KEYS);
        List<String> seen = new ArrayList<>();
        String marker = "";
        ParsedListing page;
        do {
            page = listV1(bucket, "delimiter=/&max-keys=" + pageSize + "&" + RawResponse.parameter("marker", marker));
            assertThat(page.keys().size() + page.prefixes().size()).isBetween(1, pageSize);
            seen.addAll(page.keys());
            seen.addAll(page.prefixes());
            assertThat(page.field("NextMarker").isPresent()).isEqualTo(page.isTruncated());
            marker = page.field("NextMarker").orElse("");
        } while (page.isTruncated() && seen.size() < 100);

        assertThat(seen).containsExactlyInAnyOrder("a", "a.txt", "b/", "b0", "e-f", "f/", "z");
    }

    @Test
    default void markersAreEncodedToo() throws IOException {
        assumeTrue(has(OriginFixture.Trait.ANY_NAME), "may encode markers in its own way");
        ParsedListing listing = listV1(
                bucketOf("\u00E9 1/x", "\u00E9 2/y", "\u00E9 3/z"),
                "encoding-type=url&delimiter=/&max-keys=1&marker=%C3%A9%201%2F");

        assertThat(listing.field("Marker")).contains("%C3%A9%201/");
        assertThat(listing.prefixes()).containsExactly("%C3%A9%202/");
        assertThat(listing.field("NextMarker")).contains("%C3%A9%202/");
    }

    private ParsedListing listV1(String bucket, String query) throws IOException {
        return ParsedListing.of(wire().get("/" + bucket + "?" + query));
    }
}
