package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests a prefetch with {@code pin} in a cache that fetches much more than it holds. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class JobPinsTest {
    private static final BucketName BUCKET = new BucketName("data");
    private static final int OBJECTS = 20;
    private static final int SIZE = 1 << 20;

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend().createBucket(BUCKET);
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        IntStream.range(0, OBJECTS).forEach(number -> store("kept/" + number));
        IntStream.range(0, 150).forEach(number -> store("other/" + number));
        jobs = new JobsFixture(folder, "64MiB", Map.of(BUCKET, objects));
    }

    @AfterEach
    void stop() {
        jobs.close();
    }

    @Test
    void pinnedObjectsSurviveEviction() throws IOException {
        prefetch("'prefix': 'kept/', 'glob': '**'", "'pin': 'P1D'");
        jobs.restart();

        prefetch("'prefix': 'other/'", "'pin': null");

        assertThat(cached()).isEqualTo(OBJECTS);
    }

    @Test
    void unpinnedObjectsAreEvicted() {
        prefetch("'prefix': 'kept/'", "'pin': null");

        prefetch("'prefix': 'other/'", "'pin': null");

        assertThat(cached()).isZero();
    }

    @Test
    void pinsNamesOfTemplate() {
        prefetch("'prefix': 'kept/'", "'pin': null");
        prefetch("'template': 'kept/{5..9}'", "'pin': 'P1D'");

        prefetch("'prefix': 'other/'", "'pin': null");

        assertThat(cached()).isEqualTo(5);
    }

    @Test
    void pinEndsWithItsTimeOrJob() {
        prefetch("'template': 'kept/{0..9}'", "'pin': 'PT0.001S'");
        JobStatus deleted = prefetch("'prefix': 'kept/1'", "'pin': 'P1D'");
        jobs.jobs().delete(JobsFixture.ADMIN, deleted.id()).block(JobsFixture.SOON);

        prefetch("'prefix': 'other/'", "'pin': null");

        assertThat(cached()).isZero();
    }

    @Test
    void identityMayPinWith25Jobs() {
        for (int i = 0; i < 25; i++) {
            jobs.end(jobs.admin("{'kind': 'prefetch', 'from': {'bucket': 'data', 'keys': ['kept/1']}, 'pin': 'P1D'}"));
        }

        assertThatThrownBy(() -> jobs.admin(
                        "{'kind': 'prefetch', 'from': {'bucket': 'data', 'keys': ['kept/1']}, 'pin': 'P1D'}"))
                .isInstanceOf(InvalidJobException.class);
    }

    @Test
    void jobOfAnotherMemberPinsWhileItDoes() {
        prefetch("'prefix': 'kept/'", "'pin': null");
        JobStatus pinning = prefetch("'prefix': 'kept/'", "'pin': 'P1D'");
        JobPin pin = new JobPin("of-another", pinning.submitted(), Optional.of(pinning.request()));
        jobs.jobs().delete(JobsFixture.ADMIN, pinning.id()).block(JobsFixture.SOON);
        jobs.jobs().followPins(List.of(pin)).block(JobsFixture.SOON);

        prefetch("'prefix': 'other/'", "'pin': null");
        assertThat(cached()).isEqualTo(OBJECTS);

        jobs.jobs().followPins(List.of()).block(JobsFixture.SOON);
        prefetch("'prefix': 'other/'", "'pin': null");
        assertThat(cached()).isZero();
    }

    @Test
    void requestsOfPinsAreReturnedAFewAtATime() {
        JobStatus first = prefetch("'keys': ['kept/1']", "'pin': 'P1D'");
        JobStatus second = prefetch("'keys': ['kept/2']", "'pin': 'P1D'");
        JobPin known = new JobPin(first.id(), first.submitted(), Optional.empty());
        JobPin unknown = new JobPin(second.id(), second.submitted(), Optional.empty());

        assertThat(pins(Set.of()))
                .containsExactly(new JobPin(first.id(), first.submitted(), Optional.of(first.request())), unknown);
        assertThat(pins(Set.of(first.id())))
                .containsExactly(known, new JobPin(second.id(), second.submitted(), Optional.of(second.request())));
        assertThat(pins(Set.of(first.id(), second.id()))).containsExactly(known, unknown);
    }

    private List<JobPin> pins(Set<String> known) {
        return Objects.requireNonNull(jobs.jobs().pins(known, 1).block(JobsFixture.SOON));
    }

    private JobStatus prefetch(String selection, String pin) {
        JobStatus ended = jobs.end(
                jobs.admin("{'kind': 'prefetch', 'from': {'bucket': 'data', %s}, %s}".formatted(selection, pin)));
        assertThat(ended.state()).as(ended.message()).isEqualTo(JobState.DONE);
        return ended;
    }

    private long cached() {
        return IntStream.range(0, OBJECTS)
                .mapToObj(number ->
                        jobs.cache().reader().find(id("kept/" + number)).blockOptional(JobsFixture.SOON))
                .filter(head -> head.filter(found -> jobs.cache().inventory().residentBytes(found) == SIZE)
                        .isPresent())
                .count();
    }

    private static ObjectId id(String key) {
        return ObjectId.current("backend-of-data", new ObjectRef(BUCKET, new ObjectKey(key)));
    }

    private void store(String key) {
        objects.store(new ObjectRef(BUCKET, new ObjectKey(key)), new byte[SIZE], HeaderList.EMPTY);
    }
}
