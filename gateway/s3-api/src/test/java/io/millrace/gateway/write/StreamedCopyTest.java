package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a copy between two backends takes along: what S3 would, or it is refused; nothing is left out in silence. */
@ExtendWith(BufferLeakExtension.class)
class StreamedCopyTest {
    private static final String TAGS = "kind=a%26b&%C3%BC=";
    private static final String REPLACE_TAGS = "x-amz-tagging-directive: REPLACE";

    private final FaultyBackend reads = new FaultyBackend(
            memory("from", Capability.WRITE, Capability.VERSIONS, Capability.CHECKSUMS), FaultPlan.none());
    private final TaggedBackend source = new TaggedBackend(reads);
    private final FaultyBackend writes = new FaultyBackend(memory("target", Capability.WRITE), FaultPlan.none());
    private final TaggedBackend target = new TaggedBackend(writes);
    private final InMemoryBackend untagged = memory("untagged", Capability.WRITE);
    private final TestGateway gateway = TestGateway.builder()
            .bucket("from", source)
            .bucket("target", target)
            .bucket("untagged", untagged)
            .start();

    private byte[] bytes = new byte[0];

    @BeforeEach
    void store() throws IOException {
        bytes = GeneratedBytes.of("source").first(300_000);
        put("/from/tagged", "x-amz-tagging: " + TAGS, "x-amz-website-redirect-location: /elsewhere");
        put("/from/plain");
    }

    @AfterEach
    void stop() {
        gateway.close();
        Polling.until("no source is left open", () -> reads.openBodies() == 0);
    }

    @Test
    void theTagsComeAlong() throws IOException {
        assertCopied("/from/tagged", "/target/key");

        assertThat(target.tags(object("target", "key"))).contains(TAGS);
    }

    @Test
    void requestsTagsOfTheCopiedVersion() throws IOException {
        String version = String.valueOf(
                send(SignedWriteRequest.get("/from/tagged")).headers().get("x-amz-version-id"));

        assertCopied("/from/tagged", "/target/key");
        assertCopied("/from/tagged?versionId=" + version, "/target/key");

        assertThat(source.asked())
                .hasSize(2)
                .allSatisfy(asked -> assertThat(asked.query())
                        .containsExactly(new QueryParameter("tagging", ""), new QueryParameter("versionId", version)));
    }

    @Test
    void copiesUntaggedObjectsWithoutATagRequest() throws IOException {
        assertCopied("/from/plain", "/target/key");
        assertCopied("/from/plain", "/untagged/key");

        assertThat(source.asked()).isEmpty();
        assertThat(target.tags(object("target", "key"))).isEmpty();
    }

    @Test
    void tagsAreReplacedWhereTheRequestSaysSo() throws IOException {
        assertCopied("/from/tagged", "/target/key", REPLACE_TAGS, "x-amz-tagging: new=1");
        assertThat(target.tags(object("target", "key"))).contains("new=1");

        assertCopied("/from/tagged", "/target/key", REPLACE_TAGS);
        assertThat(target.tags(object("target", "key"))).isEmpty();
        assertCopied("/from/tagged", "/untagged/key", REPLACE_TAGS);
    }

    /** As S3 does it: the field counts with the directive only. */
    @ParameterizedTest
    @ValueSource(strings = {"x-amz-tagging-directive: COPY", "x-amz-storage-class: STANDARD"})
    void copyDirectiveIgnoresTagsOfTheRequest(String field) throws IOException {
        assertCopied("/from/tagged", "/target/key", "x-amz-tagging: new=1", field);

        assertThat(target.tags(object("target", "key"))).contains(TAGS);
    }

    @Test
    void tagsThatTheTargetCannotKeepRefuseTheCopy() throws IOException {
        EndpointWriteCases.assertError(copy("/from/tagged", "/untagged/key"), 501, "NotImplemented");
        EndpointWriteCases.assertError(
                copy("/from/plain", "/untagged/key", REPLACE_TAGS, "x-amz-tagging: a=b"), 501, "NotImplemented");

        assertThat(send(SignedWriteRequest.get("/untagged/key")).status()).isEqualTo(404);
    }

    @Test
    void unreadableSourceTagsRefuseTheCopy() throws IOException {
        source.tellNothing();

        EndpointWriteCases.assertError(copy("/from/tagged", "/target/key"), 501, "NotImplemented");
        assertThat(send(SignedWriteRequest.get("/target/key")).status()).isEqualTo(404);
        assertCopied("/from/tagged", "/target/key", REPLACE_TAGS);
        assertCopied("/from/plain", "/target/key");
    }

    @Test
    void malformedSourceTagsFailTheCopy() throws IOException {
        source.mistake("<Tagging><TagSet><Tag><Value>of no key</Value></Tag></TagSet></Tagging>");
        assertThat(copy("/from/tagged", "/target/key").status()).isEqualTo(503);

        source.mistake("no document");
        assertThat(copy("/from/tagged", "/target/key").status()).isEqualTo(503);

        assertThat(send(SignedWriteRequest.get("/target/key")).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"COPY", "REPLACE"})
    void websiteRedirectComesFromTheRequestOnly(String directive) throws IOException {
        String field = "x-amz-website-redirect-location";

        assertCopied("/from/tagged", "/target/key", "x-amz-metadata-directive: " + directive);
        assertThat(send(SignedWriteRequest.get("/target/key")).headers()).doesNotContainKey(field);

        assertCopied("/from/tagged", "/target/key", "x-amz-metadata-directive: " + directive, field + ": /new");
        assertThat(send(SignedWriteRequest.get("/target/key")).headers()).containsEntry(field, "/new");
    }

    @ParameterizedTest
    @CsvSource({"CRC128, 400, InvalidRequest", "XXHASH3, 501, NotImplemented"})
    void aChecksumThatThereIsNotIsRefused(String algorithm, int status, String code) throws IOException {
        EndpointWriteCases.assertError(
                copy("/from/plain", "/target/key", "x-amz-checksum-algorithm: " + algorithm), status, code);

        assertThat(send(SignedWriteRequest.get("/target/key")).status()).isEqualTo(404);
    }

    /** Of the request's own body, which is empty: a client may send one. */
    @Test
    void copyIgnoresChecksumsOfTheRequest() throws IOException {
        byte[] nothing = new byte[0];

        assertCopied(
                "/from/plain",
                "/target/key",
                TestChecksum.CRC32.line(nothing),
                "Content-MD5: " + TestChecksum.md5(nothing));
    }

    /** A connection to the source's backend hangs on it. */
    @ParameterizedTest
    @EnumSource(
            value = FailureKind.class,
            names = {"ACCESS_DENIED", "UNAVAILABLE", "UNSUPPORTED"})
    void theSourceIsClosedWhenItsTargetFails(FailureKind kind) throws IOException {
        writes.plan(FaultPlan.always(new BackendFault.FailedCall(kind)).only(Operation.PUT));

        assertThat(copy("/from/plain", "/target/key").status()).isGreaterThanOrEqualTo(400);

        assertThat(reads.calls(Operation.OPEN)).isEqualTo(1);
        Polling.until("the source is closed", () -> reads.openBodies() == 0);
        assertThat(reads.bytes()).as("bytes of a source that nobody wants").isZero();
    }

    private void put(String path, String... fields) throws IOException {
        assertThat(send(SignedWriteRequest.put(path, bytes).with(fields)).status())
                .isEqualTo(200);
    }

    private void assertCopied(String from, String to, String... fields) throws IOException {
        RawClient.Response response = copy(from, to, fields);

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(send(SignedWriteRequest.get(to)).bytes()).isEqualTo(bytes);
    }

    private RawClient.Response copy(String from, String to, String... fields) throws IOException {
        return send(SignedWriteRequest.of("PUT", to)
                .with("x-amz-copy-source: " + from)
                .with(fields));
    }

    private RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }

    private static ObjectRef object(String bucket, String key) {
        return new ObjectRef(new BucketName(bucket), new ObjectKey(key));
    }

    private static InMemoryBackend memory(String bucket, Capability first, Capability... more) {
        return new InMemoryBackend(EnumSet.of(first, more)).createBucket(new BucketName(bucket));
    }
}
