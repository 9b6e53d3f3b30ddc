package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.read.RawResponse;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.s3.model.CopyObjectResponse;

/** Copies: inside a backend, and through the gateway from one to another. */
interface CopyObjectCases extends EndpointWriteCases {
    String DESCRIBED = "x-amz-meta-kind: source";

    @Test
    default void copyHasBytesAndMetadataOfItsSource() throws IOException {
        byte[] bytes = stored("source", "source", 100_000, DESCRIBED, "Content-Type: text/source");
        storedAndRead("copy", "before", 10);

        RawClient.Response response = copy("source", "copy");

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.element("LastModified")).isNotEmpty();
        assertHolds("copy", bytes);
        assertThat(head("copy").headers())
                .containsEntry("x-amz-meta-kind", "source")
                .containsEntry("content-type", "text/source")
                .containsEntry("etag", response.element("ETag").replace("&quot;", "\""));
    }

    @Test
    default void theSdkCopiesAsWell() throws IOException {
        byte[] bytes = stored("of sdk/\u00FC +%2F", "sdk", 1000);

        CopyObjectResponse copied = sdk().copyObject(copy -> copy.sourceBucket(bucket())
                .sourceKey("of sdk/\u00FC +%2F")
                .destinationBucket(bucket())
                .destinationKey("sdk-copy"));

        assertThat(copied.copyObjectResult().eTag()).isNotBlank();
        assertHolds("sdk-copy", bytes);
    }

    @Test
    default void aCopyWithReplaceHasWhatTheRequestSays() throws IOException {
        byte[] bytes = stored("source", "source", 1000, DESCRIBED, "Content-Type: text/source");

        RawClient.Response response = copy(
                "source",
                "replaced",
                "x-amz-metadata-directive: REPLACE",
                "x-amz-meta-other: new",
                "Content-Type: text/new");

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertHolds("replaced", bytes);
        assertThat(head("replaced").headers())
                .containsEntry("x-amz-meta-other", "new")
                .containsEntry("content-type", "text/new")
                .doesNotContainKey("x-amz-meta-kind");
    }

    /** Its ETag stays, so that a cache which compares tags would go on with the old fields. */
    @Test
    default void copyOntoItselfReplacesCachedMetadata() throws IOException {
        byte[] bytes = storedAndRead("self", "self", 1000, "x-amz-meta-a: old");

        RawClient.Response response = copy("self", "self", "x-amz-metadata-directive: REPLACE", "x-amz-meta-a: new");

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertHolds("self", bytes);
        assertThat(head("self").headers()).containsEntry("x-amz-meta-a", "new");
        assertThat(get("self").headers()).containsEntry("x-amz-meta-a", "new");
    }

    @Test
    default void aCopyOntoItselfThatChangesNothingIsRefused() throws IOException {
        assumeTrue(can(OptionalFeature.REFUSES_IDLE_COPY), "lets it pass");
        byte[] bytes = stored("idle", "idle", 100);

        EndpointWriteCases.assertError(copy("idle", "idle"), 400, "InvalidRequest");

        assertHolds("idle", bytes);
    }

    @Test
    default void anUnknownDirectiveIsRefused() throws IOException {
        stored("source", "source", 1000);

        EndpointWriteCases.assertError(
                copy("source", "undirected", "x-amz-metadata-directive: MERGE"), 400, "InvalidArgument");

        assertAbsent("undirected");
    }

    @Test
    default void aSourceThatIsNotThereIsReported() throws IOException {
        EndpointWriteCases.assertError(copy("no-such-source", "target"), 404, "NoSuchKey");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", target("target")).with("x-amz-copy-source: no-such-bucket-here/x")),
                404,
                "NoSuchBucket");
        assertAbsent("target");
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            if-match,            right, 200
            if-match,            wrong, 412
            if-none-match,       right, 412
            if-none-match,       wrong, 200
            if-modified-since,   past,  200
            if-unmodified-since, past,  412
            if-unmodified-since, later, 200
            """)
    default void conditionsOnTheSourceDecide(String condition, String what, int status) throws IOException {
        assumeTrue(can(OptionalFeature.CONDITIONAL_COPY), "copies without conditions");
        byte[] bytes = stored("under-condition", "source", 100);
        sdk().deleteObject(delete -> delete.bucket(bucket()).key("decided"));

        RawClient.Response response = copy(
                "under-condition",
                "decided",
                "x-amz-copy-source-" + condition + ": " + value(what, head("under-condition")));

        assertThat(response.status()).as(response.text()).isEqualTo(status);
        if (status == 200) {
            assertHolds("decided", bytes);
        } else {
            assertThat(response.element("Code")).isEqualTo("PreconditionFailed");
            assertAbsent("decided");
        }
    }

    @Test
    default void conditionsOnTheTargetDecide() throws IOException {
        assumeTrue(can(OptionalFeature.CONDITIONAL_COPY_TARGET), "copies without conditions");
        stored("source", "source", 100);
        byte[] there = stored("there", "there", 10);

        EndpointWriteCases.assertError(copy("source", "there", "If-None-Match: *"), 412, "PreconditionFailed");

        assertHolds("there", there);
    }

    /** The source is authorised by itself: whoever may write here need not be able to read there. */
    @Test
    default void aSourceThatMayNotBeReadIsDenied() throws IOException {
        stored("not-free", "secret", 100);
        byte[] open = stored("free/open", "open", 100);

        for (String operation : List.of("", "?partNumber=1&uploadId=any")) {
            RawClient.Response response = send(SignedWriteRequest.of("PUT", target("free/target") + operation)
                    .by(RESTRICTED_KEY, RESTRICTED_SECRET)
                    .with("x-amz-copy-source: " + target("not-free")));
            EndpointWriteCases.assertError(response, 403, "AccessDenied");
        }
        assertAbsent("free/target");

        assertThat(send(SignedWriteRequest.of("PUT", target("free/target"))
                                .by(RESTRICTED_KEY, RESTRICTED_SECRET)
                                .with("x-amz-copy-source: " + target("free/open")))
                        .status())
                .isEqualTo(200);
        assertHolds("free/target", open);
        sdk().deleteObject(delete -> delete.bucket(bucket()).key("free/target"));
    }

    @Test
    default void aCopyFromAnotherBackendStreamsThrough() throws IOException {
        byte[] bytes = GeneratedBytes.of("across").first(3 << 20);
        assertThat(send(SignedWriteRequest.put("/" + ACROSS + "/from", bytes)
                                .with(DESCRIBED, "Content-Type: text/across"))
                        .status())
                .isEqualTo(200);
        storedAndRead("from-across", "before", 10);

        RawClient.Response response = send(
                SignedWriteRequest.of("PUT", target("from-across")).with("x-amz-copy-source: " + ACROSS + "/from"));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.element("ETag")).isNotEmpty();
        assertHolds("from-across", bytes);
        assertThat(head("from-across").headers())
                .containsEntry("x-amz-meta-kind", "source")
                .containsEntry("content-type", "text/across");
    }

    @Test
    default void aCopyToAnotherBackendStreamsThrough() throws IOException {
        byte[] bytes = stored("to-across", "to", 300_000, DESCRIBED);
        String target = "/" + ACROSS + "/to";

        assertThat(send(SignedWriteRequest.of("PUT", target)
                                .with("x-amz-copy-source: " + target("to-across"), "x-amz-metadata-directive: REPLACE")
                                .with("x-amz-meta-other: new"))
                        .status())
                .isEqualTo(200);

        RawClient.Response read = send(SignedWriteRequest.get(target));
        assertThat(read.bytes()).isEqualTo(bytes);
        assertThat(read.headers()).containsEntry("x-amz-meta-other", "new").doesNotContainKey("x-amz-meta-kind");

        assertThat(send(SignedWriteRequest.of("PUT", target).with("x-amz-copy-source: " + target("to-across")))
                        .status())
                .isEqualTo(200);
        assertThat(send(SignedWriteRequest.get(target)).headers()).containsEntry("x-amz-meta-kind", "source");
    }

    @ParameterizedTest
    @EnumSource
    default void copyAcrossBackendsHasTheRequestedChecksum(TestChecksum sum) throws IOException {
        assumeTrue(can(OptionalFeature.ALL_CHECKSUMS), "keeps other checksums");
        assumeTrue(sum != TestChecksum.CRC32C || can(OptionalFeature.CRC32C_TRAILERS), "refuses CRC32C in trailers");
        for (int size : new int[] {0, 300_000}) {
            byte[] bytes = GeneratedBytes.of("summed").first(size);
            assertThat(send(SignedWriteRequest.put("/" + ACROSS + "/summed", bytes))
                            .status())
                    .isEqualTo(200);

            RawClient.Response response = send(SignedWriteRequest.of("PUT", target("summed"))
                    .with("x-amz-copy-source: " + ACROSS + "/summed", "x-amz-checksum-algorithm: " + sum));

            assertThat(response.status()).as(response.text()).isEqualTo(200);
            assertThat(response.element("Checksum" + sum)).isEqualTo(sum.of(bytes));
            assertThat(get("summed", "x-amz-checksum-mode: ENABLED").headers())
                    .containsEntry(sum.field(), sum.of(bytes));
            assertHolds("summed", bytes);
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            if-match,            right, 200
            if-match,            wrong, 412
            if-none-match,       right, 412
            if-none-match,       wrong, 200
            if-unmodified-since, past,  412
            """)
    default void conditionsDecideAcrossBackendsToo(String condition, String what, int status) throws IOException {
        stored("under-condition", "source", 100);
        String target = "/" + ACROSS + "/decided";
        send(SignedWriteRequest.of("DELETE", target));

        RawClient.Response response = send(SignedWriteRequest.of("PUT", target)
                .with(
                        "x-amz-copy-source: " + target("under-condition"),
                        "x-amz-copy-source-" + condition + ": " + value(what, head("under-condition"))));

        assertThat(response.status()).as(response.text()).isEqualTo(status);
        assertThat(send(SignedWriteRequest.get(target)).status()).isEqualTo(status == 200 ? 200 : 404);
    }

    @Test
    default void refusesPartCopyBeyondTheSourceAcrossBackends() throws IOException {
        stored("short", "source", 100);
        String target = "/" + ACROSS + "/part";
        String id = send(SignedWriteRequest.of("POST", target + "?uploads")).element("UploadId");

        RawClient.Response response = send(SignedWriteRequest.of("PUT", target + "?partNumber=1&uploadId=" + id)
                .with("x-amz-copy-source: " + target("short"), "x-amz-copy-source-range: bytes=0-199"));

        EndpointWriteCases.assertError(response, 400, "InvalidArgument");
    }

    @Test
    default void missingCopySourceAcrossBackendsIsNoSuchKey() throws IOException {
        RawClient.Response response = send(
                SignedWriteRequest.of("PUT", target("from-nowhere")).with("x-amz-copy-source: " + ACROSS + "/nowhere"));

        EndpointWriteCases.assertError(response, 404, "NoSuchKey");
        assertAbsent("from-nowhere");
    }

    private RawClient.Response copy(String source, String target, String... fields) throws IOException {
        return send(SignedWriteRequest.of("PUT", target(target))
                .with("x-amz-copy-source: " + RawResponse.path(bucket(), source))
                .with(fields));
    }

    private static String value(String what, RawClient.Response source) {
        return switch (what) {
            case "right" -> String.valueOf(source.headers().get("etag"));
            case "wrong" -> "\"0123456789abcdef0123456789abcdef\"";
            case "past" -> "Thu, 01 Dec 1994 16:00:00 GMT";
            default -> "Thu, 01 Dec 2033 16:00:00 GMT";
        };
    }
}
