package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.read.S3OriginFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Object;

/** What is written is what is read, at once and by everybody, with all that was said of it. */
interface PutCases extends EndpointWriteCases {
    @Test
    default void readsTheWrittenObjectAtOnce() throws IOException {
        String bucket = newBucket();
        for (int round = 1; round <= 5; round++) {
            byte[] bytes = GeneratedBytes.of("round-" + round).first(1000 * round);
            String tag = sdk().putObject(put -> put.bucket(bucket).key("again"), RequestBody.fromBytes(bytes))
                    .eTag();

            assertThat(sdk().getObjectAsBytes(get -> get.bucket(bucket).key("again"))
                            .asByteArray())
                    .isEqualTo(bytes);
            HeadObjectResponse head = sdk().headObject(ask -> ask.bucket(bucket).key("again"));
            assertThat(head.contentLength()).isEqualTo(bytes.length);
            assertThat(head.eTag()).isEqualTo(tag);
            List<S3Object> listed =
                    sdk().listObjectsV2(list -> list.bucket(bucket)).contents();
            assertThat(listed).hasSize(1);
            assertThat(listed.get(0).size()).isEqualTo(bytes.length);
            assertThat(listed.get(0).eTag()).isEqualTo(tag);
        }
    }

    @Promise("W1")
    @Test
    default void overwriteOfACachedObjectIsSeenAtOnce() throws IOException {
        storedAndRead("warm", "before", 200_000);

        byte[] after = stored("warm", "after", 150_000);

        assertHolds("warm", after);
        assertThat(get("warm", "Range: bytes=140000-149999").bytes())
                .isEqualTo(GeneratedBytes.of("after").slice(140_000, 10_000));
        assertThat(get("warm", "Range: bytes=150000-").status()).isEqualTo(416);
    }

    @Test
    default void writtenKeyIsFoundDespiteRememberedAbsence() throws IOException {
        assertAbsent("was-missing");
        assertAbsent("was-missing");

        assertHolds("was-missing", stored("was-missing", "there", 10));
    }

    @Test
    default void fieldsAndMetadataComeBack() throws IOException {
        assumeTrue(can(OptionalFeature.EXACT_FIELDS), "changes fields");
        String[] fields = {
            "content-type: text/x-own; charset=utf-8",
            "content-encoding: gzip",
            "content-language: de, en",
            "content-disposition: attachment; filename=\"a b.txt\"",
            "cache-control: max-age=60, private",
            "expires: Thu, 01 Dec 2033 16:00:00 GMT",
            "x-amz-meta-plain: a value with  spaces",
            "x-amz-meta-Upper: Case"
        };
        storedAndRead("described", "described", 500, fields);

        for (RawClient.Response response : List.of(get("described"), head("described"))) {
            for (String field : fields) {
                int colon = field.indexOf(':');
                assertThat(response.headers())
                        .containsEntry(field.substring(0, colon).toLowerCase(Locale.ROOT), field.substring(colon + 2));
            }
        }
        byte[] bare = stored("described", "bare", 10);
        assertHolds("described", bare);
        assertThat(head("described").headers()).doesNotContainKeys("x-amz-meta-plain", "content-encoding");
    }

    /** What the SDK says, and not as the test words it. */
    @Test
    default void metadataOfTheSdkComesBack() {
        sdk().putObject(
                        put -> put.bucket(bucket())
                                .key("of-sdk")
                                .contentType("image/png")
                                .metadata(Map.of("one", "1", "two-words", "a b")),
                        RequestBody.fromString("x"));

        HeadObjectResponse head = sdk().headObject(ask -> ask.bucket(bucket()).key("of-sdk"));

        assertThat(head.contentType()).isEqualTo("image/png");
        assertThat(head.contentEncoding()).isNull();
        assertThat(head.metadata()).containsEntry("one", "1").containsEntry("two-words", "a b");
    }

    @Test
    default void nonAsciiMetadataIsReturnedUnchanged() throws IOException {
        assumeTrue(can(OptionalFeature.METADATA_IN_UTF8), "knows no other text");
        String value = SignedWriteRequest.latin1("gr\u00FCn \u20AC \u65E5".getBytes(StandardCharsets.UTF_8));
        storedAndRead("umlaut", "umlaut", 10, "x-amz-meta-colour: " + value);

        assertThat(get("umlaut").headers()).containsEntry("x-amz-meta-colour", value);
        assertThat(head("umlaut").headers()).containsEntry("x-amz-meta-colour", value);
    }

    @Test
    default void anEmptyBodyIsAnEmptyObject() throws IOException {
        storedAndRead("empty", "empty", 3);

        RawClient.Response stored = send(SignedWriteRequest.put(target("empty"), new byte[0]));

        assertThat(stored.status()).isEqualTo(200);
        if (can(OptionalFeature.MD5_TAGS)) {
            assertThat(stored.headers()).containsEntry("etag", "\"d41d8cd98f00b204e9800998ecf8427e\"");
        }

        assertHolds("empty", new byte[0]);
    }

    @ParameterizedTest
    @ValueSource(ints = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5_000_000, 20 << 20})
    default void largeBodiesComeBackWhole(int size) throws IOException {
        byte[] bytes = GeneratedBytes.of("large").first(size);

        sdk().putObject(put -> put.bucket(bucket()).key("large"), RequestBody.fromBytes(bytes));

        assertThat(get("large").bytes()).isEqualTo(bytes);
    }

    /** It cuts bodies into parts and sends them at the same time. */
    @Test
    default void theAsynchronousSdkWritesAsWell() {
        assumeTrue(can(OptionalFeature.COMPOSITE_CHECKSUMS), "refuses the checksums that it sends");
        byte[] bytes = GeneratedBytes.of("async").first(9 << 20);
        try (S3AsyncClient client = S3AsyncClient.builder()
                .endpointOverride(gateway().endpoint())
                .region(Region.of(PayloadSigning.REGION))
                .forcePathStyle(true)
                .credentialsProvider(S3OriginFixture.credentials(TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY))
                .multipartEnabled(true)
                .build()) {
            client.putObject(put -> put.bucket(bucket()).key("async"), AsyncRequestBody.fromBytes(bytes))
                    .join();
            client.putObject(put -> put.bucket(bucket()).key("async-small"), AsyncRequestBody.fromString("small"))
                    .join();
        }

        assertThat(sdk().getObjectAsBytes(get -> get.bucket(bucket()).key("async"))
                        .asByteArray())
                .isEqualTo(bytes);
        assertThat(sdk().getObjectAsBytes(get -> get.bucket(bucket()).key("async-small"))
                        .asUtf8String())
                .isEqualTo("small");
    }

    @Test
    default void refusesMetadataAboveTwoKibibytes() throws IOException {
        String value = "v".repeat(2048 - "name".length());
        assertThat(send(SignedWriteRequest.put(target("much"), new byte[1]).with("x-amz-meta-name: " + value))
                        .status())
                .isEqualTo(200);

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put(target("too-much"), new byte[1]).with("x-amz-meta-name: " + value + "v")),
                400,
                "MetadataTooLarge");

        assertAbsent("too-much");
    }

    @Test
    default void aKeyThatIsTooLongIsRefused() throws IOException {
        String key = "k".repeat(1025);

        EndpointWriteCases.assertError(send(SignedWriteRequest.put(target(key), new byte[1])), 400, "KeyTooLongError");
    }

    @Test
    default void aBucketThatIsNotThereIsReported() throws IOException {
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put("/no-such-bucket-here/key", new byte[10])), 404, "NoSuchBucket");
    }

    @Test
    default void refusesBodyWithoutALength() throws IOException {
        RawClient.Response response =
                send(SignedWriteRequest.of("PUT", target("unmeasured")).with("Transfer-Encoding: chunked"));

        EndpointWriteCases.assertError(response, 411, "MissingContentLength");
        assertAbsent("unmeasured");
    }

    @Test
    default void refusesUnknownFieldsWithoutStoring() throws IOException {
        assumeTrue(can(OptionalFeature.REFUSES_UNKNOWN_HEADERS), "takes headers that it does not know");
        for (String field : List.of("x-amz-write-offset-bytes: 0", "x-amz-unheard-of: 1")) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.put(target("unknown"), new byte[10]).with(field)), 501, "NotImplemented");
        }
        for (String parameter : List.of("?append", "?versionId=1")) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.put(target("unknown") + parameter, new byte[10])), 501, "NotImplemented");
        }
        assertAbsent("unknown");
    }

    @Test
    default void refusesGrantsToOthers() throws IOException {
        for (String field : List.of("x-amz-acl: public-read", "x-amz-grant-read: id=somebody")) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.put(target("shared"), new byte[10]).with(field)),
                    400,
                    "AccessControlListNotSupported");
        }
        assertAbsent("shared");
    }

    @Test
    default void refusesWritesWithoutTheRight() throws IOException {
        byte[] before = stored("kept", "kept", 10);

        for (SignedWriteRequest ask : List.of(
                SignedWriteRequest.put(target("kept"), new byte[3]).by(RESTRICTED_KEY, RESTRICTED_SECRET),
                SignedWriteRequest.put(target("kept"), new byte[3]).anonymous(),
                SignedWriteRequest.of("DELETE", target("kept")).by(RESTRICTED_KEY, RESTRICTED_SECRET),
                SignedWriteRequest.of("POST", target("kept") + "?uploads").by(RESTRICTED_KEY, RESTRICTED_SECRET))) {
            EndpointWriteCases.assertError(send(ask), 403, "AccessDenied");
        }

        assertHolds("kept", before);
    }

    /**
     * A parameter of a presigned URL may hold any character; in a header of the backend it would be a line, or no name.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a=a%0D%0Ax-amz-meta-evil:%201",
                "a=a%0Ab",
                "a=a%00b",
                "a=%0D",
                "a=a%7Fb",
                "a%20b=1",
                "a%0D%0Ab=1",
                "a:b=1",
                "%C3%A4=1"
            })
    default void refusesHeaderInjectionByPresignedParameters(String parameter) throws IOException {
        URI target =
                URI.create("http://127.0.0.1:" + gateway().port() + target("injected") + "?x-amz-meta-" + parameter);
        URI signed = gateway().signer().presign(target, "PUT", Duration.ofMinutes(1), Instant.now());

        RawClient.Response response = RawClient.ask(
                gateway().port(),
                "PUT %s?%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1\r\n\r\nx"
                        .formatted(
                                signed.getRawPath(),
                                signed.getRawQuery(),
                                gateway().port()));

        EndpointWriteCases.assertError(response, 400, "InvalidArgument");
        assertAbsent("injected");
    }

    /** As botocore's of version 2 does, of what the request's own field says. */
    @Test
    default void aPresignedUrlMayNameItsContentType() throws IOException {
        RawClient.Response response = putPresigned(target("typed") + "?content-type=a%2Fb&content-md5=bWQ1");

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertHolds("typed", "body".getBytes(StandardCharsets.UTF_8));
        assertThat(head("typed").headers()).containsEntry("content-type", "a/b");
    }

    @Test
    default void metadataInAPresignedUrlIsStored() throws IOException {
        RawClient.Response response =
                putPresigned(target("presigned") + "?x-amz-meta-a=%20two%20words&x-amz-meta-b=c%20");

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertHolds("presigned", "body".getBytes(StandardCharsets.UTF_8));
        assertThat(head("presigned").headers())
                .containsEntry("x-amz-meta-a", "two words")
                .containsEntry("x-amz-meta-b", "c")
                .containsEntry("content-type", "a/b");
    }

    /** Puts four bytes of type a/b at a target that is presigned. */
    private RawClient.Response putPresigned(String target) throws IOException {
        URI plain = URI.create("http://127.0.0.1:" + gateway().port() + target);
        URI signed = gateway().signer().presign(plain, "PUT", Duration.ofMinutes(1), Instant.now());
        return RawClient.ask(
                gateway().port(),
                "PUT %s?%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: a/b\r\nContent-Length: 4\r\n\r\nbody"
                        .formatted(
                                signed.getRawPath(),
                                signed.getRawQuery(),
                                gateway().port()));
    }
}
