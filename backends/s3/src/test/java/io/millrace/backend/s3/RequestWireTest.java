package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.millrace.config.Secret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests requests on the wire, above all their keys: one that is encoded differently than S3 does is another key. */
class RequestWireTest extends ScriptedServerTest {
    private static final ScriptedServer.ResponseScript EMPTY = (request, wire) -> wire.object(new byte[0], "e");

    @Test
    void encodesEveryKeyExactlyOnce() throws IOException {
        Backend backend = backend(EMPTY);
        List<String> expected = new ArrayList<>();
        for (ObjectKey key : sentKeys()) {
            read(backend, key(key.value()));
            await(backend.head(key(key.value())));
            expected.add("/bucket/" + encoded(key));
            expected.add("/bucket/" + encoded(key));
        }

        assertThat(origin().requests())
                .extracting(ScriptedServer.ReceivedRequest::target)
                .containsExactlyElementsOf(expected);
    }

    /** Servers over file systems have no such name; versitygw answers 500. */
    @Test
    void keyWithNulIsNotSent() throws IOException {
        Backend backend = backend(EMPTY);
        ObjectRef object = key("a\0b").object();
        NewObject target = new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS);
        NewObject other = new NewObject(key("other").object(), HeaderList.EMPTY, WriteCondition.ALWAYS);
        CopySource source = new CopySource(object, Optional.empty(), ReadConditions.NONE);

        List<Mono<?>> requests = List.of(
                backend.head(key("a\0b")),
                backend.open(key("a\0b")),
                backend.put(target, UploadBody.of(0, Flux.empty())),
                backend.copy(source, other),
                backend.createUpload(target),
                backend.copyPart(
                        new MultipartUpload(other.object(), "id"), 1, source, Optional.empty(), HeaderList.EMPTY),
                backend.delete(Deletion.of(object), HeaderList.EMPTY),
                backend.deleteAll(BUCKET, List.of(Deletion.of(object)), HeaderList.EMPTY)
                        .map(outcomes -> {
                            throw outcomes.get(0).failure().orElseThrow();
                        }));

        assertThat(requests).allSatisfy(request -> {
            BackendException failure = failure(request);
            assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_REQUEST);
            assertThat(failure.s3Error().orElseThrow().code()).isEqualTo("InvalidArgument");
            assertThat(failure.isUnprocessed()).isTrue();
        });
        assertThat(origin().requests()).isEmpty();
    }

    @Test
    void endpointWithTrailingSlashLeavesKeysIntact() throws IOException {
        backend(EMPTY);
        S3BackendSettings settings = settings(URI.create(origin().uri() + "/"), true);
        Backend backend = new S3BackendProvider().create("slash", settings);
        for (String key : List.of("key", "/key", "//key", "/", "//")) {
            read(backend, key(key));
        }

        assertThat(origin().requests())
                .extracting(ScriptedServer.ReceivedRequest::target)
                .containsExactly("/bucket/key", "/bucket//key", "/bucket///key", "/bucket//", "/bucket///");
        backend.close().block(PATIENCE);
    }

    @Test
    void encodesEveryKeyInVirtualHostStyle() throws IOException {
        backend(EMPTY);
        FixedAddressResolver names = new FixedAddressResolver(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), origin().uri().getPort()));
        for (String endpoint : List.of("http://s3.example.com", "http://s3.example.com/")) {
            S3BackendSettings settings = settings(URI.create(endpoint), false);
            int before = origin().requests().size();
            Backend backend = S3BackendProvider.backend(
                    S3Client.create("own-host", settings, client -> client.resolver(names)), settings);

            sentKeys().forEach(key -> read(backend, key(key.value())));

            List<ScriptedServer.ReceivedRequest> requests = origin().requests();
            assertThat(requests.subList(before, requests.size()))
                    .allSatisfy(request -> assertThat(request.header("host")).contains("bucket.s3.example.com"))
                    .extracting(ScriptedServer.ReceivedRequest::target)
                    .containsExactlyElementsOf(
                            sentKeys().stream().map(key -> "/" + encoded(key)).toList());
            backend.close().block(PATIENCE);
        }
    }

    /**
     * A host of the bucket's own needs a name service that knows it: at an endpoint of one's own that is to be asked
     * for.
     */
    @ParameterizedTest
    @CsvSource({
        "http://minio:9000, , minio:9000, /bucket/key",
        "http://minio:9000, true, minio:9000, /bucket/key",
        "http://minio:9000, false, bucket.minio:9000, /key",
        "http://127.0.0.1:9000, false, 127.0.0.1:9000, /bucket/key",
        "https://s3.example.com/base, true, s3.example.com:443, /base/bucket/key",
        ", , bucket.s3.eu-west-9.amazonaws.com:443, /key",
        ", true, s3.eu-west-9.amazonaws.com:443, /bucket/key"
    })
    void bucketStandsInThePathOrBeforeTheHost(
            @Nullable String endpoint, @Nullable Boolean pathStyle, String host, String path) {
        HttpRequestHead request = signedGet(endpoint, pathStyle, "bucket");

        assertThat(request.address().getHostString() + ":" + request.address().getPort())
                .isEqualTo(host);
        assertThat(request.target()).isEqualTo(path);
    }

    @Test
    void plainReadRequestsNothingElse() throws IOException {
        read(backend(EMPTY), KEY);

        ScriptedServer.ReceivedRequest request = origin().requests().get(0);
        assertThat(request.method()).isEqualTo("GET");
        assertThat(request.header("accept-encoding")).contains("identity");
        assertThat(request.header("authorization").orElseThrow())
                .startsWith("AWS4-HMAC-SHA256 Credential=test-key/")
                .doesNotContain("accept-encoding");
        assertThat(request.headers())
                .doesNotContainKeys("range", "if-match", "x-amz-checksum-mode", "x-amz-te", "expect", "te");
    }

    @Test
    void sendsRangeVersionChecksumModeAndConditions() throws IOException {
        ReadRequest all = KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Suffix(5)))
                .withVersionId("v/1+ä")
                .withChecksums()
                .withConditions(new ReadConditions(
                        Optional.of(List.of(ETag.strong("m"))),
                        Optional.of(List.of(ETag.strong("n"))),
                        Optional.empty(),
                        Optional.empty()));
        openFailure(backend(EMPTY), all);

        ScriptedServer.ReceivedRequest request = origin().requests().get(0);
        assertThat(request.target()).isEqualTo("/bucket/key?versionId=v%2F1%2B%C3%A4");
        assertThat(request.header("range")).contains("bytes=-5");
        assertThat(request.header("x-amz-checksum-mode")).contains("ENABLED");
        assertThat(request.header("if-match")).contains("\"m\"");
    }

    /** MinIO would answer 304 to both, where RFC 9110 has 412. */
    @Test
    void conditionAfterIfMatchStaysHere() throws IOException {
        ReadConditions both = new ReadConditions(
                Optional.of(List.of(ETag.strong("m"))),
                Optional.of(List.of(ETag.strong("n"))),
                Optional.empty(),
                Optional.empty());
        openFailure(backend(EMPTY), KEY.withConditions(both));

        ScriptedServer.ReceivedRequest request = origin().requests().get(0);
        assertThat(request.header("if-match")).contains("\"m\"");
        assertThat(request.header("if-none-match")).isEmpty();
    }

    @Test
    void partIsRequestedByItsNumber() throws IOException {
        openFailure(backend(EMPTY), KEY.withSelection(new ByteSelection.PartSelection(7)));

        assertThat(origin().requests().get(0).target()).isEqualTo("/bucket/key?partNumber=7");
    }

    /** A server's number ends at 2^63; a client's may not. */
    @Test
    void sendsRangeBeyondTheMaximumOpenEnded() throws IOException {
        openFailure(
                backend(EMPTY),
                KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(5, Long.MAX_VALUE))));

        assertThat(origin().requests().get(0).header("range")).contains("bytes=5-");
    }

    @Test
    void pinAndTheClientsOwnConditionsGoTogether() throws IOException {
        Backend backend = backend((request, wire) -> wire.head("412 Precondition Failed", "Content-Length: 0"));
        ObjectVersion version = new ObjectVersion(ValidatorStrength.STRONG, "\"pin\"", 0, Optional.empty());
        ReadRequest pinned = KEY.requireVersion(version);
        ReadConditions match = new ReadConditions(
                Optional.of(List.of(ETag.strong("own"))), Optional.empty(), Optional.empty(), Optional.empty());
        ReadConditions list = new ReadConditions(
                Optional.of(List.of(ETag.strong("own"), ETag.strong("pin"))),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());

        assertKind(openFailure(backend, pinned), BackendException.FailureKind.VERSION_CHANGED);
        assertKind(
                openFailure(backend, pinned.withConditions(match)), BackendException.FailureKind.PRECONDITION_FAILED);
        assertKind(openFailure(backend, pinned.withConditions(list)), BackendException.FailureKind.VERSION_CHANGED);
        assertThat(origin().requests())
                .extracting(request -> request.headers().get("if-match"))
                .containsExactly("\"pin\"", "\"own\"", "\"pin\"");
    }

    @Test
    void conditionsThatServersReadDifferentlyStayHere() throws IOException {
        Instant now = Instant.parse("2026-11-20T12:00:00Z");
        Backend backend = backend(EMPTY);
        openFailure(
                backend,
                KEY.withConditions(new ReadConditions(
                        Optional.empty(),
                        Optional.of(List.of(ETag.strong("e"))),
                        Optional.empty(),
                        Optional.of(now.minus(Duration.ofDays(1))))));
        openFailure(
                backend,
                KEY.withConditions(new ReadConditions(
                        Optional.empty(), Optional.of(ReadConditions.ANY), Optional.of(now), Optional.empty())));
        openFailure(
                backend,
                KEY.withConditions(new ReadConditions(
                        Optional.of(List.of(new ETag("e", true))),
                        Optional.empty(),
                        Optional.of(now),
                        Optional.empty())));

        assertThat(origin().requests())
                .allSatisfy(request -> assertThat(request.headers())
                        .doesNotContainKeys("if-match", "if-none-match", "if-modified-since", "if-unmodified-since"));
    }

    @Test
    void unsignedRequestsCarryNoSignature() throws IOException {
        backend(EMPTY);
        Backend backend = anonymousBackend();

        read(backend, KEY);

        assertThat(origin().requests().get(0).headers()).doesNotContainKeys("authorization", "x-amz-security-token");
        backend.close().block(PATIENCE);
    }

    @Test
    void listRequestsEncodedNames() throws IOException {
        Backend backend = backend((request, wire) -> wire.head("501 Not Implemented", "Content-Length: 0"));
        failure(backend.listObjects(
                new ListRequest(BUCKET, "p +/", "/&", new ListRequest.PageStart.StartAfter("p +/\u0001"), 17, true)));
        failure(backend.listObjects(
                new ListRequest(BUCKET, "", "", new ListRequest.PageStart.FirstKey(), 1000, false)));
        failure(backend.listObjects(
                new ListRequest(BUCKET, "m", "/", new ListRequest.PageStart.Marker("m ä"), 5, false)));
        failure(backend.listObjects(
                new ListRequest(BUCKET, "", "", new ListRequest.PageStart.ContinuationToken("t=/+"), 5, false)));

        assertThat(origin().requests())
                .extracting(request -> query(request.target()))
                .containsExactly(
                        List.of(
                                "delimiter=%2F%26",
                                "encoding-type=url",
                                "fetch-owner=true",
                                "list-type=2",
                                "max-keys=17",
                                "prefix=p%20%2B%2F",
                                "start-after=p%20%2B%2F%01"),
                        List.of("encoding-type=url", "list-type=2", "max-keys=1000"),
                        List.of("delimiter=%2F", "encoding-type=url", "marker=m%20%C3%A4", "max-keys=5", "prefix=m"),
                        List.of("continuation-token=t%3D%2F%2B", "encoding-type=url", "list-type=2", "max-keys=5"));
    }

    private static List<String> query(String target) {
        return List.of(target.substring(target.indexOf('?') + 1).split("&", -1)).stream()
                .sorted()
                .toList();
    }

    /** As S3 has it: each byte of UTF-8 but letters, digits, {@code -._~} and the slash as two hexadecimal digits. */
    private static String encoded(ObjectKey key) {
        StringBuilder text = new StringBuilder();
        for (byte b : key.utf8()) {
            char c = (char) (b & 0xFF);
            boolean plain = "-._~/".indexOf(c) >= 0 || (c < 0x80 && Character.isLetterOrDigit(c));
            text.append(plain ? String.valueOf(c) : "%%%02X".formatted((int) c));
        }
        return text.toString();
    }

    private S3BackendSettings settings(URI endpoint, boolean pathStyle) {
        return new S3BackendSettings(
                Optional.of(endpoint),
                "us-east-1",
                Optional.of(pathStyle),
                Optional.of("key"),
                Optional.of(Secret.of("secret")),
                Optional.empty(),
                false,
                new ConnectionSettings(4, BackendTlsSettings.DEFAULTS, Optional.empty(), PATIENCE, PATIENCE, PATIENCE),
                Optional.empty(),
                false);
    }
}
