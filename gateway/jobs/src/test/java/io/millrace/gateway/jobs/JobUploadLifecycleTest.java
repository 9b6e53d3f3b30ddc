package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.store.JobStateThread;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.PendingUpload;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import io.millrace.gateway.jobs.store.PendingUploadStore.Noted;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;

/** Tests the uploads of a job: aborted if their id is recorded, and named in the log if they may be a client's. */
@ExtendWith(BufferLeakExtension.class)
class JobUploadLifecycleTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final BucketName BUCKET = new BucketName("target");
    private static final ObjectRef OBJECT = new ObjectRef(BUCKET, new ObjectKey("a/large"));
    private static final NewObject LARGE = new NewObject(OBJECT, HeaderList.EMPTY, WriteCondition.ALWAYS);
    private static final PartPlan PLAN = PartPlan.of(200L << 20);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final InMemoryBackend memory =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.MULTIPART)).createBucket(BUCKET);
    private final CountingBackend backend = new CountingBackend(memory);
    private final BucketRegistry buckets = new BucketRegistry(
            List.of(BucketViews.settings(BUCKET.value(), "backend", Optional.empty(), "")),
            Map.of("backend", backend.backend()),
            BucketSavingsRegistry.free());
    private final BucketView bucket = buckets.findAny(BUCKET).orElseThrow();
    private final JobStateThread thread = new JobStateThread();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger log = (Logger) LoggerFactory.getLogger(JobUploadLifecycle.class);
    private PendingUploadStore notes;
    private JobUploadLifecycle uploads;

    @BeforeEach
    void open() {
        notes = new PendingUploadStore(folder, thread);
        uploads = new JobUploadLifecycle(buckets, notes, InstantSource.system());
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void close() {
        log.detachAppender(lines);
        thread.close();
    }

    @Test
    void intentIsStoredBeforeTheRequest() {
        List<String> atTheCall = new ArrayList<>();
        backend.before("createUpload", () -> atTheCall.addAll(namesOfFiles()));

        Noted noted = begin();

        assertThat(atTheCall).singleElement().asString().startsWith("upload-");

        assertThat(noted.upload().uploadId()).isNotNull();
        assertThat(onlyNote()).isEqualTo(noted.upload());
    }

    @Test
    void uploadWithoutARecordedIdIsNamedAndLeft() {
        MultipartUpload before = beginAsAClient("a/large");
        beginAsAClient("a/larger");
        killedWhileItBegins(true);
        List<String> after = ids("a/large").stream()
                .filter(id -> !id.equals(before.uploadId()))
                .toList();

        uploads.giveUpAll().block(SOON);

        assertThat(ids("a/large")).hasSize(2).contains(before.uploadId());
        assertThat(named()).hasSize(1).isEqualTo(after);
        assertThat(all()).isEmpty();
    }

    /** Nothing tells it from the job's, also if that was never begun. */
    @Test
    void uploadBegunElsewhereInThatMomentIsNotAborted() {
        killedWhileItBegins(false);
        MultipartUpload elsewhere = beginAsAClient("a/large");

        uploads.giveUpAll().block(SOON);

        assertThat(ids("a/large")).containsExactly(elsewhere.uploadId());
        assertThat(named()).containsExactly(elsewhere.uploadId());
        assertThat(all()).isEmpty();
    }

    @Test
    void intentWithoutUploadNamesNothing() {
        MultipartUpload another = beginAsAClient("a/large");
        killedWhileItBegins(false);

        uploads.giveUpAll().block(SOON);

        assertThat(ids("a/large")).containsExactly(another.uploadId());
        assertThat(named()).isEmpty();
        assertThat(all()).isEmpty();
    }

    @Test
    void refusedIntentIsDeleted() {
        backend.before("createUpload", () -> {
            throw new BackendException(BackendException.FailureKind.ACCESS_DENIED, "no");
        });

        uploads.begin(bucket, LARGE, "name", "v", PLAN).onErrorComplete().block(SOON);

        assertThat(all()).isEmpty();
    }

    @Test
    void uploadIsNotSearchedAtAnotherBackend() {
        begin();
        BucketRegistry elsewhere = new BucketRegistry(
                List.of(BucketViews.settings(BUCKET.value(), "another", Optional.empty(), "")),
                Map.of("another", new InMemoryBackend().createBucket(BUCKET)),
                BucketSavingsRegistry.free());

        new JobUploadLifecycle(elsewhere, notes, InstantSource.system())
                .giveUpAll()
                .onErrorComplete()
                .block(SOON);

        assertThat(all()).hasSize(1);
        assertThat(ids("a/large")).hasSize(1);
    }

    /** The job sends none before the id is recorded. */
    @Test
    void uploadWithPartsIsAClients() {
        killedWhileItBegins(false);
        MultipartUpload another = beginAsAClient("a/large");
        memory.putPart(another, 1, HeaderList.EMPTY, UploadBody.of(1, Flux.just(Unpooled.wrappedBuffer(new byte[1]))))
                .block(SOON);

        uploads.giveUpAll().block(SOON);

        assertThat(ids("a/large")).containsExactly(another.uploadId());
        assertThat(named()).isEmpty();
    }

    @Test
    void uploadOfAnotherTimeIsNoCandidate() {
        PendingUpload intent = PendingUpload.intent(bucket, OBJECT, Instant.now(), List.of(), "v", PLAN);
        ListedUpload late = new ListedUpload(
                new MultipartUpload(OBJECT, "1"), Instant.now().plusSeconds(3600), "STANDARD", HeaderList.EMPTY);

        assertThat(LostUploadFinder.candidates(intent, List.of(late))).isEmpty();
    }

    @Test
    void failedAbortKeepsTheUploadStored() {
        begin();
        backend.before("abortUpload", () -> {
            throw new BackendException(BackendException.FailureKind.UNAVAILABLE, "away");
        });

        assertThat(uploads.giveUpAll().onErrorComplete().then(notes.all()).block(SOON))
                .hasSize(1);

        backend.before("abortUpload", () -> {});
        uploads.giveUpAll().block(SOON);
        assertThat(all()).isEmpty();
        assertThat(ids("a/large")).isEmpty();
    }

    /**
     * Simulates a crash while an upload begins.
     *
     * @param isCreated true if the backend creates the upload
     */
    private void killedWhileItBegins(boolean isCreated) {
        backend.before("createUpload", () -> {
            if (isCreated) {
                beginAsAClient("a/large");
            }
            throw new BackendException(BackendException.FailureKind.UNAVAILABLE, "its answer is lost");
        });
        uploads.begin(bucket, LARGE, "name", "v", PLAN).onErrorComplete().block(SOON);
        assertThat(onlyNote().uploadId()).isNull();
    }

    /** Returns the ids of the uploads that the log names as perhaps the job's. */
    private List<String> named() {
        return lines.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("Upload "))
                .map(line -> line.split(" ", 3)[1])
                .toList();
    }

    private List<String> namesOfFiles() {
        return List.of(Objects.requireNonNull(folder.toFile().list()));
    }

    private Noted begin() {
        return Objects.requireNonNull(
                uploads.begin(bucket, LARGE, "name", "v", PLAN).block(SOON));
    }

    private MultipartUpload beginAsAClient(String key) {
        ObjectRef object = new ObjectRef(BUCKET, new ObjectKey(key));
        return Objects.requireNonNull(
                        memory.createUpload(new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS))
                                .block(SOON))
                .upload();
    }

    private PendingUpload onlyNote() {
        assertThat(all()).hasSize(1);
        return all().get(0).upload().orElseThrow();
    }

    private List<PendingUploadStore.Entry> all() {
        return Objects.requireNonNull(notes.all().block(SOON));
    }

    private List<String> ids(String key) {
        return Objects.requireNonNull(memory.listUploads(new ListUploadsRequest(BUCKET, key, "", "", "", 1000))
                        .block(SOON))
                .uploads()
                .stream()
                .filter(listed -> listed.upload().object().key().value().equals(key))
                .map(listed -> listed.upload().uploadId())
                .toList();
    }
}
