package io.millrace.gateway.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.MultipartUploads.UploadQuery;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.testkit.InMemoryBackend;
import io.millrace.backend.testkit.LeakGuard;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.bucket.Views;
import io.millrace.gateway.freshness.BeginningUploads;
import io.millrace.gateway.job.UploadNotes.Noted;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** What becomes of an upload whose id nobody noted, because the program was killed just then, and of those that are a client's. */
@ExtendWith(LeakGuard.class)
class JobUploadsTest {
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
    private final CountedBackend backend = new CountedBackend(memory);
    private final Buckets buckets = new Buckets(
            List.of(Views.settings(BUCKET.value(), "backend", Optional.empty(), "")),
            Map.of("backend", backend.backend()));
    private final BucketView bucket = buckets.findAny(BUCKET).orElseThrow();
    private final JobThread thread = new JobThread();
    private final BeginningUploads beginning = new BeginningUploads();
    private UploadNotes notes;
    private JobUploads uploads;

    @BeforeEach
    void open() {
        notes = new UploadNotes(folder, thread);
        uploads = started(Instant.now());
    }

    @AfterEach
    void close() {
        thread.close();
    }

    @Test
    void intentIsNotedBeforeTheBackendIsAsked() {
        List<String> atTheCall = new ArrayList<>();
        backend.before("createUpload", () -> atTheCall.addAll(namesOfFiles()));

        Noted noted = begin();

        assertThat(atTheCall).singleElement().asString().startsWith("upload-");

        assertThat(noted.upload().uploadId()).isNotNull();
        assertThat(onlyNote()).isEqualTo(noted.upload());
    }

    @Test
    void uploadOfAnIntentIsFoundAndGivenUp() {
        Upload another = beginAsAClient("a/large");
        beginAsAClient("a/larger");
        killedWhileItBegins(true);

        uploads.giveUpAll().block(SOON);

        assertThat(ids("a/large")).containsExactly(another.uploadId());
        assertThat(ids("a/larger")).hasSize(1);
        assertThat(all()).isEmpty();
    }

    @Test
    void intentThatNeverReachedTheBackendTakesNothing() {
        Upload another = beginAsAClient("a/large");
        killedWhileItBegins(false);

        uploads.giveUpAll().block(SOON);

        assertThat(ids("a/large")).containsExactly(another.uploadId());
        assertThat(all()).isEmpty();
    }

    @Test
    void uploadThatMayBeAClientsIsLeftAlone() {
        killedWhileItBegins(true);
        beginAsAClient("a/large");

        uploads.giveUpAll().block(SOON);

        assertThat(ids("a/large")).hasSize(2);
        assertThat(all()).isEmpty();
    }

    /** A client's upload beside it, begun through this gateway, could be taken for the job's. */
    @Test
    void keyIsTheJobsWhileItsUploadIsBegun() {
        AtomicBoolean during = new AtomicBoolean();
        backend.before("createUpload", () -> during.set(isBeginning()));
        begin();
        assertThat(during).isTrue();
        assertThat(isBeginning()).isFalse();

        killedWhileItBegins(false);
        assertThat(isBeginning()).isTrue();
        uploads.giveUpAll().block(SOON);
        assertThat(isBeginning()).isFalse();
    }

    private boolean isBeginning() {
        return beginning.contains("backend", OBJECT, Instant.now());
    }

    @Test
    void refusedIntentIsNotKept() {
        backend.before("createUpload", () -> {
            throw new BackendException(BackendException.Kind.ACCESS_DENIED, "no");
        });

        uploads.begin(bucket, LARGE, "name", "v", PLAN).onErrorComplete().block(SOON);

        assertThat(all()).isEmpty();
        assertThat(isBeginning()).isFalse();
    }

    @Test
    void uploadIsNotLookedForAtAnotherBackend() {
        begin();
        Buckets elsewhere = new Buckets(
                List.of(Views.settings(BUCKET.value(), "another", Optional.empty(), "")),
                Map.of("another", new InMemoryBackend().createBucket(BUCKET)));

        new JobUploads(elsewhere, notes, beginning, InstantSource.system(), Instant.now())
                .giveUpAll()
                .onErrorComplete()
                .block(SOON);

        assertThat(all()).hasSize(1);
        assertThat(ids("a/large")).hasSize(1);
    }

    @Test
    void uploadBegunAfterARestartIsAClients() {
        killedWhileItBegins(false);
        JobUploads restarted = started(Instant.now());
        beginAsAClient("a/large");

        restarted.giveUpAll().block(SOON);

        assertThat(ids("a/large")).hasSize(1);
        assertThat(all()).isEmpty();
    }

    @Test
    void uploadBegunBeforeARestartIsFoundAndGivenUp() {
        killedWhileItBegins(true);

        started(Instant.now().plusSeconds(3)).giveUpAll().block(SOON);

        assertThat(ids("a/large")).isEmpty();
        assertThat(all()).isEmpty();
    }

    @Test
    void uploadBegunLongAfterTheIntentIsAClients() {
        UploadNote intent = UploadNote.intent(bucket, OBJECT, Instant.now(), List.of(), "v", PLAN);
        ListedUpload late =
                new ListedUpload(new Upload(OBJECT, "1"), Instant.now().plusSeconds(90), "STANDARD", HeaderList.EMPTY);

        assertThat(IntendedUpload.of(intent, List.of(late), Instant.EPOCH))
                .isEqualTo(new IntendedUpload(Optional.empty(), List.of(late)));
    }

    @Test
    void uploadWithPartsIsAClients() {
        killedWhileItBegins(true);
        Upload another = beginAsAClient("a/large");
        memory.putPart(another, 1, HeaderList.EMPTY, UploadBody.of(1, Flux.just(Unpooled.wrappedBuffer(new byte[1]))))
                .block(SOON);

        uploads.giveUpAll().block(SOON);

        assertThat(ids("a/large")).containsExactly(another.uploadId());
    }

    @Test
    void withoutAListNothingIsTakenForTheIntents() {
        UploadNote unlisted = UploadNote.intent(bucket, OBJECT, Instant.now(), null, "v", PLAN);
        ListedUpload found = new ListedUpload(new Upload(OBJECT, "1"), Instant.now(), "STANDARD", HeaderList.EMPTY);

        assertThat(IntendedUpload.of(unlisted, List.of(found), Instant.EPOCH))
                .isEqualTo(new IntendedUpload(Optional.empty(), List.of(found)));
    }

    @Test
    void uploadOfAnotherTimeIsNoCandidate() {
        UploadNote intent = UploadNote.intent(bucket, OBJECT, Instant.now(), List.of(), "v", PLAN);
        ListedUpload late = new ListedUpload(
                new Upload(OBJECT, "1"), Instant.now().plusSeconds(3600), "STANDARD", HeaderList.EMPTY);

        assertThat(IntendedUpload.candidates(intent, List.of(late))).isEmpty();
    }

    @Test
    void whatCannotBeGivenUpStaysNoted() {
        begin();
        backend.before("abortUpload", () -> {
            throw new BackendException(BackendException.Kind.UNAVAILABLE, "away");
        });

        assertThat(uploads.giveUpAll().onErrorComplete().then(notes.all()).block(SOON))
                .hasSize(1);

        backend.before("abortUpload", () -> {});
        uploads.giveUpAll().block(SOON);
        assertThat(all()).isEmpty();
        assertThat(ids("a/large")).isEmpty();
    }

    /** @param isCreated whether the backend did what it was asked for */
    private void killedWhileItBegins(boolean isCreated) {
        backend.before("createUpload", () -> {
            if (isCreated) {
                beginAsAClient("a/large");
            }
            throw new BackendException(BackendException.Kind.UNAVAILABLE, "its answer is lost");
        });
        uploads.begin(bucket, LARGE, "name", "v", PLAN).onErrorComplete().block(SOON);
        assertThat(onlyNote().uploadId()).isNull();
    }

    private JobUploads started(Instant time) {
        return new JobUploads(buckets, notes, beginning, InstantSource.system(), time);
    }

    private List<String> namesOfFiles() {
        return List.of(Objects.requireNonNull(folder.toFile().list()));
    }

    private Noted begin() {
        return Objects.requireNonNull(
                uploads.begin(bucket, LARGE, "name", "v", PLAN).block(SOON));
    }

    private Upload beginAsAClient(String key) {
        ObjectRef object = new ObjectRef(BUCKET, new ObjectKey(key));
        return Objects.requireNonNull(
                        memory.createUpload(new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS))
                                .block(SOON))
                .upload();
    }

    private UploadNote onlyNote() {
        assertThat(all()).hasSize(1);
        return all().get(0).upload().orElseThrow();
    }

    private List<UploadNotes.Entry> all() {
        return Objects.requireNonNull(notes.all().block(SOON));
    }

    private List<String> ids(String key) {
        return Objects.requireNonNull(memory.listUploads(new UploadQuery(BUCKET, key, "", "", "", 1000))
                        .block(SOON))
                .uploads()
                .stream()
                .filter(listed -> listed.upload().object().key().value().equals(key))
                .map(listed -> listed.upload().uploadId())
                .toList();
    }
}
