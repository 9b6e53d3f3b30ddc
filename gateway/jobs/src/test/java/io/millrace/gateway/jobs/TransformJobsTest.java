package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.config.DataSize;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.derived.TransformSettings;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Jobs read what a transform makes, whose sizes no list knows before. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class TransformJobsTest {
    private static final BucketName IMAGES = new BucketName("images");
    private static final BucketName TARGET = new BucketName("target");

    @TempDir
    Path folder;

    private final RecordingServer service =
            new RecordingServer(request -> PlannedResponse.text(200, request.text() + request.text()));
    private final InMemoryBackend images =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.LIST)).createBucket(IMAGES);
    private final InMemoryBackend target =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.LIST)).createBucket(TARGET);
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        TransformSettings twice = new TransformSettings(
                WebUrl.parse(service.uri().toString()),
                TransformSettings.Method.PUT,
                "",
                "1",
                Duration.ofSeconds(30),
                4,
                DataSize.parse("4MiB"),
                BackendTlsSettings.DEFAULTS);
        jobs = JobsFixture.withTransform(
                folder,
                Map.of(IMAGES, images, TARGET, target),
                twice,
                BucketViews.transformed("made", "images", "twice", ""));
        store("train/1.txt", "one");
        store("train/2.txt", "two");
        store("train/3.txt", "three");
    }

    @AfterEach
    void stop() {
        jobs.close();
        service.close();
    }

    private void store(String key, String content) {
        images.store(
                new ObjectRef(IMAGES, new ObjectKey(key)), content.getBytes(StandardCharsets.UTF_8), HeaderList.EMPTY);
    }

    private JobStatus run(String kind, String more) {
        return jobs.end(
                jobs.admin("{'kind': '" + kind + "', 'from': {'bucket': 'made', 'prefix': 'train/'}" + more + "}"));
    }

    private JobStatus pack() {
        return run("pack", ", 'to': {'bucket': 'target', 'prefix': 'x/'}, 'shards': {'name': 's-%02d.tar'}");
    }

    private byte[] bytes(String key) {
        ObjectContent content =
                Objects.requireNonNull(target.open(ReadRequest.of(new ObjectRef(TARGET, new ObjectKey(key))))
                        .block(JobsFixture.SOON));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf piece : content.body().toIterable()) {
            byte[] bytes = new byte[piece.readableBytes()];
            piece.readBytes(bytes).release();
            all.writeBytes(bytes);
        }
        return all.toByteArray();
    }

    @Test
    void copyStoresResults() {
        JobStatus job = run("copy", ", 'to': {'bucket': 'target', 'prefix': 'copied/'}");

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(new String(bytes("copied/3.txt"), StandardCharsets.UTF_8)).isEqualTo("threethree");
        assertThat(service.requests()).hasSize(3);
    }

    @Test
    void prefetchedResultsAreNotMadeAgain() {
        JobStatus prefetch = run("prefetch", "");
        assertThat(prefetch.state()).isEqualTo(JobState.DONE);
        assertThat(prefetch.progress().skipped()).as("as if it had been cached").isZero();
        assertThat(service.requests()).hasSize(3);

        assertThat(run("copy", ", 'to': {'bucket': 'target', 'prefix': 'copied/'}")
                        .state())
                .isEqualTo(JobState.DONE);

        assertThat(new String(bytes("copied/1.txt"), StandardCharsets.UTF_8)).isEqualTo("oneone");
        assertThat(service.requests()).hasSize(3);
    }

    @Test
    void packKnowsTheSizesOfResults() throws IOException {
        JobStatus job = pack();

        assertThat(job.state()).isEqualTo(JobState.DONE);
        Map<String, String> members = new LinkedHashMap<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ByteArrayInputStream(bytes("x/s-00.tar")))) {
            for (TarArchiveEntry member = tar.getNextEntry(); member != null; member = tar.getNextEntry()) {
                members.put(member.getName(), new String(tar.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        assertThat(members)
                .containsExactly(entry("1.txt", "oneone"), entry("2.txt", "twotwo"), entry("3.txt", "threethree"));
        assertThat(service.requests()).hasSize(3);
    }

    @Test
    void packOutlastsFailuresOfTheServiceThatPass() {
        // As many as a call has tries, so that this one fails.
        AtomicInteger failures = new AtomicInteger(3);
        service.respond(request -> request.text().equals("two") && failures.getAndDecrement() > 0
                ? PlannedResponse.text(500, "not now")
                : PlannedResponse.text(200, request.text()));

        JobStatus job = pack();

        assertThat(job.state()).as(job.toString()).isEqualTo(JobState.DONE);
        assertThat(failures).hasNegativeValue();
    }

    /** Consoles make them, and nothing can be made of them. */
    @Test
    void markersOfFoldersEndNoPack() {
        store("train/new/", "");
        service.respond(request -> request.text().isEmpty()
                ? PlannedResponse.text(415, "no picture")
                : PlannedResponse.text(200, request.text()));

        JobStatus job = pack();

        assertThat(job.state()).as(job.toString()).isEqualTo(JobState.DONE);
        assertThat(service.requests()).hasSize(3);
    }

    @Test
    void packEndsWithTheObjectOfWhichNothingIsMade() {
        service.respond(request -> request.text().equals("two")
                ? PlannedResponse.text(415, "no picture")
                : PlannedResponse.text(200, request.text()));

        JobStatus job = pack();

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.toString()).contains("train/2.txt", "no picture");
    }
}
