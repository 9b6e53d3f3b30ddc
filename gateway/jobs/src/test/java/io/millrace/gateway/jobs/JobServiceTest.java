package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.JoinedBackend;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart.FirstKey;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.CacheReader;
import io.millrace.cache.disk.ClosedSegments;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ObjectFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** Tests jobs from submission to end, over a counting backend and a cache on a disk. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class JobServiceTest {
    private static final BucketName BUCKET = new BucketName("data");
    private static final Duration SOON = JobsFixture.SOON;
    private static final Principal TRAINER = JobsFixture.who("trainer", "read,list:data/train/*");
    private static final Principal OTHER = JobsFixture.who("other", "read,list:data");
    private static final Principal ADMIN = JobsFixture.ADMIN;

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(Set.of(Capability.VERSIONS)).createBucket(BUCKET);
    private final CountingBackend counted = new CountingBackend(objects);
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        jobs = new JobsFixture(folder, Map.of(BUCKET, counted.backend()));
    }

    @AfterEach
    void stop() {
        jobs.close();
    }

    @Test
    void secondPrefetchFindsObjectsCached() {
        store("train/", 2500, 100);
        store("other/", 10, 100);

        JobStatus first = end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(first.state()).isEqualTo(JobState.DONE);
        assertThat(first.progress())
                .isEqualTo(new JobProgress(2500, 250_000, true, 2500, 250_000, 0, 0, 0, 0, 250_000, 0));
        assertThat(counted.calls("open"))
                .hasSize(2500)
                .allSatisfy((key, count) -> assertThat(count).hasValue(1));

        JobStatus second = end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(second.progress()).isEqualTo(new JobProgress(2500, 250_000, true, 0, 0, 2500, 250_000, 0, 0, 0, 0));
        assertThat(counted.calls("open"))
                .allSatisfy((key, count) -> assertThat(count).hasValue(1));
    }

    @Test
    void restartDoesNotRepeatEndedObjects() throws IOException {
        store("train/", 400, 10);
        counted.holdAfter(60, "open");
        JobStatus job =
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 4}");
        await(job.id(), status -> status.progress().done() > 50);
        jobs.jobs().close();
        assertThat(counted.calls("open").size()).isLessThan(400);

        counted.release("open");
        jobs.restart();
        JobStatus ended = end(job);

        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().ended()).isEqualTo(400);
        // Fetches under way may run twice.
        assertThat(counted.total("open")).isBetween(400, 404);
    }

    @Test
    void largeObjectIsFetchedWithoutAbandonedRequests() {
        storeLarge("train/1", 70 << 20);
        storeLarge("train/2", 70 << 20);

        JobStatus listed =
                end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/1'}}"));
        JobStatus named =
                end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'template': 'train/{2..2}'}}"));

        assertThat(listed.progress().movedBytes()).isEqualTo(70 << 20);
        assertThat(named.progress().movedBytes()).isEqualTo(70 << 20);
        // Eight megabytes each.
        assertThat(counted.calls("open").get("train/1")).hasValue(9);
        assertThat(counted.calls("head").get("train/1")).hasValue(1);
        assertThat(counted.calls("open").get("train/2")).hasValue(9);
        assertThat(counted.calls("head")).doesNotContainKey("train/2");
    }

    @Test
    void verifyRespectsBandwidth() {
        for (int i = 0; i < 5; i++) {
            storeLarge("train/" + i, 1 << 20);
        }
        end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        JobStatus verified =
                end(submit(ADMIN, "{'kind': 'verify', 'from': {'bucket': 'data'}, 'bandwidth': '2MiB', 'workers': 5}"));

        // The burst of the first second allows two at once.
        assertThat(verified.progress().done()).isEqualTo(5);
        assertThat(verified.activeMillis()).isGreaterThan(700);
    }

    @Test
    void prefetchesEmptyObjectByName() {
        storeLarge("train/1", 0);

        JobStatus named = end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'keys': ['train/1']}}"));

        assertThat(named.state()).isEqualTo(JobState.DONE);
        assertThat(named.progress().done() + named.progress().skipped()).isEqualTo(1);
        assertThat(counted.calls("head").get("train/1")).hasValue(1);
    }

    @Test
    void oneOwnerNeverGetsTheLastPlace() {
        store("train/", 1000, 10);
        counted.pause(50);
        String slow = "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 1}";
        List<JobStatus> mine =
                IntStream.range(0, 5).mapToObj(number -> submit(TRAINER, slow)).toList();
        await(mine.get(2).id(), status -> status.progress().done() > 0);

        JobStatus theirs = submit(ADMIN, slow);

        await(theirs.id(), status -> status.progress().done() > 0);
        assertThat(mine)
                .extracting(job -> jobs.jobs().get(TRAINER, job.id()).state())
                .filteredOn(JobState.SUBMITTED::equals)
                .hasSize(2);
    }

    @Test
    void pausedJobDoesNothingUntilResumed() {
        store("train/", 400, 10);
        counted.holdAfter(20, "open");
        JobStatus job =
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 4}");
        await(job.id(), status -> status.progress().done() > 10);
        jobs.jobs().pause(TRAINER, job.id()).block(SOON);
        counted.release("open");
        JobStatus paused = await(job.id(), status -> status.state() == JobState.PAUSED);
        assertThat(paused.ended()).isEmpty();
        Polling.holdsFor(
                Duration.ofMillis(200),
                () -> jobs.jobs().get(TRAINER, job.id()).progress().equals(paused.progress()));

        jobs.jobs().resume(TRAINER, job.id()).block(SOON);

        JobStatus ended = end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().ended()).isEqualTo(400);
        assertThat(counted.total("open")).isEqualTo(400);
    }

    @Test
    void objectFetchedWhilePausedIsDoneAndOthersStaySkipped() {
        store("train/", 12, 10);
        end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'template': 'train/{00008..00011}'}}"));
        counted.holdAfter(4, "open");
        JobStatus job =
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 2}");
        await(job.id(), status -> status.progress().done() == 4);
        // Both workers wait for their object.
        Polling.within(SOON).until(() -> counted.waiting("open") == 2);
        jobs.jobs().pause(TRAINER, job.id()).block(SOON);
        counted.release("open");
        await(job.id(), status -> status.state() == JobState.PAUSED);
        Polling.within(SOON).until(() -> isCached("train/00004") && isCached("train/00005"));

        jobs.jobs().resume(TRAINER, job.id()).block(SOON);

        JobProgress ended = end(job).progress();
        assertThat(ended.done()).isEqualTo(8);
        assertThat(ended.skipped()).isEqualTo(4);
        assertThat(counted.total("open")).isEqualTo(12);
    }

    @Test
    void cancelledJobNeverRunsAgain() {
        store("train/", 400, 10);
        counted.holdAfter(20, "open");
        JobStatus job =
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 4}");
        await(job.id(), status -> status.progress().done() > 10);

        jobs.jobs().cancel(TRAINER, job.id()).block(SOON);
        counted.release("open");

        assertThat(end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThatThrownBy(() -> jobs.jobs().resume(TRAINER, job.id()).block(SOON))
                .isInstanceOf(JobException.class);
        jobs.jobs().delete(TRAINER, job.id()).block(SOON);
        assertThat(jobs.jobs().list(ADMIN, state -> true, Optional.empty(), 10)).isEmpty();
    }

    @Test
    void jobOfARevokedOwnerStopsAndSaysSo() throws IOException {
        store("train/", 400, 10);
        counted.holdAfter(20, "open");
        String request = "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 4}";
        JobStatus job = submit(TRAINER, request);
        await(job.id(), status -> status.progress().done() > 10);
        JobStatus other = submit(OTHER, request);

        jobs.revoke(RevocationTarget.IDENTITY, TRAINER.name());

        JobStatus stopped = end(job);
        counted.release("open");
        assertThat(stopped.state()).isEqualTo(JobState.FAILED);
        assertThat(stopped.message()).contains("'trainer'", "revoked");
        assertThat(stopped.progress().ended()).isLessThan(400);
        jobs.restart();
        jobs.jobs().resume(ADMIN, job.id()).block(SOON);
        assertThat(end(job).message()).contains("revoked");
        assertThat(end(other).state()).isEqualTo(JobState.DONE);
    }

    /** As by a schedule, which sends no request that would be refused. */
    @Test
    void revokedOwnerSubmitsNothing() {
        store("train/", 1, 10);
        jobs.revoke(RevocationTarget.IDENTITY, TRAINER.name());

        assertThatThrownBy(() -> submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("revoked");
        assertThat(jobs.jobs().list(ADMIN, state -> true, Optional.empty(), 10)).isEmpty();
    }

    @Test
    void revocationOfAllStopsJobsOfBefore() {
        store("train/", 400, 10);
        counted.holdAfter(20, "open");
        String request = "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'workers': 4}";
        JobStatus job = submit(TRAINER, request);
        await(job.id(), status -> status.progress().done() > 10);

        jobs.revoke(RevocationTarget.ALL, "");

        assertThat(end(job).message()).contains("revoked");
        counted.release("open");
        assertThat(end(submit(TRAINER, request)).state()).isEqualTo(JobState.DONE);
    }

    @Test
    void sessionsSubmitNoJobs() {
        store("train/", 1, 10);
        Principal session = Principal.ofSession("reader", "pod", Map.of(), List.of(AllowRule.parse("*")), List.of());
        assertThatThrownBy(
                        () -> submit(session, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"))
                .isInstanceOfSatisfying(
                        JobException.class, e -> assertThat(e.kind()).isEqualTo(JobException.Kind.DENIED))
                .hasMessageContaining("identity");
        assertThat(jobs.jobs().list(ADMIN, state -> true, Optional.empty(), 10)).isEmpty();
    }

    @Test
    void missingObjectsFailAndCanBeRetried() {
        store("train/", 3, 10);
        JobStatus job = end(submit(
                TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'template': 'train/{00000..00004}'}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(job.progress().done()).isEqualTo(3);
        List<ObjectFailure> failures = jobs.jobs().failures(TRAINER, job.id()).block(SOON);
        assertThat(failures).extracting(ObjectFailure::key).containsExactlyInAnyOrder("train/00003", "train/00004");
        assertThat(failures).allSatisfy(failure -> assertThat(failure.reason()).contains("NoSuchKey"));

        store("train/", 5, 10);
        JobStatus again = end(submit(
                TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'failuresOf': '%s'}}".formatted(job.id())));
        assertThat(again.state()).isEqualTo(JobState.DONE);
        assertThat(again.progress().done()).isEqualTo(2);
    }

    @Test
    void prefetchesOnlyWhatOwnerMayRead() {
        store("train/", 2, 10);
        store("secret/", 2, 10);
        assertThatThrownBy(() -> submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("list");
        assertThatThrownBy(() ->
                        submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'keys': ['secret/00000']}}"))
                .isInstanceOf(JobException.class);

        JobStatus job = end(
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'template': 'secret/0000{0..1}'}}"));

        assertThat(job.progress().failed()).isEqualTo(2);
        assertThat(counted.calls("open")).isEmpty();
    }

    @Test
    void usersSeeTheirJobsAndAdministratorsAll() {
        store("train/", 1, 10);
        JobStatus job = end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(jobs.jobs().list(OTHER, state -> true, Optional.empty(), 10)).isEmpty();
        assertThatThrownBy(() -> jobs.jobs().get(OTHER, job.id())).isInstanceOf(JobException.class);
        assertThatThrownBy(() -> jobs.jobs().delete(OTHER, job.id()).block(SOON))
                .isInstanceOf(JobException.class);
        assertThat(jobs.jobs().list(ADMIN, state -> true, Optional.empty(), 10))
                .extracting(JobStatus::id)
                .containsExactly(job.id());
    }

    @Test
    void sameTokenReturnsSameJob() {
        store("train/", 1, 10);
        String request = "{'kind': 'prefetch', 'clientToken': 't', 'from': {'bucket': 'data', 'prefix': 'train/'}}";
        JobStatus job = submit(TRAINER, request);

        assertThat(submit(TRAINER, request).id()).isEqualTo(job.id());
        assertThat(submit(OTHER, request).id()).isNotEqualTo(job.id());
        assertThatThrownBy(() -> submit(TRAINER, request.replace("train/'", "train/x'")))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("clientToken");
    }

    @Test
    void refusesListingOfABackendThatCannotList() throws IOException {
        InMemoryBackend web = InMemoryBackend.withoutListing().createBucket(BUCKET);
        jobs.close();
        jobs = new JobsFixture(folder, Map.of(BUCKET, web));
        web.store(new ObjectRef(BUCKET, new ObjectKey("train/1")), new byte[10], HeaderList.EMPTY);

        assertThatThrownBy(() -> submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("cannot list");
        assertThat(end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'template': 'train/{1..1}'}}"))
                        .state())
                .isEqualTo(JobState.DONE);
        assertThat(end(submit(ADMIN, "{'kind': 'evict', 'from': {'bucket': 'data', 'prefix': 'train/'}}"))
                        .state())
                .isEqualTo(JobState.DONE);
    }

    /** Some servers begin anew where a continuation token or a marker should have led on. */
    @Test
    void listingThatRepeatsKeysFailsTheJob() throws IOException {
        store("train/", 3, 10);
        jobs.close();
        jobs = new JobsFixture(folder, Map.of(BUCKET, new JoinedBackend(JoinedBackend.Roles.of(objects)) {
            @Override
            public Mono<ListPage> listObjects(ListRequest request) {
                return super.listObjects(new ListRequest(BUCKET, request.prefix(), "", new FirstKey(), 2, false));
            }

            @Override
            public Set<Capability> capabilities() {
                return objects.capabilities();
            }

            @Override
            public Mono<Void> close() {
                return Mono.empty();
            }
        }));

        JobStatus job = end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("does not list bucket 'data' in the order of its keys");
    }

    @Test
    void reportsErrorsAtSubmissionOrInTheJob() {
        assertThatThrownBy(() -> submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'nowhere'}}"))
                .isInstanceOf(InvalidJobException.class);

        JobStatus nothing = end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'none/'}}"));
        assertThat(nothing.state()).isEqualTo(JobState.FAILED);
        assertThat(nothing.message()).contains("no object");
    }

    @Test
    void dryRunOnlyCounts() {
        store("train/", 30, 10);

        JobStatus job = end(submit(
                TRAINER,
                "{'kind': 'prefetch', 'dryRun': true, 'from': {'bucket': 'data', 'prefix': 'train/', 'glob': '**1'}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress()).isEqualTo(new JobProgress(3, 30, true, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(counted.calls("open")).isEmpty();
    }

    @Test
    void readsKeysFromManifest() {
        store("train/", 5, 10);
        object("lists/plain.txt", "train/00000\r\ntrain/00001\n\ntrain/00002".getBytes(StandardCharsets.UTF_8));
        object("lists/more.gz", gzip("train/00003\ntrain/00009\n"));
        object("inv/a.csv.gz", gzip("\"data\",\"train%2F00004\",\"10\"\n"));
        object("inv/manifest.json", """
                {"sourceBucket": "data", "destinationBucket": "arn:aws:s3:::data", "version": "2016-11-30",
                 "fileFormat": "CSV", "fileSchema": "Bucket, Key, Size", "files": [{"key": "inv/a.csv.gz", "size": 9}]}
                """.getBytes(StandardCharsets.UTF_8));

        assertThat(manifest("lists/plain.txt").progress().done()).isEqualTo(3);
        JobStatus partly = manifest("lists/more.gz");
        assertThat(partly.progress().done()).isEqualTo(1);
        assertThat(partly.progress().failed()).isEqualTo(1);
        assertThat(manifest("s3://data/inv/manifest.json").progress().done()).isEqualTo(1);
        assertThat(counted.calls("open").keySet())
                .filteredOn(key -> key.startsWith("train/"))
                .hasSize(5);
        assertThat(manifest("lists/none").state()).isEqualTo(JobState.FAILED);
    }

    @Test
    void inventorySelectsCurrentVersionsOnly() {
        store("train/", 3, 10);
        object("inv/a.csv.gz", gzip("""
                "data","train%2F00000","v2","true","false"
                "data","train%2F00000","v1","false","false"
                "data","train%2F00001","v3","true","true"
                "data","train%2F00002","v4","true","false"
                """));
        object("inv/manifest.json", """
                {"sourceBucket": "data", "fileFormat": "CSV",
                 "fileSchema": "Bucket, Key, VersionId, IsLatest, IsDeleteMarker", "files": [{"key": "inv/a.csv.gz"}]}
                """.getBytes(StandardCharsets.UTF_8));

        JobStatus job = manifest("s3://data/inv/manifest.json");

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(counted.calls("open").keySet())
                .filteredOn(key -> key.startsWith("train/"))
                .containsExactlyInAnyOrder("train/00000", "train/00002");
    }

    @Test
    void inventoryFilesRequireReadRight() {
        object("secret/passwords", "hunter2\n".getBytes(StandardCharsets.UTF_8));
        object("train/manifest.json", """
                {"sourceBucket": "data", "fileFormat": "CSV", "fileSchema": "Key", "files": [{"key": "secret/passwords"}]}
                """.getBytes(StandardCharsets.UTF_8));

        JobStatus job = end(
                submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'manifest': 'train/manifest.json'}}"));

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("secret/passwords").contains("may not read");
        assertThat(jobs.jobs().failures(TRAINER, job.id()).block(SOON)).isEmpty();
        assertThat(counted.calls("open")).doesNotContainKey("secret/passwords");
    }

    @Test
    void emptySelectionIsListedAgainOnResume() {
        JobStatus empty = end(submit(TRAINER, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));
        assertThat(empty.state()).isEqualTo(JobState.FAILED);
        store("train/", 3, 10);

        jobs.jobs().resume(TRAINER, empty.id()).block(SOON);
        JobStatus resumed = end(empty);

        assertThat(resumed.message()).isEmpty();
        assertThat(resumed.state()).isEqualTo(JobState.DONE);
        assertThat(resumed.progress()).isEqualTo(new JobProgress(3, 30, true, 3, 30, 0, 0, 0, 0, 30, 0));
    }

    @Test
    void historyIsTrimmedWhileNoJobCanStart() {
        store("train/", 100, 10);
        String slow = "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'train/'}, 'requestsPerSecond': 1}";
        for (int i = 0; i < 4; i++) {
            submit(TRAINER, slow);
        }
        for (int i = 0; i < 120; i++) {
            JobStatus waiting = submit(TRAINER, slow);
            jobs.jobs().cancel(TRAINER, waiting.id()).block(SOON);
        }
        submit(TRAINER, slow);

        assertThat(jobs.jobs().count(JobState.CANCELLED)).isEqualTo(100);
    }

    private JobStatus manifest(String name) {
        return end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data', 'manifest': '%s'}}".formatted(name)));
    }

    private void object(String key, byte[] bytes) {
        objects.store(new ObjectRef(BUCKET, new ObjectKey(key)), bytes, HeaderList.EMPTY);
    }

    private void storeLarge(String key, int bytes) {
        objects.store(new ObjectRef(BUCKET, new ObjectKey(key)), new byte[bytes], HeaderList.EMPTY);
    }

    private static byte[] gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Test
    void evictedObjectIsFetchedAgain() {
        store("train/", 700, 10);
        store("other/", 3, 10);
        end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"));

        JobStatus evicted = end(submit(ADMIN, "{'kind': 'evict', 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(evicted.state()).isEqualTo(JobState.DONE);
        assertThat(evicted.progress().done()).isEqualTo(700);
        assertThat(evicted.progress().movedBytes()).isEqualTo(7000);
        counted.forget();
        JobStatus again = end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"));
        assertThat(again.progress().done()).isEqualTo(700);
        assertThat(again.progress().skipped()).isEqualTo(3);
        assertThat(counted.calls("open")).hasSize(700);
    }

    @Test
    void evictionOfNothingIsDone() {
        JobStatus evicted = end(submit(ADMIN, "{'kind': 'evict', 'from': {'bucket': 'data', 'prefix': 'nothing/'}}"));

        assertThat(evicted.state()).isEqualTo(JobState.DONE);
        assertThat(evicted.message()).isEqualTo("nothing of its selection was cached");
    }

    @Test
    void missingBucketIsNamedAndWhichEndOfTheJobItIs() throws IOException {
        store("train/", 1, 10);
        jobs.close();
        FaultyBackend gone = new FaultyBackend(new InMemoryBackend(Set.of()), FaultPlan.none());
        jobs = new JobsFixture(folder, Map.of(BUCKET, counted.backend(), new BucketName("gone"), gone));

        for (String kind : List.of("prefetch", "evict")) {
            assertThatThrownBy(() -> submit(ADMIN, "{'kind': '%s', 'from': {'bucket': 'gone'}}".formatted(kind)))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("does not exist at backend");
        }
        // Some credentials may not ask whether a bucket exists.
        BackendFault denied = new BackendFault.FailedCall(BackendException.FailureKind.ACCESS_DENIED);
        gone.plan(call -> call.operation() == FaultPlan.Operation.BUCKET ? denied : BackendFault.NONE);
        assertThat(end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'gone'}}")))
                .satisfies(failed -> assertFailedFor(failed, "the source bucket 'gone'"));
        assertThat(end(submit(ADMIN, "{'kind': 'copy', 'from': {'bucket': 'data'}, 'to': {'bucket': 'gone'}}")))
                .satisfies(failed -> assertFailedFor(failed, "the target bucket 'gone'"));
        assertThat(end(submit(ADMIN, "{'kind': 'copy', 'from': {'bucket': 'gone'}, 'to': {'bucket': 'data'}}")))
                .satisfies(failed -> assertFailedFor(failed, "the source bucket 'gone'"));
    }

    /** It was "planning", or "running" with names, without a word until the last attempt. */
    @ParameterizedTest
    @CsvSource({"prefix, train/, PLANNING", "template, train/0000{0..2}, RUNNING"})
    void jobOfADeadBackendSaysWhatItTriesAgainAfter(String field, String value, JobState state) throws IOException {
        store("train/", 3, 10);
        jobs.close();
        FaultyBackend far = new FaultyBackend(
                objects, FaultPlan.always(new BackendFault.FailedCall(BackendException.FailureKind.UNAVAILABLE)));
        jobs = new JobsFixture(folder, Map.of(BUCKET, far));

        JobStatus job = submit(
                ADMIN,
                "{'kind': 'prefetch', 'from': {'bucket': 'data', '%s': '%s'}, 'attempts': 20}".formatted(field, value));
        JobStatus waiting = await(
                job.id(), status -> status.state() == state && !status.message().isEmpty());

        assertThat(waiting.message()).startsWith("tries again after a failure: ");

        far.plan(FaultPlan.none());
        JobStatus ended = end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.message()).doesNotContain("failure");
    }

    private static void assertFailedFor(JobStatus job, String why) {
        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("does not have " + why + ":");
    }

    @Test
    void evictsVersionsReadById() {
        ObjectRef object = new ObjectRef(BUCKET, new ObjectKey("train/1"));
        String first = objects.store(object, new byte[10], HeaderList.EMPTY)
                .versionId()
                .orElseThrow();
        String second = objects.store(object, new byte[20], HeaderList.EMPTY)
                .versionId()
                .orElseThrow();
        jobs.readHead(object, first);
        jobs.readHead(object, second);

        JobStatus evicted = end(submit(ADMIN, "{'kind': 'evict', 'from': {'bucket': 'data'}}"));

        assertThat(evicted.progress().done()).isEqualTo(2);
        JobStatus again = end(submit(ADMIN, "{'kind': 'evict', 'from': {'bucket': 'data'}}"));
        assertThat(again.progress().found()).isZero();
    }

    @Test
    void verifyComparesCacheWithBackend() {
        store("train/", 20, 3_000_000);
        end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"));
        objects.store(new ObjectRef(BUCKET, new ObjectKey("train/00000")), new byte[] {1, 2, 3}, HeaderList.EMPTY);

        JobStatus verified = end(submit(ADMIN, "{'kind': 'verify', 'from': {'bucket': 'data', 'prefix': ''}}"));

        assertThat(verified.state()).isEqualTo(JobState.DONE);
        assertThat(verified.progress().done()).isEqualTo(19);
        assertThat(verified.progress().doneBytes()).isEqualTo(19 * 3_000_000L);
        assertThat(verified.progress().skipped()).isEqualTo(1);
    }

    @Test
    void corruptBlocksFailTheObject() throws Exception {
        for (char name : new char[] {'a', 'b', 'c'}) {
            byte[] content = new byte[3_000_000];
            Arrays.fill(content, (byte) name);
            objects.store(new ObjectRef(BUCKET, new ObjectKey("train/" + name)), content, HeaderList.EMPTY);
        }
        end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"));
        damage("b".repeat(1000));

        JobStatus verified = end(submit(ADMIN, "{'kind': 'verify', 'from': {'bucket': 'data', 'prefix': ''}}"));

        assertThat(verified.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(verified.progress().done()).isEqualTo(2);
        assertThat(verified.progress().failed()).isEqualTo(1);
        ObjectFailure failure = failures(verified).get(0);
        assertThat(failure.key()).isEqualTo("train/b");
        assertThat(failure.reason()).isEqualTo("1 of its blocks were corrupt in the cache, and were dropped");

        JobStatus again = end(submit(ADMIN, "{'kind': 'verify', 'from': {'bucket': 'data', 'prefix': ''}}"));
        assertThat(again.progress().failed()).isZero();
        assertThat(again.progress().done()).isEqualTo(3);
    }

    /** Corrupt blocks are dropped, so a retry would not find them. */
    @Test
    void corruptBlocksFailTheObjectWhenBackendIsDown() throws Exception {
        byte[] content = new byte[3_000_000];
        Arrays.fill(content, (byte) 'd');
        objects.store(new ObjectRef(BUCKET, new ObjectKey("train/d")), content, HeaderList.EMPTY);
        end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"));
        damage("d".repeat(1000));
        counted.before("open", () -> {
            throw new BackendException(BackendException.FailureKind.UNAVAILABLE, "away");
        });

        JobStatus verified = end(submit(ADMIN, "{'kind': 'verify', 'from': {'bucket': 'data', 'prefix': ''}}"));

        assertThat(verified.progress().failed()).isEqualTo(1);
        assertThat(failures(verified).get(0).reason())
                .startsWith("1 of its blocks were corrupt in the cache, and were dropped; the rest was not compared: ");
    }

    /** Unreadable blocks are dropped, although nothing has verified them. */
    @Test
    void unreadableBlocksFailTheObject() throws Exception {
        store("train/", 1, 2_000_000);
        end(submit(ADMIN, "{'kind': 'prefetch', 'from': {'bucket': 'data'}}"));
        ClosedSegments.of(jobs.cache());

        JobStatus verified =
                end(submit(ADMIN, "{'kind': 'verify', 'from': {'bucket': 'data', 'keys': ['train/00000']}}"));

        assertThat(verified.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(verified.progress().done()).isZero();
        assertThat(failures(verified).get(0).reason())
                .isEqualTo("2 of its blocks could not be read from their disk, and were dropped");
    }

    private List<ObjectFailure> failures(JobStatus job) {
        return Objects.requireNonNull(jobs.jobs().failures(ADMIN, job.id()).block(SOON));
    }

    /** Flips one bit on the disk. */
    private void damage(String text) throws IOException {
        byte[] wanted = text.getBytes(StandardCharsets.US_ASCII);
        try (Stream<Path> files = Files.walk(folder.resolve("cache/disk"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String content = Files.readString(file, StandardCharsets.ISO_8859_1);
                int at = content.indexOf(text);
                if (at >= 0) {
                    wanted[0] ^= 1;
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                        channel.write(ByteBuffer.wrap(wanted), at);
                    }
                    return;
                }
            }
        }
        throw new AssertionError("nothing of it is on the disk");
    }

    @Test
    void cacheJobsRequireOperate() {
        assertThatThrownBy(() -> submit(TRAINER, "{'kind': 'evict', 'from': {'bucket': 'data', 'prefix': 'train/'}}"))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("operate");
    }

    @Test
    void respectsRequestLimit() {
        store("train/", 60, 10);
        long begin = System.nanoTime();

        end(submit(
                TRAINER,
                "{'kind': 'prefetch', 'requestsPerSecond': 20, 'from': {'bucket': 'data', 'prefix': 'train/'}}"));

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(1900));
    }

    private void store(String prefix, int count, int bytes) {
        for (int i = 0; i < count; i++) {
            objects.store(
                    new ObjectRef(BUCKET, new ObjectKey("%s%05d".formatted(prefix, i))),
                    new byte[bytes],
                    HeaderList.EMPTY);
        }
    }

    private boolean isCached(String key) {
        ObjectId id = ObjectId.current("backend-of-data", new ObjectRef(BUCKET, new ObjectKey(key)));
        CacheReader reader = jobs.cache().reader();
        return Boolean.TRUE.equals(reader.find(id)
                .flatMap(head -> reader.isFullyResident(head, new ByteRange(0, head.size() - 1)))
                .block(SOON));
    }

    private JobStatus submit(Principal who, String request) {
        return jobs.submit(who, request);
    }

    private JobStatus end(JobStatus job) {
        return jobs.end(job);
    }

    private JobStatus await(String id, Predicate<JobStatus> reached) {
        return jobs.await(id, reached);
    }
}
