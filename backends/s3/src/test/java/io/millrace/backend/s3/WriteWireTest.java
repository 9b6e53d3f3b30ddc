package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager.BucketTag;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.UploadMarker;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardResponse;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.RequestForwarder.StreamingForwardResponse;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadBody.Trailer;
import io.millrace.backend.spi.VersionLister.ListVersionsRequest;
import io.millrace.backend.spi.VersionLister.ListedVersion;
import io.millrace.backend.spi.VersionLister.VersionPage;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Tests writes on the wire, and the parsing of their responses. */
class WriteWireTest extends ScriptedServerWriteTest {
    private static final String DECLARATION = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

    private final Queue<byte[]> bodies = new ConcurrentLinkedQueue<>();

    /** Takes everything, and answers with this head and body. */
    private Backend taking(String status, String body, String... fields) throws IOException {
        return backend((request, wire) -> {
            bodies.add(wire.take(request));
            if (request.method().equals("DELETE")) {
                wire.head("204 No Content", fields);
                return;
            }
            List<String> all = new ArrayList<>(List.of(fields));
            all.add("Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length);
            wire.head(status, all.toArray(String[]::new));
            wire.bytes(body.getBytes(StandardCharsets.UTF_8));
        });
    }

    private Backend taking() throws IOException {
        return taking("200 OK", "", "ETag: \"written\"");
    }

    private ScriptedServer.ReceivedRequest first() {
        return origin().requests().get(0);
    }

    private String text() {
        return new String(bodies.remove(), StandardCharsets.UTF_8);
    }

    /** MinIO unpacks what such a write brings, to keys that nobody has looked at. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-amz-meta-snowball-auto-extract",
                "x-amz-meta-minio-snowball-prefix",
                "x-amz-meta-minio-snowball-ignore-dirs"
            })
    void metadataThatUnpacksIsNotSent(String field) throws IOException {
        Backend backend = taking();
        NewObject archive = new NewObject(ref("key"), HeaderList.EMPTY.with(field, "true"), WriteCondition.ALWAYS);

        var failure = failure(backend.put(archive, body(new byte[10])));

        assertKind(failure, FailureKind.INVALID_REQUEST);
        assertThat(failure.s3Error().orElseThrow().code()).isEqualTo("InvalidArgument");
        assertThat(failure(backend.createUpload(archive)).kind()).isEqualTo(FailureKind.INVALID_REQUEST);
        assertThat(origin().requests()).isEmpty();
    }

    /** MinIO folds blanks beyond ASCII before it verifies: the client's metadata is at fault, not the credentials. */
    @Test
    void refusedSignatureOfWideBlanksIsTheClientsFault() throws IOException {
        Backend backend = taking(
                "403 Forbidden", "<Error><Code>SignatureDoesNotMatch</Code></Error>", "Content-Type: application/xml");
        for (String blank : List.of("\u00c2\u00a0", "\u00c2\u0085", "\u00e3\u0080\u0080")) {
            NewObject object = new NewObject(
                    ref("key"), HeaderList.EMPTY.with("x-amz-meta-a", "a" + blank + "b"), WriteCondition.ALWAYS);

            assertThat(failure(backend.put(object, body(new byte[10]))).kind()).isEqualTo(FailureKind.INVALID_REQUEST);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, PIECE, 131_072, 300_000})
    void sendsBodyUnchangedWithItsLength(int length) throws IOException {
        byte[] bytes = GeneratedBytes.of("body").first(length);
        Backend backend = taking();

        WriteResult written = await(put(backend, body(bytes)));

        assertThat(written.eTag()).contains(ETag.strong("written"));
        assertThat(bodies.remove()).isEqualTo(bytes);
        assertThat(first().method()).isEqualTo("PUT");
        assertThat(first().target()).isEqualTo("/bucket/key");
        assertThat(first().headers())
                .containsEntry("content-length", String.valueOf(length))
                .containsEntry("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                .doesNotContainKeys("transfer-encoding", "expect", "x-amz-trailer", "content-encoding", "content-type");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 131_071, 131_072, 131_073, 400_000})
    void sendsTrailerAfterChunksOfDeclaredLength(int length) throws IOException {
        byte[] bytes = GeneratedBytes.of("chunks").first(length);
        Backend backend = taking();
        AtomicInteger made = new AtomicInteger();
        Trailer trailer = new Trailer("x-amz-checksum-crc32c", () -> made.get() == length ? "yZRlqg==" : "too early");

        HeaderList headers = HeaderList.EMPTY.with("content-encoding", "gzip");
        await(backend.put(
                new NewObject(ref("key"), headers, WriteCondition.ALWAYS),
                new UploadBody(length, pieces(bytes, made), Optional.of(trailer))));

        byte[] wire = bodies.remove();
        assertThat(first().headers())
                .containsEntry("content-length", String.valueOf(wire.length))
                .containsEntry("x-amz-decoded-content-length", String.valueOf(length))
                .containsEntry("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
                .containsEntry("x-amz-trailer", "x-amz-checksum-crc32c")
                .containsEntry("content-encoding", "gzip")
                .doesNotContainKeys("x-amz-checksum-crc32c", "transfer-encoding");
        assertThat(decoded(wire, "x-amz-checksum-crc32c:yZRlqg==")).isEqualTo(bytes);
    }

    /** By the description of the form, not by the code that wrote it. */
    private static byte[] decoded(byte[] wire, String trailer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String text = new String(wire, StandardCharsets.ISO_8859_1);
        int at = 0;
        while (true) {
            int end = text.indexOf("\r\n", at);
            int size = Integer.parseInt(text.substring(at, end), 16);
            if (size == 0) {
                assertThat(text.substring(end + 2)).isEqualTo(trailer + "\r\n\r\n");
                return bytes.toByteArray();
            }
            bytes.write(wire, end + 2, size);
            assertThat(text.substring(end + 2 + size, end + 4 + size)).isEqualTo("\r\n");
            at = end + 4 + size;
        }
    }

    @Test
    void refusesTrailerOfUnknownLengthBeforeSending() throws IOException {
        Trailer trailer = new Trailer("x-amz-checksum-md4", () -> "x");

        assertKind(
                failure(put(
                        taking(), new UploadBody(1, pieces(new byte[1], new AtomicInteger()), Optional.of(trailer)))),
                FailureKind.UNSUPPORTED);
        assertThat(origin().requests()).isEmpty();
    }

    @Test
    void conditionsAreHeaders() throws IOException {
        Backend backend = taking();
        List<WriteCondition> conditions = List.of(
                WriteCondition.ALWAYS, new WriteCondition.IfAbsent(), new WriteCondition.IfMatches(ETag.strong("m")));

        conditions.forEach(condition ->
                await(backend.put(new NewObject(ref("key"), HeaderList.EMPTY, condition), body(new byte[1]))));

        assertThat(origin().requests())
                .extracting(request -> request.header("if-match").orElse("-") + " "
                        + request.header("if-none-match").orElse("-"))
                .containsExactly("- -", "- *", "\"m\" -");
    }

    /** Bytes of a value are characters here; the signature is over what is sent. */
    @Test
    void headersGoByteForByte() throws IOException {
        String utf8 = new String("grün €".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        HeaderList headers = HeaderList.EMPTY
                .with("content-type", "application/vnd.amazon.eventstream")
                .with("x-amz-meta-colour", utf8)
                .with("x-amz-meta-latin", "gr\u00FCn")
                .with("x-amz-meta-twice", "a")
                .with("x-amz-meta-twice", "b")
                .with("x-amz-storage-class", "STANDARD_IA");

        await(taking().put(new NewObject(ref("key"), headers, WriteCondition.ALWAYS), body(new byte[1])));

        assertThat(first().headers())
                .containsEntry("content-type", "application/vnd.amazon.eventstream")
                .containsEntry("x-amz-meta-colour", utf8)
                .containsEntry("x-amz-meta-latin", "gr\u00FCn")
                .containsEntry("x-amz-meta-twice", "a,b")
                .containsEntry("x-amz-storage-class", "STANDARD_IA");
        assertThat(first().header("authorization").orElseThrow())
                .contains("content-type", "x-amz-meta-colour", "x-amz-meta-latin", "content-length");
    }

    /** As OpenStack Swift and Google's XML API call the body of a success that has none. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void emptySuccessWithATagIsOneWhateverItsType(int length) throws IOException {
        Backend backend = taking("200 OK", "", "ETag: \"e\"", "Content-Type: text/html; charset=UTF-8");

        assertThat(await(put(backend, body(new byte[length]))).eTag()).contains(ETag.strong("e"));
    }

    @Test
    void returnsResponseHeadersAboutTheObject() throws IOException {
        Backend backend = taking(
                "200 OK",
                "",
                "ETag: \"e\"",
                "x-amz-version-id: v",
                "x-amz-checksum-crc32: AAAAAA==",
                "x-amz-server-side-encryption: AES256",
                "x-amz-expiration: soon",
                "x-amz-object-size: 1",
                "x-amz-request-id: r",
                "x-amz-id-2: i",
                "Server: s",
                "Date: d");

        WriteResult written = await(put(backend, body(new byte[1])));

        assertThat(written.headers().fields())
                .extracting(field -> field.name() + ": " + field.value())
                .containsExactlyInAnyOrder(
                        "x-amz-version-id: v",
                        "x-amz-checksum-crc32: AAAAAA==",
                        "x-amz-server-side-encryption: AES256",
                        "x-amz-expiration: soon",
                        "x-amz-object-size: 1");
    }

    @Test
    void encodesEveryKeyInWritesCopiesAndDeletes() throws IOException {
        Backend backend = taking(
                "200 OK", "<CopyObjectResult><ETag>&quot;e&quot;</ETag></CopyObjectResult>", "ETag: \"written\"");
        for (ObjectKey key : sentKeys()) {
            ObjectRef object = new ObjectRef(BUCKET, key);
            NewObject target = new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS);
            int before = origin().requests().size();

            await(backend.put(target, body(new byte[1])));
            await(backend.copy(new CopySource(object, Optional.of("v/1+"), ReadConditions.NONE), target));
            await(backend.delete(Deletion.of(object), HeaderList.EMPTY));

            List<ScriptedServer.ReceivedRequest> sent =
                    origin().requests().subList(before, origin().requests().size());
            assertThat(sent)
                    .hasSize(3)
                    .allSatisfy(request -> assertThat(named(request.target())).isEqualTo(key.value()));
            String source = sent.get(1).header("x-amz-copy-source").orElseThrow();
            assertThat(source).endsWith("?versionId=v%2F1%2B").hasSizeGreaterThan(0);
            assertThat(named("/" + source.substring(0, source.indexOf('?')))).isEqualTo(key.value());
        }
    }

    private static String named(String target) {
        assertThat(target).startsWith("/bucket/").doesNotContain("+", "?");
        return URLDecoder.decode(target.substring("/bucket/".length()), StandardCharsets.UTF_8);
    }

    @Test
    void conditionsOnTheSourceOfACopyGoAlong() throws IOException {
        Backend backend = taking(
                "200 OK",
                "<CopyObjectResult><LastModified>2026-11-20T10:11:12.000Z</LastModified><ETag>\"c\"</ETag>"
                        + "<ChecksumCRC64NVME>AAAAAAAAAAA=</ChecksumCRC64NVME><ChecksumType>FULL_OBJECT</ChecksumType>"
                        + "</CopyObjectResult>",
                "x-amz-copy-source-version-id: s");
        ReadConditions conditions = new ReadConditions(
                Optional.of(List.of(ETag.strong("a"))),
                Optional.of(ReadConditions.ANY),
                Optional.of(Instant.parse("2026-11-20T10:00:00Z")),
                Optional.of(Instant.parse("2026-11-21T10:00:00Z")));

        WriteResult written =
                await(backend.copy(new CopySource(ref("a?b"), Optional.empty(), conditions), object("key")));

        assertThat(first().headers())
                .containsAllEntriesOf(Map.of(
                        "x-amz-copy-source", "bucket/a%3Fb",
                        "x-amz-copy-source-if-match", "\"a\"",
                        "x-amz-copy-source-if-none-match", "*",
                        "x-amz-copy-source-if-modified-since", "Fri, 20 Nov 2026 10:00:00 GMT",
                        "x-amz-copy-source-if-unmodified-since", "Sat, 21 Nov 2026 10:00:00 GMT",
                        "content-length", "0"));
        assertThat(written.eTag()).contains(ETag.strong("c"));
        assertThat(written.lastModified()).contains(Instant.parse("2026-11-20T10:11:12Z"));
        assertThat(written.headers().first("x-amz-checksum-crc64nvme")).contains("AAAAAAAAAAA=");
        assertThat(written.headers().first("x-amz-checksum-type")).contains("FULL_OBJECT");
        assertThat(written.headers().first("x-amz-copy-source-version-id")).contains("s");
    }

    /** S3 writes a control character of a key as a reference, which no XML may have. */
    @ParameterizedTest
    @ValueSource(strings = {"&#x1;", "&#x01F;", "&#31;", "&#xb;", "&#xFFFE;", "&#x9;", "&#xE4;", "\u00e4"})
    void uploadOfAKeyThatXmlCannotSayIsCreated(String reference) throws IOException {
        Backend backend = taking(
                "200 OK",
                "<InitiateMultipartUploadResult><Key>a" + reference + "b</Key><UploadId>u</UploadId>"
                        + "</InitiateMultipartUploadResult>");

        assertThat(await(backend.createUpload(new NewObject(ref("a\u0001b"), HeaderList.EMPTY, WriteCondition.ALWAYS)))
                        .upload()
                        .uploadId())
                .isEqualTo("u");
    }

    @Test
    void completionNamesItsPartsWithTheirChecksums() throws IOException {
        Backend backend = taking(
                "200 OK",
                "<?xml version=\"1.0\"?>\n<CompleteMultipartUploadResult xmlns=\"x\"><ETag>&quot;c-2&quot;</ETag>"
                        + "<ChecksumCRC32>AAAAAA==-2</ChecksumCRC32></CompleteMultipartUploadResult>");
        HeaderList sum = HeaderList.EMPTY.with("x-amz-checksum-crc32", "BBBBBB==");

        WriteResult written = await(backend.completeUpload(
                new MultipartUpload(ref("a/b"), "id/+="),
                List.of(
                        new CompletedPart(1, ETag.strong("p"), sum),
                        new CompletedPart(7, ETag.strong("q"), HeaderList.EMPTY)),
                HeaderList.EMPTY.with("x-amz-mp-object-size", "9"),
                new WriteCondition.IfAbsent()));

        assertThat(first().target()).isEqualTo("/bucket/a/b?uploadId=id%2F%2B%3D");
        assertThat(first().headers()).containsEntry("if-none-match", "*").containsEntry("x-amz-mp-object-size", "9");
        assertThat(text())
                .isEqualTo(DECLARATION + "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                        + "<Part><ETag>\"p\"</ETag><ChecksumCRC32>BBBBBB==</ChecksumCRC32>"
                        + "<PartNumber>1</PartNumber></Part>"
                        + "<Part><ETag>\"q\"</ETag><PartNumber>7</PartNumber></Part></CompleteMultipartUpload>");
        assertThat(written.eTag()).contains(ETag.strong("c-2"));
        assertThat(written.headers().first("x-amz-checksum-crc32")).contains("AAAAAA==-2");
    }

    @Test
    void batchesDeletesExceptKeysInvalidInXml() throws IOException {
        Backend backend = backend((request, wire) -> {
            bodies.add(wire.take(request));
            String result = "<DeleteResult><Deleted><Key>a&amp;b</Key><DeleteMarker>true</DeleteMarker>"
                    + "<DeleteMarkerVersionId>m</DeleteMarkerVersionId></Deleted>"
                    + "<Error><Key>locked</Key><VersionId>v</VersionId><Code>AccessDenied</Code><Message>no</Message>"
                    + "</Error></DeleteResult>";
            boolean many = request.method().equals("POST");
            wire.head(many ? "200 OK" : "204 No Content", "Content-Length: " + (many ? result.length() : 0));
            wire.text(many ? result : "");
        });
        List<Deletion> deletions = List.of(
                Deletion.of(ref("a&b")),
                Deletion.of(ref("a\u0001b")),
                new Deletion(ref("locked"), Optional.of("v"), WriteCondition.ALWAYS),
                Deletion.of(ref(" edge ")),
                Deletion.of(ref("line\r\nend")),
                new Deletion(ref("conditional"), Optional.empty(), new WriteCondition.IfMatches(ETag.strong("t"))),
                Deletion.of(ref("untold")));

        List<DeleteOutcome> outcomes = await(backend.deleteAll(BUCKET, deletions, HeaderList.EMPTY));

        assertThat(outcomes).extracting(DeleteOutcome::deletion).containsExactlyElementsOf(deletions);
        assertThat(outcomes.get(0).result().headers().first("x-amz-version-id")).contains("m");
        assertThat(outcomes.get(0).result().headers().first("x-amz-delete-marker"))
                .contains("true");
        assertKind(outcomes.get(2).failure().orElseThrow(), FailureKind.ACCESS_DENIED);
        assertThat(outcomes)
                .filteredOn(outcome -> outcome.failure().isPresent())
                .hasSize(1);
        assertThat(first().target()).isEqualTo("/bucket?delete");
        assertThat(first().headers()).containsKey("content-md5");
        assertThat(text())
                .isEqualTo(DECLARATION + "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                        + "<Object><Key>a&amp;b</Key></Object>"
                        + "<Object><Key>locked</Key><VersionId>v</VersionId></Object>"
                        + "<Object><Key>untold</Key></Object></Delete>");
        assertThat(origin().requests().stream().skip(1))
                .extracting(ScriptedServer.ReceivedRequest::target)
                .containsExactlyInAnyOrder(
                        "/bucket/a%01b",
                        "/bucket/%20edge%20", "/bucket/line%0D%0Aend", "/bucket/conditional", "/bucket/untold");
    }

    @Test
    void loneVersionIsDeletedAsItWasRequested() throws IOException {
        Backend backend = taking(
                "200 OK", "<DeleteResult><Deleted><Key>k</Key><VersionId>null</VersionId></Deleted></DeleteResult>");
        Deletion version = new Deletion(ref("k"), Optional.of("null"), WriteCondition.ALWAYS);

        List<DeleteOutcome> outcomes = await(backend.deleteAll(BUCKET, List.of(version), HeaderList.EMPTY));

        assertThat(outcomes)
                .singleElement()
                .satisfies(outcome -> assertThat(outcome.failure()).isEmpty());
        assertThat(origin().requests())
                .singleElement()
                .satisfies(request -> assertThat(request.target()).isEqualTo("/bucket?delete"));
    }

    @Test
    void deletesFailTogetherIfNoneWasTried() throws IOException {
        Backend backend = taking("404 Not Found", "<Error><Code>NoSuchBucket</Code></Error>");

        assertKind(
                failure(backend.deleteAll(
                        BUCKET, List.of(Deletion.of(ref("a")), Deletion.of(ref("b"))), HeaderList.EMPTY)),
                FailureKind.NO_SUCH_BUCKET);
    }

    @Test
    void versionsComeInTheOrderOfTheirKeys() throws IOException {
        String grouped = version("Version", "b", "v1", false, "10")
                + version("Version", "a%2Bb+c", "v2", true, "11")
                + version("DeleteMarker", "b", "m1", true, "12");
        Backend backend = taking(
                "200 OK",
                "<ListVersionsResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
                        + "<NextKeyMarker>n%2F</NextKeyMarker><NextVersionIdMarker>nv</NextVersionIdMarker>" + grouped
                        + "<CommonPrefixes><Prefix>p+/</Prefix></CommonPrefixes></ListVersionsResult>");

        VersionPage page = await(backend.listVersions(new ListVersionsRequest(BUCKET, "p ", "/", "p k", "i", 5)));

        assertThat(page.versions())
                .extracting(version -> version.key() + " " + version.versionId())
                .containsExactly("a+b c v2", "b m1", "b v1");
        assertThat(page.versions())
                .extracting(ListedVersion::details)
                .element(1)
                .isEqualTo(Optional.empty());
        assertThat(page.prefixes()).containsExactly("p /");
        assertThat(page.next().orElseThrow().key()).isEqualTo("n/");
        assertThat(Arrays.asList(first().target().split("[?&]", -1)))
                .containsExactlyInAnyOrder(
                        "/bucket",
                        "versions",
                        "encoding-type=url",
                        "max-keys=5",
                        "prefix=p%20",
                        "delimiter=%2F",
                        "key-marker=p%20k",
                        "version-id-marker=i");
    }

    private static String version(String element, String key, String id, boolean latest, String hour) {
        return ("<%1$s><Key>%2$s</Key><VersionId>%3$s</VersionId><IsLatest>%4$s</IsLatest>"
                        + "<LastModified>2026-11-20T%5$s:00:00.000Z</LastModified>"
                        + "<ETag>\"e\"</ETag><Size>3</Size></%1$s>")
                .formatted(element, key, id, latest, hour);
    }

    @Test
    void uploadsAndPartsAreListed() throws IOException {
        String part = "<Part><PartNumber>%d</PartNumber><LastModified>2026-11-20T10:00:00Z</LastModified>"
                + "<ETag>\"p\"</ETag><Size>5</Size><ChecksumSHA256>s</ChecksumSHA256></Part>";
        Backend parts = taking(
                "200 OK",
                "<ListPartsResult><IsTruncated>true</IsTruncated><StorageClass>GLACIER</StorageClass>"
                        + "<ChecksumAlgorithm>SHA256</ChecksumAlgorithm>" + part.formatted(4) + part.formatted(6)
                        + "</ListPartsResult>",
                "x-amz-abort-date: soon");

        PartPage page = await(parts.listParts(new MultipartUpload(ref("a//../b"), "i"), 3, 2));

        assertThat(first().target()).isEqualTo("/bucket/a//../b?uploadId=i&max-parts=2&part-number-marker=3");
        assertThat(page.next()).contains(6);
        assertThat(page.storageClass()).isEqualTo("GLACIER");
        assertThat(page.headers().first("x-amz-abort-date")).contains("soon");
        assertThat(page.headers().first("x-amz-checksum-algorithm")).contains("SHA256");
        assertThat(page.parts().get(0).checksums().first("x-amz-checksum-sha256"))
                .contains("s");
        stop();

        Backend uploads = taking(
                "200 OK",
                "<ListMultipartUploadsResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
                        + "<Upload><Key>k%20+1</Key><UploadId>u</UploadId><Initiated>2026-11-20T10:00:00.5Z</Initiated>"
                        + "</Upload></ListMultipartUploadsResult>");

        UploadPage listed = await(uploads.listUploads(new ListUploadsRequest(BUCKET, "", "", "", "", 1)));

        assertThat(listed.uploads().get(0).upload()).isEqualTo(new MultipartUpload(ref("k  1"), "u"));
        assertThat(listed.next()).contains(new UploadMarker("k  1", "u"));
        assertThat(first().target()).isEqualTo("/bucket?uploads&encoding-type=url&max-uploads=1");
    }

    @Test
    void bucketsAreMadeWhereTheBackendIs() throws IOException {
        taking().createBucket(NewBucket.of(new BucketName("new-one"))).block(PATIENCE);
        TestS3Server elsewhere = new TestS3Server(origin().uri(), "test-key", "test-secret", "eu-west-9");
        Backend backend = elsewhere.backend();
        backend.createBucket(new NewBucket(
                        new BucketName("new-two"), HeaderList.EMPTY.with("x-amz-acl", "private"), List.of()))
                .block(PATIENCE);
        backend.close().block(PATIENCE);

        assertThat(origin().requests())
                .extracting(request -> request.method() + " " + request.target())
                .containsExactly("PUT /new-one", "PUT /new-two");
        assertThat(text()).isEmpty();
        assertThat(text()).contains("<LocationConstraint>eu-west-9</LocationConstraint>");
        assertThat(origin().requests().get(1).headers()).containsEntry("x-amz-acl", "private");
    }

    @Test
    void bucketIsMadeWithItsTags() throws IOException {
        taking().createBucket(new NewBucket(
                        new BucketName("tagged"),
                        HeaderList.EMPTY,
                        List.of(new BucketTag("a<b", "1"), new BucketTag("empty", ""))))
                .block(PATIENCE);

        assertThat(text())
                .isEqualTo(DECLARATION
                        + "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Tags>"
                        + "<Tag><Key>a&lt;b</Key><Value>1</Value></Tag><Tag><Key>empty</Key><Value></Value></Tag>"
                        + "</Tags></CreateBucketConfiguration>");
    }

    @Test
    void sendsTheConditionOfAnAbort() throws IOException {
        HeaderList since = HeaderList.EMPTY.with("x-amz-if-match-initiated-time", "Fri, 20 Nov 2026 10:11:12 GMT");

        taking().abortUpload(new MultipartUpload(ref("key"), "u"), since).block(PATIENCE);

        assertThat(first().method()).isEqualTo("DELETE");
        assertThat(first().headers()).containsEntry("x-amz-if-match-initiated-time", "Fri, 20 Nov 2026 10:11:12 GMT");
    }

    @Test
    void sendsConditionalDeleteOnlyOnce() throws IOException {
        Backend backend = backend((request, wire) -> wire.head("500 Internal Server Error", "Content-Length: 0"));
        HeaderList size = HeaderList.EMPTY.with("x-amz-if-match-size", "7");
        Deletion deletion = new Deletion(ref("sized"), Optional.empty(), WriteCondition.ALWAYS, size);

        List<DeleteOutcome> outcomes = await(backend.deleteAll(BUCKET, List.of(deletion, deletion), HeaderList.EMPTY));

        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.failure()).isPresent());
        assertThat(origin().requests())
                .allSatisfy(request -> assertThat(request.headers()).containsEntry("x-amz-if-match-size", "7"))
                .hasSize(2);
    }

    @Test
    void requestIsForwardedAsItIs() throws IOException {
        Backend backend = taking(
                "200 OK", "answer", "x-amz-version-id: v", "x-amz-request-id: r", "Content-Type: text/x", "Server: s");
        byte[] body = "<Tagging/>".getBytes(StandardCharsets.UTF_8);

        ForwardResponse response = await(backend.forward(new ForwardRequest(
                "PUT",
                BUCKET,
                Optional.of(new ObjectKey("a//b %")),
                List.of(new QueryParameter("tagging", ""), new QueryParameter("versionId", "v 1")),
                HeaderList.EMPTY.with("content-type", "application/xml"),
                ByteBuffer.wrap(body))));

        assertThat(first().target()).isEqualTo("/bucket/a//b%20%25?tagging&versionId=v%201");
        assertThat(first().headers())
                .containsEntry("content-type", "application/xml")
                .containsEntry("content-md5", md5(body));
        assertThat(bodies.remove()).isEqualTo(body);
        assertThat(response.status()).isEqualTo(200);
        assertThat(StandardCharsets.UTF_8.decode(response.body()).toString()).isEqualTo("answer");
        assertThat(response.headers().fields())
                .extracting(field -> field.name())
                .containsExactlyInAnyOrder("x-amz-version-id", "content-type");
    }

    @Test
    void errorOfAForwardedRequestKeepsItsWords() throws IOException {
        Backend backend = taking("404 Not Found", "<Error><Code>NoSuchTagSet</Code><Message>none</Message></Error>");

        var failure = failure(backend.forward(new ForwardRequest(
                "GET",
                BUCKET,
                Optional.empty(),
                List.of(new QueryParameter("tagging", "")),
                HeaderList.EMPTY,
                ByteBuffer.allocate(0))));

        assertKind(failure, FailureKind.INVALID_REQUEST);
        assertThat(failure.s3Error().orElseThrow().status()).isEqualTo(404);
        assertThat(failure.s3Error().orElseThrow().code()).isEqualTo("NoSuchTagSet");
    }

    @Test
    void refusesTooLargeForwardedResponse() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: " + (100 << 20));
            wire.bytes(new byte[20 << 20]);
        });

        assertKind(
                failure(backend.forward(new ForwardRequest(
                        "GET", BUCKET, Optional.empty(), List.of(), HeaderList.EMPTY, ByteBuffer.allocate(0)))),
                FailureKind.INVALID_RESPONSE);
    }

    @Test
    void forwardedReadIsPassedOnAsItComes() throws IOException {
        byte[] bytes = new byte[20 << 20];
        Backend backend = backend((request, wire) -> {
            wire.head(
                    "206 Partial Content",
                    "Content-Length: " + bytes.length,
                    "Content-Range: bytes 0-%d/%d".formatted(bytes.length - 1, bytes.length),
                    "x-amz-new: n",
                    "x-amz-request-id: r",
                    "Set-Cookie: c");
            wire.bytes(bytes);
        });

        StreamingForwardResponse response = await(backend.forwardRead(unknown("GET")));
        long length = await(response.body()
                .map(piece -> {
                    long read = piece.readableBytes();
                    piece.release();
                    return read;
                })
                .reduce(0L, Long::sum));

        assertThat(response.status()).isEqualTo(206);
        assertThat(response.length()).hasValue(bytes.length);
        assertThat(length).isEqualTo(bytes.length);
        assertThat(response.headers().fields())
                .extracting(field -> field.name())
                .containsExactlyInAnyOrder("x-amz-new", "content-range");
    }

    @Test
    void forwardedReadThatBreaksOffFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 100");
            wire.bytes(new byte[50]);
            wire.close();
        });

        StreamingForwardResponse response = await(backend.forwardRead(unknown("GET")));

        assertKind(failure(response.body().doOnNext(piece -> piece.release()).then()), FailureKind.INVALID_RESPONSE);
    }

    /** Whatever it means, it was perhaps done. */
    @ParameterizedTest
    @ValueSource(strings = {"500 Internal Server Error", "503 Slow Down", ""})
    void unknownWriteIsNeverSentAgain(String status) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            if (!status.isEmpty()) {
                wire.head(status, "Content-Length: 0", "Connection: close");
            }
            wire.close();
        });
        byte[] bytes = GeneratedBytes.of("unknown").first(100);

        for (String method : List.of("PUT", "POST", "DELETE")) {
            failure(backend.forwardWrite(unknown(method), UploadBody.of(0, Flux.empty())));
            failure(backend.forwardWrite(unknown(method), body(bytes)));
            failure(backend.forward(unknown(method)));
        }

        assertThat(origin().requests()).hasSize(9);
    }

    @Test
    void unknownWriteBringsItsBody() throws IOException {
        Backend backend = taking();
        byte[] bytes = GeneratedBytes.of("unknown").first(40_000);

        ForwardResponse response = await(backend.forwardWrite(unknown("PUT"), body(bytes)));

        assertThat(response.headers().first("etag")).contains("\"written\"");
        assertThat(bodies.remove()).isEqualTo(bytes);
        assertThat(first().target()).isEqualTo("/bucket/key?new=1");
        assertThat(first().headers()).containsEntry("x-amz-brand-new", "1").containsKey("authorization");
    }

    private static ForwardRequest unknown(String method) {
        return new ForwardRequest(
                method,
                BUCKET,
                Optional.of(new ObjectKey("key")),
                List.of(new QueryParameter("new", "1")),
                HeaderList.EMPTY.with("x-amz-brand-new", "1"),
                ByteBuffer.allocate(0),
                false);
    }

    private static String md5(byte[] bytes) {
        ChecksumDigest digest = HashDigest.of("MD5");
        digest.update(bytes);
        return digest.base64();
    }
}
