package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests that the log tells each time that a job begins to work again. */
@Timeout(120)
class JobLogTest {
    private static final BucketName NEAR = new BucketName("near");
    private static final BucketName FAR = new BucketName("far");
    private static final int OBJECTS = 9;

    @TempDir
    Path folder;

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger log = (Logger) LoggerFactory.getLogger("io.millrace.gateway.jobs");
    private final InMemoryBackend near = writable().createBucket(NEAR);
    private final InMemoryBackend far = writable().createBucket(FAR);

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(lines);
    }

    @Test
    void tellsThatAJobIsResumedAndThatItGoesOnAfterARestart() throws IOException {
        for (int i = 0; i < OBJECTS; i++) {
            near.store(new ObjectRef(NEAR, new ObjectKey("a/" + i)), new byte[1 << 20], HeaderList.EMPTY);
        }
        try (JobsFixture jobs = new JobsFixture(folder, Map.of(NEAR, near, FAR, far))) {
            // Each run has the bytes of about one object.
            JobStatus job = jobs.admin(
                    "{'kind': 'copy', 'workers': 1, 'bandwidth': '1KiB', 'from': {'bucket': 'near'}, 'to': {'bucket':"
                            + " 'far'}}");
            jobs.await(job.id(), now -> now.state() == JobState.RUNNING);
            jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
            jobs.await(job.id(), now -> now.state() == JobState.PAUSED);
            assertThat(messages()).noneMatch(line -> line.contains("is resumed"));

            jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
            assertThat(messages())
                    .anyMatch(line ->
                            line.matches("Job %s is resumed: [0-9]( of 9)? objects have ended".formatted(job.id())));
            jobs.await(job.id(), now -> now.state() == JobState.RUNNING);

            jobs.restart();
            Polling.within(JobsFixture.SOON)
                    .until(
                            this::messages,
                            found -> found.stream()
                                    .anyMatch(line -> line.matches(
                                            "Job %s goes on after the restart: [0-9]( of 9)? objects have ended"
                                                    .formatted(job.id()))));
        }
    }

    private List<String> messages() {
        return List.copyOf(lines.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static InMemoryBackend writable() {
        return new InMemoryBackend(EnumSet.of(Capability.WRITE));
    }
}
