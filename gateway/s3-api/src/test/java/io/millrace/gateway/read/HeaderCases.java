package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fields of an answer: as the backend gave them, or as the caller wants them. */
interface HeaderCases extends EndpointReadCases {
    /** What a server says of itself and of its connection, not of the object. */
    Set<String> OF_A_SERVER = Set.of(
            "date",
            "server",
            "connection",
            "keep-alive",
            "vary",
            "x-amz-request-id",
            "x-amz-id-2",
            "x-amz-bucket-region",
            "accept-ranges",
            "x-localstack",
            "access-control-allow-origin",
            "access-control-allow-methods",
            "access-control-allow-headers",
            "access-control-expose-headers",
            "strict-transport-security");

    /** What the gateway says of itself. */
    Set<String> OF_THE_GATEWAY = Set.of("cache-status", "x-content-type-options", "accept-ranges");

    @ParameterizedTest
    @ValueSource(strings = {"whole", "range", "part", "checksums", "plain"})
    default void fieldsAreThoseOfTheBackendOneByOne(String form) throws IOException {
        assumeTrue(origin().wire().isPresent(), "no S3 server behind the gateway");
        RawResponse behind = origin().wire().orElseThrow();
        String key = form.equals("plain") ? "plain" : "decorated";
        origin().put(
                        bucket(),
                        key,
                        GeneratedBytes.of(key).first(1000),
                        form.equals("plain") ? HeaderList.EMPTY : decorated());
        String target = RawResponse.path(bucket(), key) + (form.equals("part") ? "?partNumber=1" : "");
        String field = form.equals("range")
                ? "range: bytes=10-19"
                : form.equals("checksums") ? "x-amz-checksum-mode: ENABLED" : "accept: */*";

        RawClient.Response theirs = behind.get(target, field);
        assumeTrue(theirs.status() == 206 || !form.equals("part"), "knows no parts");
        RawClient.Response ours = wire().get(target, field);

        Map<String, String> expected = without(OF_A_SERVER, theirs);
        // versitygw keeps the coding in which a body was sent to it.
        expected.remove("content-encoding", "aws-chunked");
        assertThat(without(OF_THE_GATEWAY, ours)).isEqualTo(expected);
        assertThat(ours.status()).isEqualTo(theirs.status());
        assertThat(ours.body()).isEqualTo(theirs.body());
        assertHeadIsTheSame(ours, target, field);
    }

    @Test
    default void userMetadataComesBackAsItWasWritten() throws IOException {
        assumeTrue(has(OriginFixture.Trait.METADATA), "keeps no metadata");
        origin().put(bucket(), "decorated", GeneratedBytes.of("decorated").first(10), decorated());

        Map<String, String> metadata =
                sdk().headObject(head -> head.bucket(bucket()).key("decorated")).metadata();

        assertThat(metadata)
                .containsEntry("plain", "value")
                .containsEntry("spaced", "a  b")
                .containsEntry("dotted.name", "%2F+\"'<&>;=,");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '~', delimiter = '|', textBlock = """
            content-type        | Text/X-Ours; charset="UTF-8"
            content-language    | de, en-GB
            expires             | Thu, 01 Dec 1994 16:00:00 GMT
            expires             | never
            cache-control       | no-store, max-age=5
            content-disposition | attachment; filename="a \\"b\\"; c+d%20e.txt"
            content-disposition | attachment; filename*=UTF-8''%e2%82%ac
            content-encoding    | gzip
            content-encoding    | x-odd
            """)
    default void callerMayOverrideAField(String name, String value) throws IOException {
        String target = seeded("overridden", 100) + "?" + RawResponse.parameter("response-" + name, value);

        RawClient.Response response = wire().get(target);
        RawClient.Response range = wire().get(target, "range: bytes=5-9");

        assertThat(response.headers()).containsEntry(name, value).containsEntry("content-length", "100");
        assertThat(response.bytes()).isEqualTo(GeneratedBytes.of("overridden").first(100));
        assertHeadIsTheSame(response, target);
        assertThat(range.status()).isEqualTo(206);
        assertThat(range.headers()).containsEntry(name, value);
    }

    @Test
    default void allOverridesTogetherReplaceTheBackendsOwn() throws IOException {
        if (has(OriginFixture.Trait.METADATA)) {
            origin().put(bucket(), "overridden", GeneratedBytes.of("overridden").first(100), decorated());
        } else {
            seeded("overridden", 100);
        }

        var got = sdk().getObjectAsBytes(get -> get.bucket(bucket())
                        .key("overridden")
                        .responseContentType("a/b")
                        .responseContentLanguage("fr")
                        .responseCacheControl("max-age=1")
                        .responseContentDisposition("inline")
                        .responseContentEncoding("br"))
                .response();

        assertThat(got.contentType()).isEqualTo("a/b");
        assertThat(got.contentLanguage()).isEqualTo("fr");
        assertThat(got.cacheControl()).isEqualTo("max-age=1");
        assertThat(got.contentDisposition()).isEqualTo("inline");
        assertThat(got.contentEncoding()).isEqualTo("br");
    }

    /** Each would end the field, begin another, or be changed on its way. */
    @ParameterizedTest
    @ValueSource(strings = {"a\r\nx: y", "a\nb", "a\u0000b", "a\u007Fb", "\u65E5\u672C.txt", "a\u20AC"})
    default void overrideThatNoFieldCanHoldIsRefused(String value) throws IOException {
        String target = seeded("overridden", 100) + "?" + RawResponse.parameter("response-content-disposition", value);

        EndpointReadCases.assertError(wire().get(target), 400, "InvalidArgument", "/" + bucket() + "/overridden");
    }

    @Test
    default void overrideOfAnyOtherFieldIsRefused() throws IOException {
        String target = seeded("overridden", 100) + "?response-etag=x";

        EndpointReadCases.assertError(wire().get(target), 501, "NotImplemented", "/" + bucket() + "/overridden");
    }

    private static HeaderList decorated() {
        return HeaderList.EMPTY
                .with("content-type", "Text/HTML; Charset=\"utf-8\"")
                .with("content-encoding", "gzip")
                .with("content-language", "de, en")
                .with("content-disposition", "attachment; filename=\"a b.html\"")
                .with("cache-control", "max-age=60, Public")
                .with("x-amz-meta-plain", "value")
                .with("x-amz-meta-spaced", "a  b")
                .with("x-amz-meta-dotted.name", "%2F+\"'<&>;=,");
    }

    private static Map<String, String> without(Set<String> names, RawClient.Response response) {
        Map<String, String> fields = new TreeMap<>(response.headers());
        fields.keySet().removeAll(OF_A_SERVER);
        fields.keySet().removeAll(names);
        return fields;
    }
}
