package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.kit.HttpDate;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Preconditions as they come over the wire, and versions by id. */
interface ReadConditionCases extends EndpointReadCases {
    /**
     * Each row: If-Match, If-None-Match, where T stands for the object's tag without its quotes; If-Modified-Since and
     * If-Unmodified-Since as {@code then} (when the object was written), {@code before} or {@code after}; and the
     * status.
     */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '~', nullValues = "-", delimiter = '|', textBlock = """
            "T"              | -             | -      | -      | 200
            T                | -             | -      | -      | 200
            *                | -             | -      | -      | 200
            "a", "T"         | -             | -      | -      | 200
            "a,b","T"        | -             | -      | -      | 200
            a, T             | -             | -      | -      | 200
            "a"              | -             | -      | -      | 412
            "a", "b"         | -             | -      | -      | 412
            ""               | -             | -      | -      | 412
            W/"T"            | -             | -      | -      | 412
            -                | "T"           | -      | -      | 304
            -                | T             | -      | -      | 304
            -                | *             | -      | -      | 304
            -                | W/"T"         | -      | -      | 304
            -                | "a", W/"T"    | -      | -      | 304
            -                | "a"           | -      | -      | 200
            -                | "a", "b"      | -      | -      | 200
            -                | -             | then   | -      | 304
            -                | -             | after  | -      | 304
            -                | -             | before | -      | 200
            -                | -             | -      | then   | 200
            -                | -             | -      | after  | 200
            -                | -             | -      | before | 412
            "T"              | "T"           | -      | -      | 304
            "T"              | "a"           | -      | -      | 200
            "a"              | "T"           | -      | -      | 412
            "T"              | -             | -      | before | 200
            "a"              | -             | -      | then   | 412
            "T"              | -             | then   | -      | 304
            -                | "a"           | then   | -      | 200
            -                | "T"           | before | -      | 304
            -                | "T"           | -      | before | 412
            -                | -             | then   | before | 412
            -                | -             | then   | then   | 304
            -                | -             | before | then   | 200
            "T"              | "a"           | then   | before | 200
            """)
    default void preconditionsAreEvaluatedAsTheRfcOrdersThem(
            @Nullable String ifMatch,
            @Nullable String ifNoneMatch,
            @Nullable String modified,
            @Nullable String unmodified,
            int status)
            throws IOException {
        String target = seeded("conditional", 100);
        RawClient.Response now = wire().head(target);
        List<String> fields = new ArrayList<>();
        add(fields, "if-match", ifMatch == null ? null : tagged(ifMatch, now));
        add(fields, "if-none-match", ifNoneMatch == null ? null : tagged(ifNoneMatch, now));
        add(fields, "if-modified-since", modified == null ? null : time(modified, now));
        add(fields, "if-unmodified-since", unmodified == null ? null : time(unmodified, now));
        String[] conditions = fields.toArray(String[]::new);
        assumeTrue(
                has(OriginFixture.Trait.RFC_CONDITIONS) || (modified == null && unmodified == null),
                "has its own dates");

        RawClient.Response response = wire().get(target, conditions);

        switch (status) {
            case 200 ->
                assertThat(response.bytes())
                        .isEqualTo(GeneratedBytes.of("conditional").first(100));
            case 304 -> assertNotModified(response, now, ifNoneMatch == null);
            default ->
                EndpointReadCases.assertError(response, 412, "PreconditionFailed", "/" + bucket() + "/conditional");
        }
        assertThat(response.status()).isEqualTo(status);
        assertThat(wire().head(target, conditions).status()).isEqualTo(status);
    }

    /** Range and If-Range as above; {@code status} 200 means all of it. */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '~', delimiter = '|', textBlock = """
            "T"    | 206
            T      | 206
            W/"T"  | 200
            "a"    | 200
            then   | 206
            before | 200
            after  | 200
            """)
    default void ifRangeKeepsTheRangeForThatContentOnly(String ifRange, int status) throws IOException {
        String target = seeded("if-range", 100);
        RawClient.Response now = wire().head(target);
        String value = ifRange.matches("[a-z]{4,}") ? time(ifRange, now) : tagged(ifRange, now);

        RawClient.Response response = wire().get(target, "range: bytes=10-19", "if-range: " + value);

        assertThat(response.status()).isEqualTo(status);
        assertThat(response.bytes())
                .isEqualTo(
                        status == 206
                                ? GeneratedBytes.of("if-range").slice(10, 10)
                                : GeneratedBytes.of("if-range").first(100));
        assertHeadIsTheSame(response, target, "range: bytes=10-19", "if-range: " + value);
    }

    @Test
    default void ifRangeWithoutARangeSaysNothing() throws IOException {
        assertThat(wire().get(seeded("if-range", 100), "if-range: \"a\"").status())
                .isEqualTo(200);
    }

    @Test
    default void ifRangeOfOtherContentForgivesAnUnsatisfiableRange() throws IOException {
        String target = seeded("if-range", 100);

        assertThat(wire().get(target, "range: bytes=100-", "if-range: \"a\"").status())
                .isEqualTo(200);
        assertThat(wire().get(target, "range: bytes=100-", "if-range: " + tagged("\"T\"", wire().head(target)))
                        .status())
                .isEqualTo(416);
    }

    @Test
    default void preconditionsComeBeforeTheRange() throws IOException {
        String target = seeded("conditional", 100);
        String tag = tagged("\"T\"", wire().head(target));

        assertThat(wire().get(target, "range: bytes=100-", "if-match: \"a\"").status())
                .isEqualTo(412);
        assertThat(wire().get(target, "range: bytes=100-", "if-none-match: " + tag)
                        .status())
                .isEqualTo(304);
        assertThat(wire().get(target, "range: bytes=1-2", "if-match: " + tag).body())
                .isEqualTo(wire().get(target, "range: bytes=1-2").body());
        assertThat(wire().get(target, "range: bytes=100-", "if-match: " + tag).status())
                .isEqualTo(416);
    }

    @Test
    default void dateThatIsNoneIsIgnored() throws IOException {
        String target = seeded("conditional", 100);

        assertThat(wire().get(target, "if-modified-since: yesterday").status()).isEqualTo(200);
        assertThat(wire().get(target, "if-unmodified-since: 0").status()).isEqualTo(200);
    }

    @Test
    default void nullVersionIsTheObject() throws IOException {
        assumeTrue(has(OriginFixture.Trait.NULL_VERSION), "knows no versions at all");
        String target = seeded("versioned", 100) + "?versionId=null";

        RawClient.Response response = wire().get(target);

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bytes()).isEqualTo(GeneratedBytes.of("versioned").first(100));
        assertHeadIsTheSame(response, target);
    }

    /** Servers differ in what they call it; none may answer with the object that is there. */
    @Test
    default void otherVersionIsNeverTheObject() throws IOException {
        String target = seeded("versioned", 100)
                + "?versionId=3sL4kqtJlcpXroDTDmJ-rmSpXd3dIbrHY-MTRCxf3vjVBH40Nr8X8gdRQBpUMLUo";

        RawClient.Response response = wire().get(target);

        assertThat(response.status()).isIn(400, 404, 501);
        assertThat(response.element("Code")).isIn("InvalidArgument", "NoSuchVersion", "NotImplemented");
        assertThat(wire().head(target).status()).isIn(400, 404, 501);
    }

    /**
     * @param byDate whether a date decided: not every server tells the tag then
     */
    private void assertNotModified(RawClient.Response response, RawClient.Response now, boolean byDate) {
        assertThat(response.status()).isEqualTo(304);
        assertThat(response.body()).isEmpty();
        if (!byDate || response.headers().containsKey("etag") || origin().wire().isEmpty()) {
            assertThat(response.headers()).containsEntry("etag", now.headers().get("etag"));
        }
        assertThat(response.headers()).doesNotContainKeys("content-type", "content-range");
    }

    private static void add(List<String> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.add(name + ": " + value);
        }
    }

    private static String tagged(String pattern, RawClient.Response now) {
        return pattern.replace("T", String.valueOf(now.headers().get("etag")).replace("\"", ""));
    }

    private static String time(String word, RawClient.Response now) {
        Instant written = HttpDate.parse(String.valueOf(now.headers().get("last-modified")))
                .orElseThrow();
        Duration shift = Duration.ofSeconds(word.equals("then") ? 0 : word.equals("before") ? -60 : 60);
        return HttpDate.format(written.plus(shift));
    }
}
