package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.store.JobState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Tests downloads from a faulty web server into a backend: the target has a complete and correct object, or none. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(240)
abstract class DownloadSuite {
    private static final BucketName BUCKET = new BucketName("target");
    private static final long MIB = 1 << 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private TestWebServer web;
    private Backend backend;
    private CountingBackend counted;
    private JobsFixture jobs;

    /** Creates a backend with the bucket {@code target}. */
    abstract Backend open(Path folder, BucketName bucket) throws Exception;

    abstract void shut() throws Exception;

    /** Skips a case in which a body ends early, for a backend that stores what came. */
    void assumeDiscardsCutBodies() {}

    @BeforeEach
    void start() throws Exception {
        web = new TestWebServer();
        backend = open(folder, BUCKET);
        counted = new CountingBackend(backend);
        jobs = new JobsFixture(folder, Map.of(BUCKET, counted.backend()), allowed());
    }

    private List<AllowedUrlPattern> allowed() {
        return List.of(AllowedUrlPattern.parse(web.url("/d/")));
    }

    @AfterEach
    void stop() throws Exception {
        jobs.close();
        web.close();
        shut();
    }

    @Test
    void storesContentWithMetadata() {
        TestPage page = web.page("/d/a%20b.tar", 1_000_000)
                .header("Content-Type", "application/x-tar")
                .header("Content-Encoding", "gzip")
                .header("Cache-Control", "max-age=60")
                .header("Content-Disposition", "attachment")
                .header("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT")
                .header("Set-Cookie", "secret=1");

        JobStatus job = jobs.end(download("'" + web.url("/d/a%20b.tar?signature=secret") + "'", ""));

        assertDone(job, 1);
        assertThat(job.progress().movedBytes()).isEqualTo(1_000_000);
        assertThat(bytes("x/a b.tar")).isEqualTo(page.bytes());
        HeaderList reported = head("x/a b.tar").headers();
        assertThat(reported.first("content-type")).contains("application/x-tar");
        assertThat(reported.first("content-encoding")).contains("gzip");
        assertThat(reported.first("cache-control")).contains("max-age=60");
        assertThat(reported.first("content-disposition")).contains("attachment");
        assertThat(reported.first("x-amz-meta-millrace-source")).contains(web.url("/d/a%20b.tar"));
        assertThat(reported.first("x-amz-meta-millrace-source-etag")).contains("\"v1\"");
        assertThat(reported.toString()).doesNotContain("secret");
        assertThat(web.asked().get(0).header("accept-encoding")).contains("identity");
        assertThat(web.asked().get(0).header("authorization")).isEmpty();
    }

    /** The size of a URL is known from the first response only. */
    @Test
    void downloadedBytesCountWhileTheyMove() {
        TestPage page = web.page("/d/large", 3 * MIB).holdAfter(MIB);

        JobStatus job = download("'" + web.url("/d/large") + "'", "");
        JobStatus underWay = jobs.await(
                job.id(),
                now -> now.progress().underWayBytes() > 0 && now.progress().counted());

        assertThat(underWay.progress().ended()).isZero();
        assertThat(underWay.report().percent().orElseThrow()).isBetween(1.0, 99.9);
        page.release();
        assertThat(jobs.end(job).progress().movedBytes()).isEqualTo(3 * MIB);
        assertThat(jobs.end(job).progress().underWayBytes()).isZero();
    }

    @Test
    void emptyPageBecomesEmptyObject() {
        web.page("/d/empty", 0);
        web.page("/d/void", 0).chunked();

        assertDone(jobs.end(download("'%s', '%s'".formatted(web.url("/d/empty"), web.url("/d/void")), "")), 2);

        assertThat(head("x/empty").size()).isZero();
        assertThat(head("x/void").size()).isZero();
    }

    @Test
    void downloadsUrlsOfTemplate() {
        for (int i = 8; i < 12; i++) {
            web.page("/d/%02d/s".formatted(i), 100 + i);
        }

        JobStatus job = jobs.end(jobs.admin(
                "{'kind': 'download', 'from': {'template': '%s'}, 'to': {'bucket': 'target', 'prefix': 'x/'}}"
                        .formatted(web.url("/d/{08..12}/s"))));

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(names()).containsExactly("x/08/s", "x/09/s", "x/10/s", "x/11/s");
        assertThat(failures(job))
                .containsExactly(tuple(web.url("/d/12/s") + " 12/s", "127.0.0.1:" + web.port() + " answered 404"));

        web.page("/d/12/s", 5);
        assertDone(
                jobs.end(Objects.requireNonNull(jobs.jobs()
                        .submit(JobsFixture.ADMIN, job.request().ofFailures(job.id()))
                        .block(JobsFixture.SOON))),
                1);
        assertThat(names()).contains("x/12/s");
    }

    @Test
    void downloadsUrlsOfManifest() {
        web.page("/d/a", 10);
        web.page("/d/b", 20);
        String list = "# a comment\n\n%s\n%s  sub/b\nnonsense\nhttp://127.0.0.1:1/out\n"
                .formatted(web.url("/d/a"), web.url("/d/b"));
        put("lists/urls.txt", list.getBytes(StandardCharsets.UTF_8));

        JobStatus job = jobs.end(
                jobs.admin("{'kind': 'download', 'from': {'manifest': 's3://target/lists/urls.txt'}, 'to': {'bucket':"
                        + " 'target', 'prefix': 'x/'}}"));

        assertThat(job.progress().found()).isEqualTo(4);
        assertThat(names()).containsExactly("lists/urls.txt", "x/a", "x/sub/b");
        assertThat(failures(job)).hasSize(2);
        assertThat(failures(job).toString()).contains("is not a URL", "downloads.allowed-urls");
    }

    @Test
    void fetchesOnlyNewOrChangedContent() {
        TestPage tagged = web.page("/d/tagged", 1000);
        TestPage dated = web.page("/d/dated", 1000)
                .header("ETag", null)
                .header("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT");
        web.page("/d/bare", 1000).header("ETag", null);
        String urls = "'%s', '%s', '%s'".formatted(web.url("/d/tagged"), web.url("/d/dated"), web.url("/d/bare"));
        assertDone(jobs.end(download(urls, "")), 3);

        JobStatus again = jobs.end(download(urls, ""));
        assertThat(again.progress().skipped()).isEqualTo(3);
        assertThat(again.progress().movedBytes()).isZero();

        tagged.change();
        dated.header("Last-Modified", "Thu, 22 Oct 2026 07:28:00 GMT");
        JobStatus changed = jobs.end(download(urls, ", 'overwrite': 'if-absent'"));
        assertThat(changed.progress().skipped()).isEqualTo(3);
        changed = jobs.end(download(urls, ""));
        assertThat(changed.progress().done()).isEqualTo(2);
        assertThat(bytes("x/tagged")).isEqualTo(tagged.bytes());
        assertDone(jobs.end(download(urls, ", 'overwrite': 'always'")), 3);
    }

    @Test
    void acceptsNotModifiedOnlyForConditionalRequest() {
        TestPage page = web.page("/d/a", 1000);
        put("x/a", new byte[10]);
        page.head("304 Not Modified");

        JobStatus job = jobs.end(download("'" + web.url("/d/a") + "'", ""));
        assertThat(failures(job).toString()).contains("answered 304");

        assertDone(jobs.end(download("'" + web.url("/d/a") + "'", "")), 1);
        assertThat(bytes("x/a")).isEqualTo(page.bytes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"md5", "sha1", "sha256", "sha512", "crc32", "crc32c", "crc64nvme"})
    void wrongChecksumStoresNothing(String name) {
        assumeDiscardsCutBodies();
        TestPage page = web.page("/d/good", 300_000);
        web.page("/d/bad", 300_000);
        web.page("/d/chunked", 300_000).chunked();
        ChecksumDigest digest = ChecksumAlgorithm.ofWireName(name).orElseThrow().newDigest();
        digest.update(page.bytes());
        String sum = name + ":" + digest.base64();

        JobStatus job = jobs.end(download(
                "'%s %s', '%s %s', '%s %s'"
                        .formatted(web.url("/d/good"), sum, web.url("/d/bad"), sum, web.url("/d/chunked"), sum),
                ""));

        assertThat(names()).containsExactly("x/good");
        assertThat(job.progress().failed()).isEqualTo(2);
        assertThat(failures(job).toString()).contains("as the list says");
    }

    @Test
    void checksServersChecksums() {
        assumeDiscardsCutBodies();
        web.page("/d/md5", 1000).header("Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg==");
        web.page("/d/sha", 1000).header("Repr-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:");
        web.page("/d/goog", 1000).header("x-goog-hash", "crc32c=AAAAAA==,md5=1B2M2Y8AsgTpgAmY7PhCfg==");
        web.page("/d/unzipped", 1000)
                .header("x-goog-hash", "crc32c=AAAAAA==")
                .header("x-goog-stored-content-encoding", "gzip");

        JobStatus job = jobs.end(download(
                List.of("md5", "sha", "goog", "unzipped").stream()
                        .map(name -> "'" + web.url("/d/" + name) + "'")
                        .collect(Collectors.joining(",")),
                ""));

        assertThat(names()).containsExactly("x/unzipped");
        assertThat(failures(job).toString()).contains("as its server says");
    }

    @Test
    void continuesAfterBrokenConnection() {
        TestPage page = web.page("/d/a", 5 * MIB).cut(MIB).cut(2 * MIB).cut(100);

        assertDone(jobs.end(download("'" + web.url("/d/a") + "'", "")), 1);

        assertThat(bytes("x/a")).isEqualTo(page.bytes());
        assertThat(page.sent()).isLessThan(6 * MIB);
        assertThat(web.asked()).hasSize(4);
        assertThat(web.asked().get(1).header("if-range")).contains("\"v1\"");
    }

    @Test
    void restartsWithoutValidatorOrRanges() {
        assumeDiscardsCutBodies();
        TestPage bare = web.page("/d/bare", 2 * MIB).header("ETag", null).cut(MIB);
        TestPage whole = web.page("/d/whole", 2 * MIB).withoutRanges().cut(MIB);

        assertDone(jobs.end(download("'%s', '%s'".formatted(web.url("/d/bare"), web.url("/d/whole")), "")), 2);

        assertThat(bytes("x/bare")).isEqualTo(bare.bytes());
        assertThat(bytes("x/whole")).isEqualTo(whole.bytes());
    }

    @Test
    void doesNotMixChangedContent() {
        TestPage page = web.page("/d/a", 20 * MIB).holdAfter(2 * MIB).cut(10 * MIB);
        JobStatus job = download("'" + web.url("/d/a") + "'", "");
        await(() -> page.sent() > MIB);
        page.change();
        page.release();

        // of one.
        assertDone(jobs.end(job), 1);
        assertThat(head("x/a").headers().first("x-amz-meta-millrace-source-etag"))
                .contains("\"v2\"");
        assertThat(bytes("x/a")).isEqualTo(page.bytes());
    }

    /** Without an ETag only the date identifies the content. */
    @Test
    void doesNotMixWhenServerIgnoresIfRange() {
        TestPage page = web.page("/d/a", 20 * MIB)
                .header("ETag", null)
                .header("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT")
                .deafToIfRange()
                .holdAfter(2 * MIB)
                .cut(10 * MIB);
        JobStatus job = download("'" + web.url("/d/a") + "'", "");
        await(() -> page.sent() > MIB);
        page.change().header("ETag", null).header("Last-Modified", "Thu, 22 Oct 2026 07:28:00 GMT");
        page.release();

        assertDone(jobs.end(job), 1);
        assertThat(bytes("x/a")).isEqualTo(page.bytes());
    }

    @Test
    void partialRangeIsNotTheRest() {
        TestPage page = web.page("/d/a", 3 * MIB).chunked().cut(MIB).longestRange(MIB / 2);

        assertDone(jobs.end(download("'" + web.url("/d/a") + "'", "")), 1);

        assertThat(bytes("x/a")).isEqualTo(page.bytes());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void continuesAfterShortRange(boolean chunked) {
        TestPage page = web.page("/d/a", 3 * MIB).cut(MIB).missingInARange(1000);
        if (chunked) {
            page.chunked();
        }

        assertDone(jobs.end(download("'" + web.url("/d/a") + "'", "")), 1);

        assertThat(bytes("x/a")).isEqualTo(page.bytes());
    }

    @Test
    void refusesUnknownTransferEncoding() {
        web.page("/d/a", 1000).chunked().header("Transfer-Encoding", "gzip");

        JobStatus job = jobs.end(download("'" + web.url("/d/a") + "'", ""));

        assertThat(failures(job).toString()).contains("Transfer-Encoding");
        assertThat(names()).isEmpty();
    }

    @Test
    void storesRepeatedHeaderOnce() {
        TestPage page = web.page("/d/a", 1000)
                .header("Content-Type", "text/plain\r\nContent-Type: text/html")
                .header("Cache-Control", "max-age=60\r\nCache-Control: public");

        assertDone(jobs.end(download("'" + web.url("/d/a") + "'", "")), 1);

        assertThat(bytes("x/a")).isEqualTo(page.bytes());
        assertThat(head("x/a").headers().first("content-type")).contains("text/plain");
        assertThat(head("x/a").headers().first("cache-control")).contains("max-age=60, public");
    }

    @Test
    void refusesContentTooLargeForTarget() {
        TestPage page = web.page("/d/a", MIB).declare(100L << 30).withoutRanges();

        JobStatus job = jobs.end(download("'" + web.url("/d/a") + "'", ""));

        assertThat(failures(job).toString()).contains("78 GiB");
        assertThat(web.asked()).hasSize(1);
        assertThat(page.sent()).isLessThanOrEqualTo(MIB);
        assertThat(counted.total("createUpload")).isZero();
    }

    @Test
    void explainsTooLongKey() {
        web.page("/d/a", 10);

        JobStatus job = jobs.end(download("'%s %s'".formatted(web.url("/d/a"), "k".repeat(1023)), ""));

        assertThat(failures(job).toString())
                .contains("a key has 1 to 1024 bytes")
                .doesNotContain("Exception");
    }

    @Test
    void repeatedLineIsOneDownload() {
        TestPage page = web.page("/d/a", 30 * MIB).chunked().pause(5);
        put("lists/twice", (web.url("/d/a") + "\n").repeat(3).getBytes(StandardCharsets.UTF_8));

        JobStatus job = jobs.end(
                jobs.admin("{'kind': 'download', 'overwrite': 'always', 'requestsPerSecond': 1, 'from': {'manifest':"
                        + " 's3://target/lists/twice'}, 'to': {'bucket': 'target', 'prefix': 'x/'}}"));

        assertThat(failures(job)).isEmpty();
        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(bytes("x/a")).isEqualTo(page.bytes());
        assertThat(uploads()).isZero();
    }

    @Test
    void wrongLengthStoresNothing() {
        assumeDiscardsCutBodies();
        web.page("/d/short", 1000).declare(2000).withoutRanges();
        web.page("/d/endless", 1000).untilItCloses();

        JobStatus job = jobs.end(
                download("'%s', '%s'".formatted(web.url("/d/short"), web.url("/d/endless")), ", 'attempts': 2"));

        assertThat(job.progress().failed()).isEqualTo(2);
        assertThat(names()).isEmpty();
        assertThat(failures(job).toString()).contains("broke off", "give its checksum");
    }

    @Test
    void storesUnknownLengthInBlocks() {
        TestPage small = web.page("/d/small", 100_000).chunked();
        TestPage exact = web.page("/d/exact", 8 * MIB).chunked();
        TestPage large = web.page("/d/large", 21 * MIB).chunked().cut(10 * MIB);
        String urls = List.of("small", "exact", "large").stream()
                .map(name -> "'" + web.url("/d/" + name) + "'")
                .collect(Collectors.joining(","));

        assertDone(jobs.end(download(urls, "")), 3);

        assertThat(bytes("x/small")).isEqualTo(small.bytes());
        assertThat(bytes("x/exact")).isEqualTo(exact.bytes());
        assertThat(bytes("x/large")).isEqualTo(large.bytes());
        assertThat(uploads()).isZero();
    }

    @Test
    void downloadsOfUnknownLengthTakeTurns() {
        String urls = IntStream.range(0, 30)
                .mapToObj(i -> {
                    web.page("/d/" + i, 9 * MIB).chunked();
                    return "'" + web.url("/d/" + i) + "'";
                })
                .collect(Collectors.joining(","));

        assertDone(jobs.end(download(urls, ", 'workers': 30")), 30);
    }

    @Test
    void respectsRetryAfter() {
        TestPage busy = web.page("/d/a", 1000)
                .head("429 Too Many Requests\r\nRetry-After: 2")
                .head("503 Service Unavailable");
        long begun = System.nanoTime();

        assertDone(jobs.end(download("'" + web.url("/d/a") + "'", "")), 1);

        assertThat((System.nanoTime() - begun) / 1_000_000).isGreaterThan(2000);
        assertThat(bytes("x/a")).isEqualTo(busy.bytes());
    }

    @Test
    void timesOutOnSilentServer() throws IOException {
        assumeDiscardsCutBodies();
        jobs.close();
        jobs = new JobsFixture(folder, Map.of(BUCKET, counted.backend()), allowed(), Duration.ofSeconds(1));
        web.page("/d/a", 200_000).declare(300_000).silent().withoutRanges();

        JobStatus job = jobs.end(download("'" + web.url("/d/a") + "'", ", 'attempts': 1"));

        assertThat(failures(job).toString()).contains("sent nothing for 1 s");
        assertThat(names()).isEmpty();
    }

    @Test
    void ignoresInterimResponses() {
        TestPage page = web.page("/d/a", 1000).before("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
        assertDone(jobs.end(download("'" + web.url("/d/a") + "'", "")), 1);
        assertThat(bytes("x/a")).isEqualTo(page.bytes());
    }

    @Test
    void respectsBandwidth() {
        web.page("/d/a", 3 * MIB);
        long begun = System.nanoTime();

        assertDone(jobs.end(download("'" + web.url("/d/a") + "'", ", 'bandwidth': '1MiB'")), 1);

        assertThat((System.nanoTime() - begun) / 1_000_000).isGreaterThan(1500);
    }

    @Test
    void partsOfLargeContentSurviveStop() throws IOException {
        TestPage page = web.page("/d/a", 300 * MIB).pause(1);
        // The stop comes between the storing of parts and the responses.
        counted.respondLate("putPart", Duration.ofSeconds(2));
        JobStatus job = download("'%s %s'".formatted(web.url("/d/a"), sum(page, "crc32c")), "");
        await(() -> counted.total("putPart") >= 2);
        jobs.restart();
        counted.respondLate("putPart", Duration.ZERO);
        long before = page.sent();
        int parts = counted.total("putPart");
        assertThat(uploads()).isEqualTo(1);
        web.forget();

        JobStatus ended = jobs.end(job);

        assertDone(ended, 1);
        assertThat(counted.total("putPart")).isEqualTo(38);
        assertThat(parts).isGreaterThanOrEqualTo(2);
        // What was moved before the stop stays counted; parts that had not ended are moved twice.
        assertThat(ended.progress().movedBytes()).isBetween(300L * MIB, (300L + 2 * 8) * MIB);
        assertThat(page.sent() - before).isLessThan((300 - 2 * 8 + 16) * MIB);
        assertThat(head("x/a").size()).isEqualTo(300 * MIB);
        assertThat(sumOf("x/a")).isEqualTo(sum(page, "crc32c"));
        assertThat(uploads()).isZero();
        assertThat(notes(job)).isEmpty();
    }

    @Test
    void partsOfOldContentAreAborted() {
        TestPage page = web.page("/d/a", 300 * MIB).holdAfter(2 * MIB);
        JobStatus job = download("'" + web.url("/d/a") + "'", "");
        await(() -> page.sent() > MIB);
        page.change();
        page.release();

        assertDone(jobs.end(job), 1);

        assertThat(sumOf("x/a")).isEqualTo(sum(page, "crc32c"));
        assertThat(uploads()).isZero();
    }

    @Test
    void cancelledDownloadLeavesNothing() {
        assumeDiscardsCutBodies();
        TestPage large = web.page("/d/a", 300 * MIB).holdAfter(100 * MIB);
        TestPage small = web.page("/d/b", 100 * MIB).holdAfter(2 * MIB);
        JobStatus job = download("'%s', '%s'".formatted(web.url("/d/a"), web.url("/d/b")), "");
        await(() -> counted.total("putPart") >= 1 && small.sent() > MIB);

        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        large.release();
        small.release();
        await(() -> uploads() == 0 && notes(job).isEmpty());
        long sent = small.sent();
        assertThat(names()).isEmpty();
        assertThat(Polling.untilStill(Duration.ofMillis(500), small::sent)).isLessThan(sent + 10 * MIB);
        assertThat(names()).isEmpty();
    }

    @Test
    void failedAbortIsRetriedLater() throws IOException {
        TestPage page = web.page("/d/a", 300 * MIB).holdAfter(100 * MIB);
        AtomicInteger tried = new AtomicInteger();
        counted.before("abortUpload", () -> {
            tried.incrementAndGet();
            throw new BackendException(BackendException.FailureKind.UNAVAILABLE, "away");
        });
        JobStatus job = download("'" + web.url("/d/a") + "'", "");
        await(() -> counted.total("putPart") >= 1);
        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        page.release();
        await(() -> tried.get() > 0);
        jobs.restart();
        await(() -> tried.get() > 1);
        counted.before("abortUpload", () -> {});
        assertThat(uploads()).isEqualTo(1);

        jobs.restart();

        await(() -> uploads() == 0 && notes(job).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void abortsUploadThatCannotBeStored(boolean chunked) {
        TestPage page = web.page("/d/a", 150 * MIB).pause(1);
        if (chunked) {
            page.chunked();
        }
        Path all = folder.resolve("data/jobs");
        counted.before("createUpload", () -> {
            for (String name : Objects.requireNonNull(all.toFile().list())) {
                // Simulates a full disk.
                assertThat(all.resolve(name)
                                .toFile()
                                .renameTo(folder.resolve(name).toFile()))
                        .isTrue();
            }
        });
        JobStatus job = download("'" + web.url("/d/a") + "'", ", 'attempts': 1");

        await(() -> counted.total("abortUpload") > 0);

        assertThat(counted.total("createUpload")).isEqualTo(1);
        assertThat(uploads()).isZero();
        assertThat(folder.resolve(job.id())
                        .toFile()
                        .renameTo(all.resolve(job.id()).toFile()))
                .isTrue();
    }

    @Test
    void wrongChecksumOfPartsStoresNothing() {
        web.page("/d/a", 150 * MIB);

        JobStatus job = jobs.end(download("'" + web.url("/d/a") + " crc32c:AAAAAA=='", ""));

        assertThat(failures(job).toString()).contains("CRC32C");
        assertThat(names()).isEmpty();
        assertThat(uploads()).isZero();
    }

    @Test
    void interruptedJobFetchesEachUrlOnce() throws IOException {
        assumeDiscardsCutBodies();
        String urls = IntStream.range(0, 200)
                .mapToObj(i -> {
                    web.page("/d/" + i, 1000);
                    return "'" + web.url("/d/" + i) + "'";
                })
                .collect(Collectors.joining(","));
        counted.pause(3);
        JobStatus job = download(urls, ", 'overwrite': 'always', 'workers': 4");
        for (int i = 1; i <= 5; i++) {
            long reached = 20L * i;
            jobs.await(job.id(), status -> status.progress().ended() >= reached);
            jobs.restart();
        }

        JobStatus ended = jobs.end(job);

        assertThat(ended.progress().done()).isEqualTo(200);
        assertThat(counted.calls("put"))
                .hasSize(200)
                .allSatisfy((key, count) -> assertThat(count).hasValue(1));
    }

    @Test
    void reportsForbiddenUrlAtSubmission() {
        assertThatThrownBy(() -> download("'http://127.0.0.1:1/d/a'", ""))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("downloads.allowed-urls");
        assertThatThrownBy(() -> download("'" + web.url("/e/a") + "'", "")).isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> jobs.submit(
                        JobsFixture.who("writer", "read,list,write:target"),
                        "{'kind': 'download', 'from': {'urls': ['%s']}, 'to': {'bucket': 'target'}}"
                                .formatted(web.url("/d/a"))))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("admin");
        assertThat(web.accepted()).isZero();
    }

    @Test
    void skipsRequestsForKeysOwnerMayNotWrite() {
        web.page("/d/a", 10);

        JobStatus job = jobs.end(jobs.submit(
                JobsFixture.who("half", "admin:target", "write:target/mine/*"),
                "{'kind': 'download', 'from': {'urls': ['%s']}, 'to': {'bucket': 'target', 'prefix': 'theirs/'}}"
                        .formatted(web.url("/d/a"))));

        assertThat(failures(job).toString()).contains("lacks the right write");
        assertThat(web.accepted()).isZero();
    }

    private JobStatus download(String urls, String more) {
        return jobs.admin("{'kind': 'download', 'from': {'urls': [%s]}, 'to': {'bucket': 'target', 'prefix': 'x/'}%s}"
                .formatted(urls, more));
    }

    private static void assertDone(JobStatus job, long objects) {
        assertThat(job.message()).isEmpty();
        assertThat(job.state()).as("%s", job).isEqualTo(JobState.DONE);
        assertThat(job.progress().done()).isEqualTo(objects);
    }

    private List<Tuple> failures(JobStatus job) {
        return Objects.requireNonNull(
                        jobs.jobs().failures(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON))
                .stream()
                .map(failure -> tuple(failure.key(), failure.reason()))
                .toList();
    }

    private List<String> notes(JobStatus job) {
        String[] names =
                folder.resolve("data/jobs").resolve(job.id()).toFile().list((in, name) -> name.startsWith("upload-"));
        return List.of(Objects.requireNonNull(names));
    }

    private long uploads() {
        return Objects.requireNonNull(backend.listUploads(new ListUploadsRequest(BUCKET, "", "", "", "", 1000))
                        .block(JobsFixture.SOON))
                .uploads()
                .size();
    }

    private List<String> names() {
        return Objects.requireNonNull(backend.listObjects(new ListRequest(
                                BUCKET, "", "", new ListRequest.PageStart.FirstKey(), ListRequest.MAX_KEYS, false))
                        .block(JobsFixture.SOON))
                .objects()
                .stream()
                .map(entry -> entry.key().value())
                .toList();
    }

    private ObjectHead head(String key) {
        return Objects.requireNonNull(backend.head(ReadRequest.of(at(key))).block(JobsFixture.SOON))
                .head();
    }

    private byte[] bytes(String key) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        pieces(key)
                .doOnNext(piece -> {
                    byte[] bytes = new byte[piece.readableBytes()];
                    piece.readBytes(bytes);
                    all.writeBytes(bytes);
                    piece.release();
                })
                .blockLast(JobsFixture.SOON);
        return all.toByteArray();
    }

    private String sumOf(String key) {
        ChecksumDigest digest = ChecksumAlgorithm.CRC32C.newDigest();
        pieces(key)
                .doOnNext(piece -> {
                    digest.update(piece);
                    piece.release();
                })
                .blockLast(JobsFixture.SOON);
        return "crc32c:" + digest.base64();
    }

    private static String sum(TestPage page, String algorithm) {
        ChecksumDigest digest =
                ChecksumAlgorithm.ofWireName(algorithm).orElseThrow().newDigest();
        page.feed(digest::update);
        return algorithm + ":" + digest.base64();
    }

    private Flux<ByteBuf> pieces(String key) {
        return backend.open(ReadRequest.of(at(key))).flatMapMany(content -> content.body());
    }

    private void put(String key, byte[] bytes) {
        backend.put(
                        new NewObject(at(key), HeaderList.EMPTY, WriteCondition.ALWAYS),
                        UploadBody.of(bytes.length, Flux.just(Unpooled.wrappedBuffer(bytes))))
                .block(JobsFixture.SOON);
    }

    private static ObjectRef at(String key) {
        return new ObjectRef(BUCKET, new ObjectKey(key));
    }

    private static void await(Callable<Boolean> reached) {
        Polling.within(JobsFixture.SOON).until(reached);
    }
}
