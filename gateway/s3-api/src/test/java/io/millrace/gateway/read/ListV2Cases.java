package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** ListObjectsV2: its parameters, its elements, its order. */
interface ListV2Cases extends EndpointReadCases {
    /** In the byte order of UTF-8. */
    List<String> KEYS = List.of("a", "a.txt", "b/1", "b/2", "b/c/3", "b0", "e \u00E9+%", "f/x/y", "z");

    @Test
    default void listingReportsOfEachObjectWhatHeadReports() throws IOException {
        String bucket = bucketOf(KEYS);

        ParsedListing listing = list(bucket, "");

        assertThat(listing.keys()).isEqualTo(KEYS);
        assertThat(listing.field("Name")).contains(bucket);
        assertThat(listing.field("Prefix")).contains("");
        assertThat(listing.field("KeyCount")).contains(Integer.toString(KEYS.size()));
        assertThat(listing.field("MaxKeys")).contains("1000");
        assertThat(listing.isTruncated()).isFalse();
        assertThat(listing.field("NextContinuationToken")).isEmpty();
        assertThat(listing.field("Marker")).isEmpty();
        assertThat(listing.root().getNamespaceURI() == null ? listing.root().getAttribute("xmlns") : "")
                .isEqualTo("http://s3.amazonaws.com/doc/2006-03-01/");
        for (Element entry : listing.objects()) {
            assertEntry(bucket, entry);
        }
    }

    /** An empty field of the row stands for an absent parameter; keys and prefixes are joined by spaces. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            prefix=b               | b/1 b/2 b/c/3 b0   | -
            prefix=b/              | b/1 b/2 b/c/3      | -
            prefix=b/c/3           | b/c/3              | -
            prefix=nothing         | -                  | -
            delimiter=/            | a a.txt b0 é z     | b/ f/
            prefix=b/&delimiter=/  | b/1 b/2            | b/c/
            prefix=b&delimiter=/   | b0                 | b/
            prefix=f/&delimiter=/  | -                  | f/x/
            prefix=f&delimiter=/x/ | -                  | f/x/
            delimiter=t            | a b/1 b/2 b/c/3 b0 é f/x/y z | a.t
            delimiter=none         | a a.txt b/1 b/2 b/c/3 b0 é f/x/y z | -
            start-after=b/2        | b/c/3 b0 é f/x/y z | -
            start-after=b          | b/1 b/2 b/c/3 b0 é f/x/y z | -
            start-after=z          | -                  | -
            prefix=b/&start-after=b/1 | b/2 b/c/3       | -
            prefix=b/&start-after=a   | b/1 b/2 b/c/3   | -
            prefix=a&start-after=b    | -               | -
            """)
    default void prefixDelimiterAndStartAfterChoose(String query, String keys, String prefixes) throws IOException {
        assumeTrue(
                has(OriginFixture.Trait.ANY_DELIMITER) || query.matches("(?!.*delimiter=).*|.*delimiter=/"),
                "only slashes");
        ParsedListing listing = list(bucketOf(KEYS), "&" + query);

        assertThat(String.join(" ", listing.keys()).replace("e \u00E9+%", "\u00E9"))
                .isEqualTo(keys == null ? "" : keys);
        assertThat(String.join(" ", listing.prefixes())).isEqualTo(prefixes == null ? "" : prefixes);
        assertThat(listing.field("KeyCount"))
                .contains(Integer.toString(
                        listing.keys().size() + listing.prefixes().size()));
        assertThat(listing.isTruncated()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, false",
        "1, 1, 1, true",
        "2, 2, 2, true",
        "3, 3, 3, false",
        "1000, 1000, 3, false",
        "5000, 1000, 3, false"
    })
    default void pageIsAsLongAsRequested(String requested, String reported, int keys, boolean truncated)
            throws IOException {
        ParsedListing listing = list(bucketOf("1", "2", "3"), "&max-keys=" + requested);

        assertThat(listing.keys()).hasSize(keys);
        assertThat(listing.field("KeyCount")).contains(Integer.toString(keys));
        assertThat(listing.field("MaxKeys")).contains(reported);
        assertThat(listing.isTruncated()).isEqualTo(truncated);
        assertThat(listing.field("NextContinuationToken").isPresent()).isEqualTo(truncated);
    }

    @Test
    default void emptyParametersArePresentAndSayNothing() throws IOException {
        ParsedListing listing =
                list(bucketOf("a/1", "a/2"), "&prefix=&delimiter=&start-after=&encoding-type=&max-keys=&fetch-owner=");

        assertThat(listing.keys()).containsExactly("a/1", "a/2");
        assertThat(listing.prefixes()).isEmpty();
        assertThat(listing.field("MaxKeys")).contains("1000");
        assertThat(listing.field("Delimiter")).isEmpty();
        assertThat(listing.field("EncodingType")).isEmpty();
        assertThat(listing.field("StartAfter")).isEmpty();
    }

    @Test
    default void urlEncodingIsOfEveryName() throws IOException {
        String bucket = bucketOf("x \u00E9/a+b&", "x \u00E9/c/d");

        ParsedListing listing =
                list(bucket, "&encoding-type=url&delimiter=%2F&prefix=x%20%C3%A9%2F&start-after=x%20%C3%A9%2F!");

        assertThat(listing.field("EncodingType")).contains("url");
        assertThat(listing.field("Prefix")).contains("x%20%C3%A9/");
        assertThat(listing.field("Delimiter")).contains("/");
        assertThat(listing.field("StartAfter")).contains("x%20%C3%A9/%21");
        assertThat(listing.keys()).containsExactly("x%20%C3%A9/a%2Bb%26");
        assertThat(listing.prefixes()).containsExactly("x%20%C3%A9/c/");
    }

    @Test
    default void ownerIsReportedOnlyWhenRequested() throws IOException {
        String bucket = bucketOf("owned");

        Element plain = list(bucket, "").objects().get(0);
        Element refused = list(bucket, "&fetch-owner=false").objects().get(0);
        Element requested = list(bucket, "&fetch-owner=true").objects().get(0);

        assertThat(ParsedListing.children(plain, "Owner")).isEmpty();
        assertThat(ParsedListing.children(refused, "Owner")).isEmpty();
        assertThat(ParsedListing.children(requested, "Owner")).hasSize(has(OriginFixture.Trait.OWNERS) ? 1 : 0);
    }

    @Test
    default void emptyTokenBeginsTheListAndIsReportedAgain() throws IOException {
        String bucket = bucketOf("one", "two");

        RawClient.Response response = wire().get("/" + bucket + "?list-type=2&continuation-token=");

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.text())
                .contains("<Key>one</Key>", "<Key>two</Key>", "<ContinuationToken></ContinuationToken>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "list-type=2&max-keys=-1",
                "list-type=2&max-keys=x",
                "list-type=2&max-keys=2147483648",
                "list-type=2&encoding-type=base64",
                "list-type=1",
                "list-type=",
                "max-keys=-1",
                "encoding-type=URL",
            })
    default void parameterThatMakesNoSenseIsRefused(String query) throws IOException {
        RawClient.Response response = wire().get("/" + bucket() + "?" + query);

        EndpointReadCases.assertError(response, 400, "InvalidArgument", "/" + bucket());
        assertThat(query).contains(response.element("ArgumentName") + "=" + response.element("ArgumentValue"));
    }

    @Test
    default void emptyBucketIsAnEmptyListing() throws IOException {
        ParsedListing listing = list(newBucket(), "&delimiter=/");

        assertThat(listing.keys()).isEmpty();
        assertThat(listing.prefixes()).isEmpty();
        assertThat(listing.field("KeyCount")).contains("0");
        assertThat(listing.isTruncated()).isFalse();
    }

    @Test
    default void listingShowsANewObjectAtOnce() throws IOException {
        String bucket = bucketOf("first");
        assertThat(list(bucket, "").keys()).containsExactly("first");

        origin().put(bucket, "second", new byte[3], HeaderList.EMPTY);

        assertThat(list(bucket, "").keys()).containsExactly("first", "second");
    }

    private void assertEntry(String bucket, Element entry) {
        String key = ParsedListing.text(entry, "Key");
        HeadObjectResponse head = sdk().headObject(ask -> ask.bucket(bucket).key(key));

        assertThat(ParsedListing.text(entry, "Size"))
                .isEqualTo(Integer.toString(EndpointReadCases.sizeOf(key)))
                .isEqualTo(Long.toString(head.contentLength()));
        assertThat(ParsedListing.text(entry, "ETag")).isEqualTo(head.eTag());
        assertThat(ParsedListing.text(entry, "StorageClass")).isEqualTo("STANDARD");
        assertThat(ParsedListing.text(entry, "LastModified"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(Instant.parse(ParsedListing.text(entry, "LastModified")).truncatedTo(ChronoUnit.SECONDS))
                .isEqualTo(head.lastModified());
    }

    default ParsedListing list(String bucket, String query) throws IOException {
        return ParsedListing.of(wire().get("/" + bucket + "?list-type=2" + query));
    }
}
