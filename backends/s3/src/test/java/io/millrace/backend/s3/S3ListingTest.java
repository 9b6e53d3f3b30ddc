package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.VersionLister.ListVersionsRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.server.ScriptedServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the parsing of listings: encoded or not, by token or by marker, complete or invalid. */
class S3ListingTest extends ScriptedServerTest {
    private static final ListRequest FIRST = new ListRequest(BUCKET, "", "", new PageStart.FirstKey(), 1000, false);

    @Test
    void everyNameIsDecodedAsAmazonEncodesIt() throws IOException {
        List<ObjectKey> keys = DifficultKeys.keys();
        String entries = keys.stream()
                .map(key -> entry(URLEncoder.encode(key.value(), StandardCharsets.UTF_8)))
                .collect(Collectors.joining());
        String prefixes = keys.stream()
                .map(key -> prefix(URLEncoder.encode(key.value(), StandardCharsets.UTF_8)))
                .collect(Collectors.joining());
        Backend backend = listing("<EncodingType>url</EncodingType>" + entries + prefixes);

        ListPage page = await(backend.listObjects(FIRST));

        assertThat(page.objects()).extracting(ListPage.ListedObject::key).containsExactlyElementsOf(keys);
        assertThat(page.prefixes())
                .containsExactlyElementsOf(keys.stream().map(ObjectKey::value).toList());
    }

    /** Spaces as %20, slashes as they are, and capitals or not: all are percent-encoding. */
    @Test
    void otherServersEncodingsAreDecodedToo() throws IOException {
        Backend backend = listing(
                "<EncodingType>url</EncodingType>" + entry("a%20b/c%2bd%2Be") + prefix("%c3%A4/") + entry("a/b"));

        ListPage page = await(backend.listObjects(FIRST));

        assertThat(page.objects()).extracting(entry -> entry.key().value()).containsExactly("a b/c+d+e", "a/b");
        assertThat(page.prefixes()).containsExactly("\u00E4/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<EncodingType></EncodingType>"})
    void readsUnencodedNamesUnchanged(String encoding) throws IOException {
        Backend backend = listing(encoding + entry("a+b %2F &amp;amp; \u00E4 ") + prefix("p+%20/"));

        ListPage page = await(backend.listObjects(FIRST));

        assertThat(page.objects()).extracting(entry -> entry.key().value()).containsExactly("a+b %2F &amp; \u00E4 ");
        assertThat(page.prefixes()).containsExactly("p+%20/");
    }

    @Test
    void entryIsTakenWhole() throws IOException {
        Backend backend = listing("<Contents><Key>k</Key><LastModified>2026-11-20T10:11:12.345Z</LastModified>"
                + "<ETag>&quot;abc-3&quot;</ETag><Size>12345678901</Size><StorageClass>GLACIER</StorageClass>"
                + "<ChecksumAlgorithm>CRC32C</ChecksumAlgorithm><ChecksumAlgorithm>SHA256</ChecksumAlgorithm>"
                + "<ChecksumType>COMPOSITE</ChecksumType>"
                + "<Owner><ID>id</ID><DisplayName>name</DisplayName></Owner></Contents>");

        assertThat(await(backend.listObjects(FIRST)).objects())
                .containsExactly(new ListPage.ListedObject(
                        new ObjectKey("k"),
                        12345678901L,
                        Optional.of(ETag.strong("abc-3")),
                        Instant.parse("2026-11-20T10:11:12.345Z"),
                        "GLACIER",
                        new ListPage.ListedChecksums(List.of("CRC32C", "SHA256"), Optional.of("COMPOSITE")),
                        Optional.of(new ListPage.ObjectOwner("id", "name"))));
    }

    @Test
    void passesTheContinuationTokenUndecoded() throws IOException {
        Backend backend = listing("<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
                + "<NextContinuationToken>a%2Bb+c</NextContinuationToken>" + entry("k"));

        assertThat(await(backend.listObjects(FIRST)).next()).contains(new PageStart.ContinuationToken("a%2Bb+c"));
    }

    @Test
    void nextPageByMarkerBeginsAtTheServersMarker() throws IOException {
        Backend backend = listing("<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
                + "<NextMarker>m%2Bn/</NextMarker>" + entry("k"));

        assertThat(await(backend.listObjects(by(new PageStart.Marker("a")))).next())
                .contains(new PageStart.Marker("m+n/"));
    }

    @Test
    void nextMarkerDefaultsToTheLastName() throws IOException {
        Backend backend = listing("<IsTruncated>true</IsTruncated>" + entry("a") + entry("\uD83D\uDE00")
                + prefix("\uFF5E/") + prefix("b/"));

        assertThat(await(backend.listObjects(by(new PageStart.Marker("")))).next())
                .contains(new PageStart.Marker("\uD83D\uDE00"));
    }

    /** LocalStack takes no keys at all for all of them. */
    @Test
    void pageWithZeroMaxKeysIsEmpty() throws IOException {
        Backend backend = listing("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
                + entry("k") + prefix("p/"));
        ListPage nothing = new ListPage(List.of(), List.of(), Optional.empty());

        for (PageStart from :
                List.of(new PageStart.FirstKey(), new PageStart.Marker(""), new PageStart.ContinuationToken("t"))) {
            assertThat(await(backend.listObjects(new ListRequest(BUCKET, "", "", from, 0, false))))
                    .isEqualTo(nothing);
        }
        assertThat(origin().requests()).hasSize(3);
    }

    @Test
    void pageThatMayHoldNothingStillNeedsItsBucket() throws IOException {
        Backend backend = backend((request, wire) -> {
            String xml = "<Error><Code>NoSuchBucket</Code></Error>";
            wire.head("404 Not Found", "Content-Length: " + xml.length());
            wire.text(xml);
        });

        for (PageStart from : List.of(new PageStart.FirstKey(), new PageStart.Marker(""))) {
            assertKind(
                    failure(backend.listObjects(new ListRequest(BUCKET, "", "", from, 0, false))),
                    FailureKind.NO_SUCH_BUCKET);
        }
    }

    /** MinIO answers a marker that does not begin with the prefix with NotImplemented. */
    @ParameterizedTest
    @CsvSource({"in/b, in/b, 7", "in/, in/, 7", "in, '', 7", "a, '', 7", "'', '', 7", "in0, '', 0", "z, '', 0"})
    void onlyMarkersBelowThePrefixAreSent(String marker, String sent, int size) {
        assertThat(AdjustedListStart.of("in/", marker, 7)).isEqualTo(new AdjustedListStart(sent, size));
    }

    @Test
    void everyListLeavesOutAMarkerBesideItsPrefix() throws IOException {
        Backend backend = backend((request, wire) -> answer(wire, "<ListVersionsResult></ListVersionsResult>"));

        backend.listObjects(new ListRequest(BUCKET, "in/", "", new PageStart.Marker("in"), 7, false))
                .onErrorComplete()
                .block(PATIENCE);
        backend.listObjects(new ListRequest(BUCKET, "in/", "", new PageStart.StartAfter("in"), 7, false))
                .onErrorComplete()
                .block(PATIENCE);
        await(backend.listVersions(new ListVersionsRequest(BUCKET, "in/", "", "in", "v1", 7)));
        backend.listUploads(new ListUploadsRequest(BUCKET, "in/", "", "in", "u1", 7))
                .onErrorComplete()
                .block(PATIENCE);

        assertThat(origin().requests())
                .hasSize(4)
                .allSatisfy(request ->
                        assertThat(request.target()).contains("prefix=in").doesNotContain("marker", "start-after"));
    }

    @Test
    void truncatedPageWithoutATokenIsInvalid() throws IOException {
        Backend backend = listing("<IsTruncated>true</IsTruncated>" + entry("k"));

        assertKind(failure(backend.listObjects(FIRST)), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void emptyPageThatIsTruncatedDoesNotEndAList() throws IOException {
        Backend byToken = backend((request, wire) -> answer(
                wire,
                "<ListBucketResult>"
                        + (request.target().contains("continuation-token=t")
                                ? entry("k")
                                : "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")
                        + "</ListBucketResult>"));

        assertThat(ListedPages.readAll(byToken, FIRST).keys()).containsExactly("k");
    }

    @Test
    void emptyPageThatIsTruncatedDoesNotEndAListByMarker() throws IOException {
        Backend byMarker =
                listing("<IsTruncated>true</IsTruncated><NextMarker>m</NextMarker><EncodingType>url</EncodingType>");

        assertThat(await(byMarker.listObjects(by(new PageStart.Marker("")))).next())
                .contains(new PageStart.Marker("m"));
    }

    @Test
    void truncatedPageWithNothingToGoOnFromIsInvalid() throws IOException {
        Backend backend = listing("<IsTruncated>true</IsTruncated>");

        assertKind(failure(backend.listObjects(by(new PageStart.Marker("")))), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void emptyPageOfPartsThatIsTruncatedDoesNotEndThem() throws IOException {
        MultipartUpload upload = new MultipartUpload(KEY.object(), "u");
        Backend backend = backend((request, wire) -> answer(
                wire,
                "<ListPartsResult><IsTruncated>true</IsTruncated>"
                        + (request.number() == 0 ? "<NextPartNumberMarker>7</NextPartNumberMarker>" : "")
                        + "</ListPartsResult>"));

        assertThat(await(backend.listParts(upload, 0, 10)).next()).contains(7);
        assertKind(failure(backend.listParts(upload, 0, 10)), FailureKind.INVALID_RESPONSE);
        assertThat(await(backend.listParts(upload, 0, 0)).next()).isEmpty();
    }

    @Test
    void emptyPagesOfVersionsAndUploadsThatAreTruncatedDoNotEndThem() throws IOException {
        Backend backend = backend((request, wire) -> {
            String result = request.target().contains("uploads") ? "ListMultipartUploadsResult" : "ListVersionsResult";
            answer(
                    wire,
                    "<" + result + "><IsTruncated>true</IsTruncated><NextKeyMarker>m</NextKeyMarker></" + result + ">");
        });

        assertThat(await(backend.listVersions(new ListVersionsRequest(BUCKET, "", "", "", "", 7)))
                        .next())
                .isPresent();
        assertThat(await(backend.listUploads(new ListUploadsRequest(BUCKET, "", "", "", "", 7)))
                        .next())
                .isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Contents><Size>1</Size><LastModified>2026-11-20T10:11:12Z</LastModified></Contents>",
                "<Contents><Key>k</Key><LastModified>2026-11-20T10:11:12Z</LastModified></Contents>",
                "<Contents><Key>k</Key><Size>1</Size></Contents>",
                "<Contents><Key>k</Key><Size>one</Size><LastModified>2026-11-20T10:11:12Z</LastModified></Contents>",
                "<EncodingType>url</EncodingType><Contents><Key>%zz</Key><Size>1</Size>"
                        + "<LastModified>2026-11-20T10:11:12Z</LastModified></Contents>",
                "<Contents><Key>k</Key>",
                "<Contents><Key></Key><Size>1</Size><LastModified>2026-11-20T10:11:12Z</LastModified></Contents>",
                "<Contents>&undefined;</Contents>"
            })
    void malformedListingIsAnInvalidResponse(String xml) throws IOException {
        Backend backend = listing(xml);

        assertKind(failure(backend.listObjects(FIRST)), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void outsideEntitiesAreNotFetched() throws IOException {
        try (ScriptedServer elsewhere = ScriptedServer.start((request, wire) -> wire.object(new byte[1], "e"))) {
            Backend backend = backend((request, wire) -> answer(
                    wire,
                    "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY e SYSTEM \"" + elsewhere.uri() + "/e\">]>"
                            + "<ListBucketResult><Name>&e;</Name></ListBucketResult>"));

            backend.listObjects(FIRST).onErrorComplete().block(PATIENCE);

            assertThat(elsewhere.connections()).isZero();
        }
    }

    @Test
    void allPagesOfBucketsAreShownInOrder() throws IOException {
        Backend backend = backend((request, wire) -> {
            boolean second = request.target().contains("continuation-token=t%2B1");
            answer(
                    wire,
                    "<ListAllMyBucketsResult><Buckets>"
                            + (second ? bucket("alpha") : bucket("beta") + bucket("Not A Name"))
                            + "</Buckets>"
                            + (second ? "" : "<ContinuationToken>t+1</ContinuationToken>")
                            + "</ListAllMyBucketsResult>");
        });

        assertThat(await(backend.listBuckets()))
                .extracting(BucketInfo::name)
                .extracting(Object::toString)
                .containsExactly("alpha", "beta");
        assertThat(await(backend.listBuckets()).get(0).created()).contains(Instant.parse("2026-11-20T10:11:12Z"));
    }

    @Test
    void bucketIsThereOrNotOrNotOurs() throws IOException {
        Backend backend = backend((request, wire) -> {
            boolean head = request.method().equals("HEAD");
            String status =
                    head ? List.of("200 OK", "404 Not Found", "403 Forbidden").get(request.number()) : "403 No";
            wire.head(status, "Content-Length: 0", "x-amz-request-id: R");
        });

        assertThat(await(backend.headBucket(BUCKET)).name()).isEqualTo(BUCKET);
        assertKind(failure(backend.headBucket(BUCKET)), FailureKind.NO_SUCH_BUCKET);
        assertKind(failure(backend.headBucket(BUCKET)), FailureKind.ACCESS_DENIED);
    }

    /** Any web server answers a HEAD with 200. */
    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/json", "text/html"})
    void webServerIsNoS3Server(String type) throws IOException {
        Backend backend = backend((request, wire) -> {
            boolean head = request.method().equals("HEAD");
            wire.head("200 OK", head ? "X: y" : "Content-Type: " + type, "Content-Length: 5");
            wire.text(head ? "" : "hello");
        });

        BackendException ofBucket = failure(backend.headBucket(BUCKET));
        BackendException ofAll = failure(backend.listBuckets());

        for (BackendException failure : List.of(ofBucket, ofAll)) {
            assertKind(failure, FailureKind.INVALID_RESPONSE);
            assertThat(failure)
                    .hasMessageContaining("no S3 server")
                    .hasMessageContaining(type)
                    .hasMessageContaining("endpoint");
        }
        assertThat(ofBucket).hasMessageContaining("list of bucket").hasMessageNotContaining("HEAD");
    }

    /**
     * A missing bucket and a missing right are what an S3 server says; a HEAD alone has neither word nor name of it.
     */
    @ParameterizedTest
    @CsvSource({
        "404 Not Found, text/html, <html>nothing here</html>",
        "403 Forbidden, text/plain, go away",
        "404 Not Found, application/json, '{\"status\":404}'"
    })
    void serverThatRefusesEverythingIsNoS3Server(String status, String type, String body) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head(status, "Content-Type: " + type, "Content-Length: " + body.length());
            wire.text(request.method().equals("HEAD") ? "" : body);
        });

        for (BackendException failure : List.of(failure(backend.headBucket(BUCKET)), failure(backend.listBuckets()))) {
            assertKind(failure, FailureKind.INVALID_RESPONSE);
            assertThat(failure)
                    .hasMessageContaining("no S3 server")
                    .hasMessageContaining(status.substring(0, 3))
                    .hasMessageContaining(type)
                    .hasMessageContaining(body);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "404 Not Found, NoSuchBucket, NO_SUCH_BUCKET",
        "403 Forbidden, AccessDenied, ACCESS_DENIED",
    })
    void refusalOfAServerWithoutHeadersOfAStoreIsThatOfItsList(String status, String code, FailureKind kind)
            throws IOException {
        String xml = "<Error><Code>" + code + "</Code><Message>said so</Message></Error>";
        Backend backend = backend((request, wire) -> {
            wire.head(status, "Content-Length: " + xml.length());
            wire.text(request.method().equals("HEAD") ? "" : xml);
        });

        BackendException failure = failure(backend.headBucket(BUCKET));

        assertKind(failure, kind);
        assertThat(failure).hasMessageContaining(code).hasMessageContaining("said so");
    }

    /** A HEAD has no body, and 400 is said of a wrong endpoint and region too. */
    @ParameterizedTest
    @ValueSource(strings = {"x-amz-request-id: R", "X: y"})
    void refusalOfTheNameOfABucketIsThatOfItsList(String header) throws IOException {
        String xml = "<Error><Code>InvalidBucketName</Code><Message>said so</Message></Error>";
        Backend backend = backend((request, wire) -> {
            if (request.method().equals("HEAD")) {
                wire.head("400 Bad Request", header, "Content-Length: 0");
            } else if (request.target().startsWith("/bucket")) {
                wire.head("400 Bad Request", header, "Content-Length: " + xml.length());
                wire.text(xml);
            } else {
                answer(wire, "<ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>");
            }
        });

        BackendException failure = failure(backend.headBucket(BUCKET));

        assertKind(failure, FailureKind.INVALID_REQUEST);
        assertThat(failure.s3Error()).contains(new BackendException.S3Error(400, "InvalidBucketName", "said so"));
        assertThat(failure).hasMessageContaining("list of bucket bucket").hasMessageContaining("said so");
    }

    @ParameterizedTest
    @CsvSource({
        "200 OK, <ListBucketResult><Name>bucket</Name></ListBucketResult>",
        "403 Forbidden, <Error><Code>AccessDenied</Code></Error>"
    })
    void serverWithoutHeadersOfAStoreIsKnownByItsXml(String status, String xml) throws IOException {
        Backend backend = backend((request, wire) -> {
            boolean head = request.method().equals("HEAD");
            wire.head(head ? "200 OK" : status, "Content-Length: " + (head ? 0 : xml.length()));
            wire.text(head ? "" : xml);
        });

        assertThat(await(backend.headBucket(BUCKET)).name()).isEqualTo(BUCKET);
    }

    private Backend listing(String inner) throws IOException {
        return backend((request, wire) ->
                answer(wire, "<ListBucketResult><Name>bucket</Name>" + inner + "</ListBucketResult>"));
    }

    private static ListRequest by(PageStart from) {
        return new ListRequest(BUCKET, "", "/", from, 1000, false);
    }

    private static String entry(String key) {
        return "<Contents><Key>" + key + "</Key><Size>1</Size>"
                + "<LastModified>2026-11-20T10:11:12Z</LastModified></Contents>";
    }

    private static String prefix(String prefix) {
        return "<CommonPrefixes><Prefix>" + prefix + "</Prefix></CommonPrefixes>";
    }

    private static String bucket(String name) {
        return "<Bucket><Name>" + name + "</Name><CreationDate>2026-11-20T10:11:12Z</CreationDate></Bucket>";
    }

    private static void answer(ScriptedServer.ServerConnection wire, String xml) throws IOException {
        byte[] bytes = xml.getBytes(StandardCharsets.UTF_8);
        wire.head("200 OK", "Content-Type: application/xml", "Content-Length: " + bytes.length);
        wire.bytes(bytes);
    }
}
