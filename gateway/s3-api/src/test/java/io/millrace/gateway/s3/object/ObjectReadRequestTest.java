package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.RequestSource;
import io.millrace.auth.policy.Right;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies the parsing of read requests: an error here is a wrong byte or a stale copy for the client. */
class ObjectReadRequestTest {
    private static final S3RequestAuthorizer gate = new S3RequestAuthorizer(
            new RequestVerifier(IdentityRegistry.of(List.of()), SignatureSettings.defaults(), InstantSource.system()),
            new Authorizer(bucket -> BucketPolicy.granting(Set.of(Right.READ))),
            InstantSource.system());

    static Stream<Arguments> ranges() {
        return Stream.of(
                Arguments.of("bytes=0-9", new ByteSelection.RangeSelection(new RangeSpec.Bounded(0, 9))),
                Arguments.of("BYTES=5-", new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(5))),
                Arguments.of("bytes=-7", new ByteSelection.RangeSelection(new RangeSpec.Suffix(7))),
                Arguments.of("bytes=0-1,3-4", new ByteSelection.WholeObject()),
                Arguments.of("bytes=9-0", new ByteSelection.WholeObject()),
                Arguments.of("items=0-9", new ByteSelection.WholeObject()),
                Arguments.of("", new ByteSelection.WholeObject()));
    }

    @ParameterizedTest
    @MethodSource("ranges")
    void aRangeSelectsAndNonsenseIsTheWhole(String range, ByteSelection selection) {
        ObjectReadRequest read = read("", Map.of("range", List.of(range)));

        assertThat(read.request().selection()).isEqualTo(selection);
        assertThat(read.wholeRequest().selection()).isEqualTo(new ByteSelection.WholeObject());
    }

    static Stream<Arguments> tags() {
        return Stream.of(
                Arguments.of(List.of("\"a\""), List.of(ETag.strong("a"))),
                Arguments.of(List.of("a"), List.of(ETag.strong("a"))),
                Arguments.of(List.of("\"a\", W/\"b\""), List.of(ETag.strong("a"), new ETag("b", true))),
                Arguments.of(List.of("\"a,b\",c"), List.of(ETag.strong("a,b"), ETag.strong("c"))),
                Arguments.of(List.of("\"a\"", "\"b\""), List.of(ETag.strong("a"), ETag.strong("b"))),
                Arguments.of(List.of("*"), ReadConditions.ANY),
                Arguments.of(List.of("\"a\", *"), ReadConditions.ANY),
                Arguments.of(List.of(""), List.of(ETag.strong(""))),
                Arguments.of(List.of(",,"), List.of(ETag.strong(""))));
    }

    @ParameterizedTest
    @MethodSource("tags")
    void aListOfTagsIsReadAsSent(List<String> values, List<ETag> tags) {
        assertThat(read("", Map.of("if-match", values)).request().conditions().ifMatch())
                .contains(tags);
        assertThat(read("", Map.of("if-none-match", values))
                        .request()
                        .conditions()
                        .ifNoneMatch())
                .contains(tags);
    }

    @Test
    void datesAreConditionsAndNonsenseIsNone() {
        ReadConditions conditions = read(
                        "",
                        Map.of(
                                "if-modified-since", List.of("Sun, 06 Nov 1994 08:49:37 GMT"),
                                "if-unmodified-since", List.of("yesterday")))
                .request()
                .conditions();

        assertThat(conditions.ifModifiedSince()).contains(Instant.parse("1994-11-06T08:49:37Z"));
        assertThat(conditions.ifUnmodifiedSince()).isEmpty();
        assertThat(read("", Map.of()).request().conditions()).isEqualTo(ReadConditions.NONE);
    }

    @Test
    void ifRangeCountsOnlyWithARange() {
        assertThat(read("", Map.of("if-range", List.of("\"a\""))).ifRange()).isEmpty();
        assertThat(read("", Map.of("if-range", List.of("\"a\""), "range", List.of("bytes=0-0")))
                        .ifRange())
                .contains(new IfRange(Optional.of(ETag.strong("a")), Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource({"partNumber=1,1", "partNumber=10000,10000"})
    void aPartIsSelected(String query, int number) {
        assertThat(read(query, Map.of()).request().selection()).isEqualTo(new ByteSelection.PartSelection(number));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "10001", "-1", "x", "", "1.0", "99999999999"})
    void otherPartsAreNone(String number) {
        assertRefused("partNumber=" + number, Map.of(), "InvalidArgument");
    }

    @Test
    void aPartOfARangeIsNothing() {
        assertRefused("partNumber=1", Map.of("range", List.of("bytes=0-0")), "InvalidRequest");
    }

    @Test
    void withoutVersionsTheObjectIsItsNullVersion() {
        assertThat(read("versionId=null", Map.of()).request().versionId()).isEmpty();
        assertRefused("versionId=abc", Map.of(), "NoSuchVersion");
    }

    @Test
    void withVersionsEachIsPassedOn() {
        BucketView versioned = view(Set.of(Capability.VERSIONS));

        assertThat(ObjectReadRequest.of(admission("versionId=abc", Map.of()), versioned)
                        .request()
                        .versionId())
                .contains("abc");
    }

    @Test
    void checksumsAreRequestedWhenTheyAreWanted() {
        assertThat(read("", Map.of("x-amz-checksum-mode", List.of("ENABLED")))
                        .request()
                        .checksums())
                .isTrue();
        assertThat(read("x-amz-checksum-mode=ENABLED", Map.of()).request().checksums())
                .isTrue();
        assertThat(read("", Map.of("x-amz-checksum-mode", List.of("no")))
                        .request()
                        .checksums())
                .isFalse();
    }

    @Test
    void theKeyIsThatOfTheBackend() {
        BucketView below = BucketViews.of("bucket", new InMemoryBackend(), "real", "team/");

        assertThat(ObjectReadRequest.of(admission("", Map.of()), below)
                        .request()
                        .object())
                .hasToString("real/team/key");
    }

    private static void assertRefused(String query, Map<String, List<String>> headers, String code) {
        assertThatThrownBy(() -> read(query, headers))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static ObjectReadRequest read(String query, Map<String, List<String>> headers) {
        return ObjectReadRequest.of(admission(query, headers), view(Set.of()));
    }

    private static BucketView view(Set<Capability> capabilities) {
        return BucketViews.of("bucket", new InMemoryBackend(capabilities), "bucket", "");
    }

    private static AuthorizedRequest admission(String query, Map<String, List<String>> headers) {
        RequestTarget target = RequestTarget.parse("/bucket/key?" + query, Optional.empty());
        return gate.admit(new S3Request(
                "GET", target, fields(headers), UnverifiedRequestBody.NONE, "ID", RequestSource.INTERNAL));
    }

    private static RequestHeaders fields(Map<String, List<String>> headers) {
        return new RequestHeaders() {
            @Override
            public List<String> all(String name) {
                return headers.getOrDefault(name, List.of());
            }

            @Override
            public List<String> names() {
                return List.copyOf(headers.keySet());
            }
        };
    }
}
