package io.millrace.backend.web;

import static io.millrace.backend.web.WebServerContract.assertKind;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection.RangeSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.PlannedResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads from servers that differ from each other, as caches in networks do, or that answer wrongly. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class WebReadTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final byte[] BYTES = GeneratedBytes.of("web").first(100_000);
    private static final String LAST_MODIFIED = "Tue, 04 Aug 2026 10:11:12 GMT";

    private ScriptedWebServer server;
    private Backend backend;

    @BeforeEach
    void start() {
        server = new ScriptedWebServer();
        backend = WebSettings.of(server.url() + "sets", ListingSource.NONE).backend();
    }

    @AfterEach
    void stop() {
        backend.close().block();
        server.close();
    }

    @Test
    void strongTagAndRangesMakeAStrongVersion() {
        page("key", PlannedResponse.of(200, BYTES, "ETag", "\"v1\"", "Accept-Ranges", "bytes"));

        assertThat(head("key").head().version().strength()).isEqualTo(ValidatorStrength.STRONG);
        assertThat(open(read("key")).head().version())
                .isEqualTo(head("key").head().version());
    }

    @Test
    void weakTagMakesAWeakVersion() {
        page("key", PlannedResponse.of(200, BYTES, "ETag", "W/\"v1\"", "Accept-Ranges", "bytes"));

        assertThat(head("key").head().version().strength()).isEqualTo(ValidatorStrength.WEAK);
        assertThat(bytes(read("key"))).isEqualTo(BYTES);
    }

    @Test
    void serverWithoutRangesMakesAWeakVersion() {
        page("key", PlannedResponse.of(200, BYTES, "ETag", "\"v1\""));

        assertThat(head("key").head().version().strength()).isEqualTo(ValidatorStrength.WEAK);
        assertThat(bytes(read("key"))).isEqualTo(BYTES);
    }

    @Test
    void objectWithoutValidatorIsRead() {
        page("key", PlannedResponse.of(200, BYTES));

        assertThat(head("key").head().version().strength()).isEqualTo(ValidatorStrength.NONE);
        assertThat(bytes(read("key"))).isEqualTo(BYTES);
    }

    /** A cache in a network may send all while it has not the range yet, and says all the same that it has ranges. */
    @Test
    void ignoredRangeIsCutOutAndRemembered() {
        page("key", PlannedResponse.of(200, BYTES, "ETag", "\"v1\"", "Accept-Ranges", "bytes", "Age", "77"));

        ObjectContent content = open(range("key", 50_001, 60_000));

        assertThat(content.head().version().strength()).isEqualTo(ValidatorStrength.WEAK);
        assertThat(WebContentReader.bytes(content)).isEqualTo(Arrays.copyOfRange(BYTES, 50_001, 60_001));
        assertThat(head("key").head().version().strength())
                .as("not asked for block after block")
                .isEqualTo(ValidatorStrength.WEAK);
    }

    @Test
    void partialContentIsStrong() {
        page(
                "key",
                PlannedResponse.of(
                        206,
                        Arrays.copyOfRange(BYTES, 10, 20),
                        "ETag",
                        "\"v1\"",
                        "Content-Range",
                        "bytes 10-19/100000"));

        ObjectContent content = open(range("key", 10, 19));

        assertThat(content.head().version().strength()).isEqualTo(ValidatorStrength.STRONG);
        assertThat(content.head().size()).isEqualTo(100_000);
        assertThat(WebContentReader.bytes(content)).isEqualTo(Arrays.copyOfRange(BYTES, 10, 20));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes 11-20/100000",
                "bytes 10-19/*",
                "bytes 10-18/100000",
                "bytes 10-19/15",
                "bytes=10-19/100000",
                "pages 10-19/100000",
                ""
            })
    void wrongRangeIsRefused(String contentRange) {
        page("key", PlannedResponse.of(206, Arrays.copyOfRange(BYTES, 10, 20), "Content-Range", contentRange));

        assertKind(() -> open(range("key", 10, 19)), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void otherVersionThanRequiredIsRefused() {
        page("key", PlannedResponse.of(200, BYTES, "ETag", "\"v1\"", "Accept-Ranges", "bytes"));
        ReadRequest pinned =
                range("key", 0, 9).requireVersion(head("key").head().version());
        assertThat(bytes(pinned)).isEqualTo(Arrays.copyOf(BYTES, 10));

        page("key", PlannedResponse.of(200, BYTES, "ETag", "\"v2\"", "Accept-Ranges", "bytes"));

        assertKind(() -> open(pinned), FailureKind.VERSION_CHANGED);
    }

    @Test
    void truncatedBodyFails() {
        page("key", PlannedResponse.of(200, BYTES, "ETag", "\"v1\"").announcing(200_000));

        ObjectContent content = open(read("key"));

        assertKind(() -> WebContentReader.bytes(content), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void truncatedBodyOfAnIgnoredRangeFails() {
        page("key", PlannedResponse.of(200, BYTES, "ETag", "\"v1\"").announcing(200_000));

        ObjectContent content = open(range("key", 99_000, 101_000));

        assertKind(() -> WebContentReader.bytes(content), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void objectWithoutLengthIsRefused() {
        page("key", PlannedResponse.of(200, BYTES).announcing(-1));

        assertKind(() -> open(read("key")), FailureKind.UNSUPPORTED);
        assertKind(() -> head("key"), FailureKind.UNSUPPORTED);
    }

    /** A compressed variant may have the tag of the plain one. */
    @Test
    void requestsBytesAsStored() {
        server.page(
                "/sets/bucket/key",
                request -> request.header("Accept-Encoding").equals(Optional.of("identity"))
                        ? PlannedResponse.of(200, BYTES, "ETag", "\"v1\"", "Vary", "Accept-Encoding")
                        : PlannedResponse.of(200, new byte[10], "ETag", "\"v1\"", "Vary", "Accept-Encoding")
                                .with("Content-Encoding", "gzip"));

        assertThat(bytes(read("key"))).isEqualTo(BYTES);
    }

    @Test
    void onlyHeadersOfTheObjectComeThrough() {
        page(
                "key",
                PlannedResponse.of(
                        200,
                        BYTES,
                        "Content-Type",
                        "text/x-a; b=c",
                        "Content-Encoding",
                        "gzip",
                        "Cache-Control",
                        "max-age=9",
                        "x-amz-meta-own",
                        "kept",
                        "x-amz-version-id",
                        "other",
                        "x-amz-server-side-encryption",
                        "AES256",
                        "Set-Cookie",
                        "a=b",
                        "Last-Modified",
                        LAST_MODIFIED));

        assertThat(head("key").head().headers().fields())
                .extracting(field -> field.name() + ": " + field.value())
                .containsExactlyInAnyOrder(
                        "content-type: text/x-a; b=c",
                        "content-encoding: gzip",
                        "cache-control: max-age=9",
                        "x-amz-meta-own: kept");
    }

    @ParameterizedTest
    @CsvSource({
        "400, INVALID_REQUEST",
        "401, CREDENTIALS_REJECTED",
        "403, ACCESS_DENIED",
        "404, NO_SUCH_KEY",
        "410, NO_SUCH_KEY",
        "408, UNAVAILABLE",
        "414, INVALID_REQUEST",
        "429, THROTTLED",
        "500, UNAVAILABLE",
        "502, UNAVAILABLE",
        "503, THROTTLED",
        "504, UNAVAILABLE",
        "204, INVALID_RESPONSE",
        "304, INVALID_RESPONSE"
    })
    void statusBecomesAKindOfFailure(int status, FailureKind kind) {
        page("key", PlannedResponse.of(status));

        assertKind(() -> open(read("key")), kind);
        assertKind(() -> head("key"), kind);
    }

    @Test
    void reportsRetryAfterOfTheServer() {
        page("key", PlannedResponse.of(503, "Retry-After", "7"));

        BackendException failure = catchThrowableOfType(BackendException.class, () -> open(read("key")));

        assertThat(failure.retryAfter()).contains(Duration.ofSeconds(7));
    }

    @Test
    void failureNamesBackendRequestAndReason() {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> open(read("absent")));

        assertThat(failure).hasMessage("backend 'web' (%ssets/): GET bucket/absent: 404", server.url());
    }

    @Test
    void headIsDoneByGetWhereThereIsNone() {
        server.page(
                "/sets/bucket/key",
                request -> request.method().equals("HEAD")
                        ? PlannedResponse.of(405)
                        : PlannedResponse.of(200, BYTES, "ETag", "\"v1\"", "Accept-Ranges", "bytes"));

        assertThat(head("key").head().size()).isEqualTo(BYTES.length);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "a%b /sets/bucket/a%25b",
                "%2F /sets/bucket/%252F",
                "a#b /sets/bucket/a%23b",
                "a?b=c /sets/bucket/a%3Fb%3Dc",
                "'a b' /sets/bucket/a%20b",
                "a+b /sets/bucket/a%2Bb",
                "ä/日 /sets/bucket/%C3%A4/%E6%97%A5",
                "a//b /sets/bucket/a//b",
                "/lead /sets/bucket//lead",
                "... /sets/bucket/...",
                ".hidden /sets/bucket/.hidden",
                "a;b /sets/bucket/a%3Bb",
                "a\\b /sets/bucket/a%5Cb",
                "a:b@c /sets/bucket/a%3Ab%40c"
            })
    void keyIsEncodedOnce(String key, String target) {
        server.page(target, PlannedResponse.of(200, BYTES));

        assertThat(bytes(read(key))).isEqualTo(BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "../x", "a/../b", "a/..", ".", "a/./b", "a\\..\\b", "..;x/y", "a/", "/", "a//"})
    void keyThatIsNoFileIsNotSent(String key) {
        assertKind(() -> open(read(key)), FailureKind.NO_SUCH_KEY);
        assertKind(() -> head(key), FailureKind.NO_SUCH_KEY);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void urlItselfMayBeTheBucket() {
        Backend root = WebSettings.of(server.url(), ListingSource.NONE).backend(false);
        server.page("/key", PlannedResponse.of(200, BYTES));

        ObjectContent content = Objects.requireNonNull(root.open(read("key")).block());

        assertThat(WebContentReader.bytes(content)).isEqualTo(BYTES);
        assertKind(() -> root.open(read("/key")).block(), FailureKind.NO_SUCH_KEY);
        root.close().block();
    }

    @Test
    void bucketsOfAServerWithoutListingAreNotListed() {
        assertThat(backend.capabilities()).isEmpty();
        assertKind(() -> backend.listBuckets().block(), FailureKind.UNSUPPORTED);
        assertThat(backend.headBucket(BUCKET).block()).isNotNull();
    }

    private void page(String key, PlannedResponse answer) {
        server.page("/sets/bucket/" + key, answer);
    }

    private HeadResult head(String key) {
        return Objects.requireNonNull(backend.head(read(key)).block());
    }

    private ObjectContent open(ReadRequest request) {
        return Objects.requireNonNull(backend.open(request).block());
    }

    private byte[] bytes(ReadRequest request) {
        return WebContentReader.bytes(open(request));
    }

    private static ReadRequest read(String key) {
        return ReadRequest.of(new ObjectRef(BUCKET, new ObjectKey(key)));
    }

    private static ReadRequest range(String key, long first, long last) {
        return read(key).withSelection(new RangeSelection(new RangeSpec.Bounded(first, last)));
    }
}
