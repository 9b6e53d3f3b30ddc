package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bucket of ours that is what lies below a prefix: nobody sees the prefix, or anything beside it. */
interface MappedBucketCases extends EndpointReadCases {
    /** Below {@code in/}: a, b/1, b/2, c. Beside it: as many names that must not be seen. */
    List<String> MAPPED = List.of("a", "in/a", "in/b/1", "in/b/2", "in/c", "in0", "secret");

    @Test
    default void keysAreReadWithoutThePrefix() throws IOException {
        String bucket = bucketOf(MAPPED);
        try (TestGateway mapped = below(bucket, "in/")) {
            RawClient.Response response = ask(mapped, "/" + bucket + "/b/1");
            RawClient.Response missing = ask(mapped, "/" + bucket + "/in/b/1");

            assertThat(response.bytes())
                    .isEqualTo(GeneratedBytes.of("in/b/1").first(EndpointReadCases.sizeOf("in/b/1")));
            EndpointReadCases.assertError(missing, 404, "NoSuchKey", "/" + bucket + "/in/b/1");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret",
                "..%2Fsecret",
                "/secret",
                "%2F..%2Fsecret",
                "b/../../secret",
                "./../secret",
                "secret"
            })
    default void requestsCannotLeaveThePrefix(String path) throws IOException {
        assumeTrue(has(OriginFixture.Trait.ANY_NAME), "takes names for paths");
        String bucket = bucketOf(MAPPED);
        try (TestGateway mapped = below(bucket, "in/")) {
            assertThat(ask(mapped, "/" + bucket + "/" + path).element("Code")).isIn("NoSuchKey", "AccessDenied");
        }
    }

    @Test
    default void listingsAreOfWhatIsBelowThePrefix() throws IOException {
        String bucket = bucketOf(MAPPED);
        try (TestGateway mapped = below(bucket, "in/")) {
            assertThat(list(mapped, bucket, "list-type=2").keys()).containsExactly("a", "b/1", "b/2", "c");
            assertThat(list(mapped, bucket, "list-type=2&prefix=in").keys()).isEmpty();
            assertThat(list(mapped, bucket, "list-type=2&prefix=b").field("Prefix"))
                    .contains("b");
            assertThat(list(mapped, bucket, "list-type=2&prefix=b/").keys()).containsExactly("b/1", "b/2");
            assertThat(list(mapped, bucket, "list-type=2&delimiter=/").prefixes())
                    .containsExactly("b/");
            assertThat(list(mapped, bucket, "list-type=2&start-after=b/1").keys())
                    .containsExactly("b/2", "c");
            assertThat(list(mapped, bucket, "list-type=2&start-after=b/1").field("StartAfter"))
                    .contains("b/1");
            assertThat(list(mapped, bucket, "marker=b/2").keys()).containsExactly("c");
        }
    }

    /** With a prefix that ends in no slash, and with an object named as the prefix, which has no name below it. */
    @ParameterizedTest
    @ValueSource(strings = {"in/", "in"})
    default void pagesAreOfWhatIsBelowThePrefix(String prefix) throws IOException {
        String bucket = bucketOf("a", "in/", "in/a", "in/b/1", "in/b/2", "in/c", "in0", "secret");
        List<String> expected =
                prefix.equals("in") ? List.of("/", "/a", "/b/1", "/b/2", "/c", "0") : List.of("a", "b/1", "b/2", "c");
        try (TestGateway mapped = below(bucket, prefix)) {
            assertThat(pagedByToken(mapped, bucket)).isEqualTo(expected);
            assertThat(pagedByMarker(mapped, bucket))
                    .isEqualTo(prefix.equals("in") ? List.of("/", "0") : List.of("a", "b/", "c"));
            assertThat(list(mapped, bucket, "list-type=2").field("KeyCount"))
                    .contains(Integer.toString(expected.size()));
        }
    }

    /** A backend's token is often the last key in some common dress. */
    @Test
    default void tokensHideTheMappedPrefix() throws IOException {
        String bucket = bucketOf(MAPPED);
        try (TestGateway mapped = below(bucket, "in/")) {
            String token = list(mapped, bucket, "list-type=2&max-keys=1")
                    .field("NextContinuationToken")
                    .orElseThrow();

            assertThat(token).doesNotContain("in/", "in%2F");
            assertThat(new String(Base64.getUrlDecoder().decode(token), StandardCharsets.ISO_8859_1))
                    .doesNotContain("in/");
        }
    }

    @Test
    default void aTokenThatWasNotMadeHereIsRefused() throws IOException {
        String bucket = bucketOf(MAPPED);
        String other = bucketOf(MAPPED);
        ListRequest first = new ListRequest(new BucketName(bucket), "", "", new PageStart.FirstKey(), 1, false);
        String backends = origin().backend()
                .listObjects(first)
                .map(page -> ((PageStart.ContinuationToken) page.next().orElseThrow()).token())
                .block();
        try (TestGateway mapped = TestGateway.builder()
                .bucket(bucket, origin().backend(), "in/", "none")
                .bucket(other, origin().backend(), "in/", "none")
                .start()) {
            String good = list(mapped, bucket, "list-type=2&max-keys=1")
                    .field("NextContinuationToken")
                    .orElseThrow();
            for (String forged : List.of(String.valueOf(backends), "secret", good.substring(1), good + "A")) {
                assertRefused(ask(
                        mapped, "/" + bucket + "?list-type=2&" + RawResponse.parameter("continuation-token", forged)));
            }
            assertRefused(
                    ask(mapped, "/" + other + "?list-type=2&" + RawResponse.parameter("continuation-token", good)));
        }
    }

    private static void assertRefused(RawClient.Response response) {
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.element("Code")).isEqualTo("InvalidArgument");
        assertThat(response.element("Message")).isEqualTo("The continuation token provided is incorrect");
    }

    @ParameterizedTest
    @ValueSource(strings = {"start-after=../", "start-after=../secret", "start-after=in/", "prefix=../", "prefix=/../"})
    default void noParameterLeadsBesideThePrefix(String parameter) throws IOException {
        assumeTrue(has(OriginFixture.Trait.ANY_NAME), "takes names for paths");
        String bucket = bucketOf(MAPPED);
        try (TestGateway mapped = below(bucket, "in/")) {
            assertThat(List.of("a", "b/1", "b/2", "c"))
                    .containsAll(
                            list(mapped, bucket, "list-type=2&" + parameter).keys());
            assertThat(List.of("a", "b/1", "b/2", "c"))
                    .containsAll(list(mapped, bucket, parameter.replace("start-after", "marker"))
                            .keys());
        }
    }

    @Test
    default void anonymousReadsOnlyTheGrantedRights() throws IOException {
        String bucket = bucketOf(MAPPED);
        try (TestGateway mapped = TestGateway.builder()
                .bucket(bucket, origin().backend(), "in/", "read")
                .start()) {
            assertThat(anonymously(mapped, "/" + bucket + "/a").status()).isEqualTo(200);
            assertThat(anonymously(mapped, "/" + bucket + "/none").element("Code"))
                    .as("who may not list learns of no absence")
                    .isEqualTo("AccessDenied");
            assertThat(anonymously(mapped, "/" + bucket + "?list-type=2").element("Code"))
                    .isEqualTo("AccessDenied");
            assertThat(anonymously(mapped, "/").element("Code")).isEqualTo("AccessDenied");
            assertThat(anonymously(mapped, "/" + bucket + "/a?response-content-type=text/html")
                            .element("Code"))
                    .as("a public object must not become a page of this host")
                    .isEqualTo("InvalidRequest");
        }
    }

    private TestGateway below(String bucket, String prefix) {
        return TestGateway.builder()
                .bucket(bucket, origin().backend(), prefix, "none")
                .start();
    }

    private static List<String> pagedByToken(TestGateway mapped, String bucket) throws IOException {
        List<String> keys = new ArrayList<>();
        String token = "";
        for (int page = 0; page < 20; page++) {
            ParsedListing listing = list(mapped, bucket, "list-type=2&max-keys=1" + token);
            keys.addAll(listing.keys());
            if (!listing.isTruncated()) {
                return keys;
            }
            token = "&"
                    + RawResponse.parameter(
                            "continuation-token",
                            listing.field("NextContinuationToken").orElseThrow());
        }
        throw new AssertionError("pages without an end: " + keys);
    }

    /** With a delimiter, so that each page names the next marker. */
    private static List<String> pagedByMarker(TestGateway mapped, String bucket) throws IOException {
        List<String> keys = new ArrayList<>();
        String marker = "";
        for (int page = 0; page < 20; page++) {
            ParsedListing listing =
                    list(mapped, bucket, "delimiter=/&max-keys=1&" + RawResponse.parameter("marker", marker));
            keys.addAll(listing.keys());
            keys.addAll(listing.prefixes());
            if (!listing.isTruncated()) {
                return keys;
            }
            marker = listing.field("NextMarker").orElseThrow();
        }
        throw new AssertionError("pages without an end: " + keys);
    }

    private static ParsedListing list(TestGateway mapped, String bucket, String query) throws IOException {
        return ParsedListing.of(ask(mapped, "/" + bucket + "?" + query));
    }

    private static RawClient.Response ask(TestGateway mapped, String target) throws IOException {
        return new RawResponse(mapped.port(), mapped.signer()).get(target);
    }

    private static RawClient.Response anonymously(TestGateway mapped, String target) throws IOException {
        return RawClient.ask(mapped.port(), "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }
}
