package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.server.ScriptedServer;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the parsing of responses: an object's headers exactly as received, and the meaning of errors. */
class ResponseWireTest extends ScriptedServerTest {
    /** As UTF-8, as Latin-1, and as nothing: clients compare bytes. */
    private static final String BYTES = "\u00C3\u00A4 \u00E4 \u0080\u00FF";

    @Test
    void fieldsOfTheObjectComeByteForByte() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head(
                    "200 OK",
                    "Content-Length: 0",
                    "ETag: \"tag\"",
                    "Last-Modified: Fri, 20 Nov 2026 10:11:12 GMT",
                    "Content-Type: Text/X; charset=\"A b\"",
                    "Content-Encoding: gzip, br",
                    "Cache-Control: max-age=1",
                    "Expires: 0",
                    "X-Amz-Meta-Bytes: " + BYTES,
                    "x-amz-meta-two: one",
                    "x-amz-meta-two: another",
                    "x-amz-meta-empty:",
                    "x-amz-mp-parts-count: 3",
                    "x-amz-storage-class: GLACIER_IR",
                    "x-amz-version-id: v1",
                    "x-amz-request-id: R",
                    "x-amz-id-2: I",
                    "Server: S",
                    "Date: Fri, 20 Nov 2026 10:11:13 GMT",
                    "Accept-Ranges: bytes",
                    "x-amz-checksum-crc32: AAAAAA==",
                    "Set-Cookie: a=b",
                    "Connection: keep-alive");
        });

        ObjectHead head = open(backend, KEY).head();

        assertThat(head.eTag()).contains(ETag.strong("tag"));
        assertThat(head.lastModified()).contains(Instant.parse("2026-11-20T10:11:12Z"));
        assertThat(head.version().versionId()).contains("v1");
        assertThat(head.headers().fields())
                .containsExactlyInAnyOrder(
                        field("content-type", "Text/X; charset=\"A b\""),
                        field("content-encoding", "gzip, br"),
                        field("cache-control", "max-age=1"),
                        field("expires", "0"),
                        field("x-amz-meta-bytes", BYTES),
                        field("x-amz-meta-two", "one"),
                        field("x-amz-meta-two", "another"),
                        field("x-amz-meta-empty", ""),
                        field("x-amz-mp-parts-count", "3"),
                        field("x-amz-storage-class", "GLACIER_IR"),
                        field("x-amz-version-id", "v1"));
        assertThat(await(backend.head(KEY)).head().headers().fields())
                .containsExactlyInAnyOrderElementsOf(head.headers().fields());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "aws-chunked|",
                "AWS-Chunked|",
                "gzip,aws-chunked|gzip",
                "aws-chunked,gzip,br|gzip, br",
                "x-aws-chunked|x-aws-chunked"
            })
    void removesAwsChunkedFromContentEncoding(String stored, String reported) throws IOException {
        Backend backend = backend((request, wire) ->
                wire.head("200 OK", "Content-Length: 0", "ETag: \"tag\"", "Content-Encoding: " + stored));

        assertThat(open(backend, KEY).head().headers().first("content-encoding"))
                .isEqualTo(Optional.ofNullable(reported));
        assertThat(await(backend.head(KEY)).head().headers().first("content-encoding"))
                .isEqualTo(Optional.ofNullable(reported));
    }

    @Test
    void ignoresUnparsableResponseHeaders() throws IOException {
        Backend backend = backend((request, wire) -> wire.head(
                "200 OK",
                "Content-Length: 0",
                "ETag: unquoted",
                "Last-Modified: yesterday",
                "Expires: never",
                "x-amz-mp-parts-count: several",
                "x-amz-object-lock-retain-until-date: some day",
                "x-amz-server-side-encryption-bucket-key-enabled: perhaps"));

        ObjectHead head = open(backend, KEY).head();

        assertThat(head.lastModified()).isEmpty();
        assertThat(head.eTag()).contains(ETag.strong("unquoted"));
        assertThat(head.headers().first("x-amz-mp-parts-count")).contains("several");
        assertThat(await(backend.head(KEY)).head().headers().first("expires")).contains("never");
    }

    @Test
    void returnsChecksumsOnRequestForWholeBodiesOnly() throws IOException {
        Backend backend = backend((request, wire) -> {
            boolean range = request.header("range").isPresent();
            wire.head(
                    range ? "206 Partial" : "200 OK",
                    range ? "Content-Range: bytes 0-1/3" : "X: y",
                    "Content-Length: " + (range ? 2 : 3),
                    "ETag: \"e\"",
                    "x-amz-checksum-crc32: wrong===",
                    "x-amz-checksum-type: FULL_OBJECT");
            wire.text(range ? "01" : "012");
        });
        ReadRequest range = KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(0, 1)));

        assertThat(checksums(backend, KEY)).isEmpty();
        assertThat(checksums(backend, range.withChecksums())).isEmpty();
        assertThat(checksums(backend, KEY.withChecksums())).hasSize(2);
        assertThat(read(backend, KEY.withChecksums()))
                .as("nobody compares it here")
                .hasSize(3);
    }

    private static List<HeaderList.HeaderField> checksums(Backend backend, ReadRequest request) {
        var content = open(backend, request);
        content.discard();
        return content.head().headers().fields().stream()
                .filter(field -> field.name().startsWith("x-amz-checksum"))
                .toList();
    }

    @Test
    void unmodifiedObjectReportsItsTagAndDate() throws IOException {
        Backend backend = backend((request, wire) -> wire.head(
                "304 Not Modified",
                "ETag: \"e\"",
                "Last-Modified: Fri, 20 Nov 2026 10:11:12 GMT",
                "Cache-Control: max-age=5",
                "x-amz-version-id: v",
                "x-amz-request-id: R",
                "Server: S"));
        ReadRequest unless = KEY.withConditions(new ReadConditions(
                Optional.empty(), Optional.of(List.of(ETag.strong("e"))), Optional.empty(), Optional.empty()));

        BackendException failure = openFailure(backend, unless);

        assertKind(failure, FailureKind.NOT_MODIFIED);
        assertThat(failure.headers().fields())
                .containsExactlyInAnyOrder(
                        field("etag", "\"e\""),
                        field("last-modified", "Fri, 20 Nov 2026 10:11:12 GMT"),
                        field("cache-control", "max-age=5"),
                        field("x-amz-version-id", "v"));
    }

    @Test
    void refusedRangeReportsTheObjectSize() throws IOException {
        ReadRequest beyond = KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(100)));
        Backend backend = backend((request, wire) -> {
            if (request.method().equals("HEAD")) {
                wire.head("200 OK", "Content-Length: 33", "ETag: \"e\"");
            } else if (request.number() == 0) {
                wire.head("416 Range", "Content-Range: bytes */11", "Content-Length: 0");
            } else if (request.number() == 1) {
                error(wire, "416 Range", "InvalidRange", "<ActualObjectSize>22</ActualObjectSize>");
            } else {
                error(wire, "416 Range", "InvalidRange", "");
            }
        });

        for (long size : new long[] {11, 22, 33}) {
            BackendException failure = openFailure(backend, beyond);
            assertKind(failure, FailureKind.INVALID_RANGE);
            assertThat(failure.objectSize()).hasValue(size);
        }
    }

    @Test
    void deleteMarkerIsReported() throws IOException {
        Backend backend = backend((request, wire) ->
                wire.head("404 Not Found", "x-amz-delete-marker: true", "x-amz-version-id: v", "Content-Length: 0"));

        BackendException failure = failure(backend.head(KEY));

        assertKind(failure, FailureKind.NO_SUCH_KEY);
        assertThat(failure.headers().first("x-amz-delete-marker")).contains("true");
    }

    @ParameterizedTest
    @CsvSource({
        "404, NoSuchKey, NO_SUCH_KEY, true",
        "404, NoSuchVersion, NO_SUCH_VERSION, true",
        "404, NoSuchBucket, NO_SUCH_BUCKET, true",
        "404, SomethingElse, NO_SUCH_KEY, true",
        "400, InvalidArgument, INVALID_REQUEST, true",
        "405, MethodNotAllowed, INVALID_REQUEST, true",
        "416, InvalidPartNumber, INVALID_PART, true",
        "400, InvalidPartNumber, INVALID_PART, true",
        "403, InvalidObjectState, INVALID_STATE, true",
        "501, NotImplemented, UNSUPPORTED, true",
        "400, NotImplemented, UNSUPPORTED, true",
        "503, SlowDown, THROTTLED, true",
        "503, ServiceUnavailable, THROTTLED, true",
        "429, TooManyRequests, THROTTLED, true",
        "500, InternalError, UNAVAILABLE, true",
        "502, BadGateway, UNAVAILABLE, true",
        "504, GatewayTimeout, UNAVAILABLE, true",
        "400, RequestTimeout, UNAVAILABLE, true",
        "403, AccessDenied, ACCESS_DENIED, false",
        "403, InvalidAccessKeyId, CREDENTIALS_REJECTED, false",
        "403, SignatureDoesNotMatch, CREDENTIALS_REJECTED, false",
        "403, RequestTimeTooSkewed, CREDENTIALS_REJECTED, false",
        "400, AuthorizationHeaderMalformed, CREDENTIALS_REJECTED, false",
        "400, ExpiredToken, CREDENTIALS_REJECTED, false",
        "401, Unauthorized, CREDENTIALS_REJECTED, false",
        "404, XAdminUserNotFound, CREDENTIALS_REJECTED, false",
        "403, NeverHeardOf, ACCESS_DENIED, false",
        "301, PermanentRedirect, INVALID_RESPONSE, false",
        "418, Teapot, UNEXPECTED, false"
    })
    void errorsAreUnderstood(int status, String code, FailureKind kind, boolean inItsWords) throws IOException {
        Backend backend = backend((request, wire) -> error(wire, status + " Status", code, ""));

        BackendException failure = openFailure(backend, KEY);

        assertKind(failure, kind);
        assertThat(failure).hasMessageContaining(code).hasMessageContaining("GET bucket/key");
        assertThat(failure.s3Error().isPresent()).isEqualTo(inItsWords);
        failure.s3Error()
                .ifPresent(words ->
                        assertThat(words).isEqualTo(new BackendException.S3Error(status, code, "what is wrong")));
    }

    /** Clients know the codes of S3, and a number is none. */
    @ParameterizedTest
    @CsvSource({"400, INVALID_REQUEST", "404, NO_SUCH_KEY", "500, UNAVAILABLE"})
    void statusInPlaceOfTheCodeIsNotPassedOn(int status, FailureKind kind) throws IOException {
        Backend backend = backend((request, wire) -> error(wire, status + " Status", Integer.toString(status), ""));

        BackendException failure = openFailure(backend, KEY);

        assertKind(failure, kind);
        assertThat(failure.s3Error()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "404, NO_SUCH_KEY",
        "400, INVALID_REQUEST",
        "403, ACCESS_DENIED",
        "405, INVALID_REQUEST",
        "500, UNAVAILABLE",
        "501, UNSUPPORTED",
        "503, THROTTLED",
        "307, INVALID_RESPONSE",
        "408, UNAVAILABLE",
        "418, UNEXPECTED"
    })
    void errorsWithoutABodyAreUnderstoodByTheirStatus(int status, FailureKind kind) throws IOException {
        Backend backend = backend((request, wire) -> wire.head(status + " Status", "Content-Length: 0"));

        assertKind(failure(backend.head(KEY)), kind);
        assertKind(openFailure(backend, KEY), kind);
    }

    /** Other buckets take the same credentials, so they are not what is wrong. */
    @ParameterizedTest
    @CsvSource({"400 Bad Request, AuthorizationHeaderMalformed", "301 Moved Permanently, PermanentRedirect"})
    void bucketOfAnotherRegionIsNamedAndNoRejectedCredential(String status, String code) throws IOException {
        Backend backend = backend((request, wire) -> {
            if (request.method().equals("HEAD")) {
                wire.head(status, "x-amz-bucket-region: eu-west-9", "Content-Length: 0");
            } else {
                error(wire, status, code, "<Region>eu-west-9</Region>");
            }
        });

        BackendException failure = openFailure(backend, KEY);

        assertKind(failure, FailureKind.INVALID_RESPONSE);
        assertThat(failure).hasMessageContaining("the bucket is in region eu-west-9");
        assertKind(failure(backend.headBucket(KEY.object().bucket())), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void missingVersionIsNoMissingKey() throws IOException {
        Backend backend = backend((request, wire) -> wire.head("404 Not Found", "Content-Length: 0"));

        assertKind(failure(backend.head(KEY.withVersionId("v"))), FailureKind.NO_SUCH_VERSION);
    }

    /** S3 says it as AccessDenied, and it is about the object and not about who asks. */
    @Test
    void lockOfAnObjectIsReported() throws IOException {
        String words = "Access Denied because object protected by object lock.";
        String xml = "<Error><Code>AccessDenied</Code><Message>" + words + "</Message></Error>";
        Backend backend = backend((request, wire) -> {
            wire.head("403 Forbidden", "Content-Length: " + xml.length());
            wire.text(xml);
        });

        BackendException failure = openFailure(backend, KEY);

        assertKind(failure, FailureKind.INVALID_STATE);
        assertThat(failure.s3Error()).contains(new BackendException.S3Error(403, "AccessDenied", words));
    }

    /** S3 writes a control character of a key as a reference, which no XML may have. */
    @Test
    void codeOfAnErrorIsReadBesideAKeyThatXmlCannotSay() throws IOException {
        Backend backend =
                backend((request, wire) -> error(wire, "404 Not Found", "NoSuchBucket", "<Key>a&#x1;b</Key>"));

        assertKind(openFailure(backend, KEY), FailureKind.NO_SUCH_BUCKET);
    }

    @Test
    void refusedCredentialsAreTheBackendsBusinessNotTheClients() throws IOException {
        Backend backend = backend((request, wire) -> error(wire, "403 Forbidden", "SignatureDoesNotMatch", ""));

        BackendException failure = openFailure(backend, KEY);

        assertThat(failure.s3Error()).isEmpty();
        assertThat(failure)
                .hasMessageContaining("backend 'raw'")
                .hasMessageContaining("SignatureDoesNotMatch")
                .hasMessageContaining("secret-key")
                .hasMessageNotContaining("test-secret");
    }

    /** An answer to a HEAD has no body, and a wrong key must look like neither a missing right nor a missing object. */
    @ParameterizedTest
    @CsvSource({
        "403 Forbidden, 403 Forbidden, InvalidAccessKeyId",
        "404 Not Found, 404 Not Found, XAdminUserNotFound",
        "400 Bad Request, 400 Bad Request, ExpiredToken"
    })
    void detectsRejectedCredentialsOfAHead(String head, String list, String code) throws IOException {
        AtomicInteger lists = new AtomicInteger();
        Backend backend = backend((request, wire) -> {
            if (request.method().equals("HEAD")) {
                wire.head(head, "Content-Length: 0");
            } else {
                lists.incrementAndGet();
                error(wire, list, code, "");
            }
        });

        for (int i = 0; i < 3; i++) {
            BackendException failure = failure(backend.head(KEY));
            assertKind(failure, FailureKind.CREDENTIALS_REJECTED);
            assertThat(failure).hasMessageContaining(code);
            assertKind(failure(backend.headBucket(KEY.object().bucket())), FailureKind.CREDENTIALS_REJECTED);
        }

        assertThat(lists).hasValue(1);
    }

    @Test
    void accessDeniedStaysIfCredentialsAreAccepted() throws IOException {
        Backend backend = backend((request, wire) -> {
            if (request.method().equals("HEAD")) {
                wire.head("403 Forbidden", "Content-Length: 0");
            } else {
                error(wire, "403 Forbidden", "AccessDenied", "");
            }
        });

        assertKind(failure(backend.head(KEY)), FailureKind.ACCESS_DENIED);
        assertThat(failure(backend.head(KEY))).hasMessageContaining("denies this");
    }

    /** One bucket of somebody else's is no reason for the alert of rejected credentials, nor one mistyped as his. */
    @Test
    void foreignBucketIsNoRejectedCredential() throws IOException {
        Backend backend = backend((request, wire) -> {
            if (!request.target().startsWith("/" + BUCKET)) {
                String buckets = "<ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>";
                wire.head("200 OK", "Content-Type: application/xml", "Content-Length: " + buckets.length());
                wire.text(buckets);
            } else if (request.method().equals("HEAD")) {
                wire.head("403 Forbidden", "x-amz-request-id: R", "Content-Length: 0");
            } else {
                error(wire, "403 Forbidden", "AccessDenied", "");
            }
        });

        assertKind(openFailure(backend, KEY), FailureKind.ACCESS_DENIED);
        assertKind(failure(backend.head(KEY)), FailureKind.ACCESS_DENIED);
        assertKind(failure(backend.headBucket(BUCKET)), FailureKind.ACCESS_DENIED);
        assertKind(
                failure(backend.listObjects(
                        new ListRequest(BUCKET, "", "", new ListRequest.PageStart.FirstKey(), 1, false))),
                FailureKind.ACCESS_DENIED);
    }

    /** As from a private bucket: there are no credentials that could be rejected. */
    @Test
    void unsignedRequestThatIsUnauthorizedIsDenied() throws IOException {
        backend((request, wire) -> {
            if (request.method().equals("HEAD")) {
                wire.head("401 Unauthorized", "x-amz-request-id: R", "Content-Length: 0");
            } else {
                error(wire, "401 Unauthorized", "UnauthorizedAccess", "");
            }
        });
        Backend anonymous = anonymousBackend();

        for (BackendException failure : List.of(openFailure(anonymous, KEY), failure(anonymous.head(KEY)))) {
            assertKind(failure, FailureKind.ACCESS_DENIED);
            assertThat(failure).hasMessageContaining("without a signature").hasMessageContaining("access-key");
        }
        anonymous.close().block(PATIENCE);
    }

    /** Objects that are not there are asked about all the time. */
    @Test
    void missingObjectCostsOneRequestWithAcceptedCredentials() throws IOException {
        AtomicInteger heads = new AtomicInteger();
        Backend backend = backend((request, wire) -> {
            assertThat(request.method()).isEqualTo("HEAD");
            String status = heads.getAndIncrement() == 0 ? "200 OK" : "404 Not Found";
            wire.head(status, "Content-Length: 0", "x-amz-request-id: R");
        });
        await(backend.headBucket(KEY.object().bucket()));

        assertKind(failure(backend.head(KEY)), FailureKind.NO_SUCH_KEY);
        assertKind(failure(backend.head(KEY)), FailureKind.NO_SUCH_KEY);
    }

    @Test
    void errorMessageIsOneLine() throws IOException {
        Backend backend = backend(
                (request, wire) -> error(wire, "404 Not Found", "NoSuchKey", "<Resource>x</Resource>&#10;&#13;"));

        BackendException failure = openFailure(backend, key("a\nERROR b\u001B[31m\u2028\u202E"));

        assertThat(failure.getMessage()).doesNotContain("\n", "\r", "\u001B", "\u2028", "\u202E");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>no S3</html>", "not even that", ""})
    void errorThatIsNoXmlCountsByItsStatus(String body) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("403 Forbidden", "Content-Type: text/html", "Content-Length: " + body.length());
            wire.text(body);
        });

        assertKind(openFailure(backend, KEY), FailureKind.ACCESS_DENIED);
    }

    private static HeaderList.HeaderField field(String name, String value) {
        return new HeaderList.HeaderField(name, value);
    }

    private static void error(ScriptedServer.ServerConnection wire, String status, String code, String more)
            throws IOException {
        String xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code
                + "</Code><Message>what is wrong</Message>" + more + "<RequestId>R</RequestId></Error>";
        wire.head(status, "Content-Type: application/xml", "Content-Length: " + xml.length());
        wire.text(xml);
    }
}
