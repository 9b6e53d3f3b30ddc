package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.store.JobCannotContinueException;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/**
 * Tests that a job names the bucket that its backend lacks by both names, where an entry of the settings shows it by
 * another.
 */
class MissingBucketNamerTest {
    @Test
    void bucketOfAnotherNameAtTheBackendIsSaidToHaveOne() {
        assertThat(reason("view", "secret"))
                .contains("backend 'backend' does not have the source bucket 'view', which has another name there:")
                .doesNotContain("secret");
    }

    @Test
    void bucketOfTheSameNameIsNamedOnce() {
        assertThat(reason("same", "same")).contains("backend 'backend' does not have the source bucket 'same':");
    }

    @Test
    void bucketWhoseNameTheServerRefusesIsNamedAsOneThatIsMissing() {
        BackendException refused = new BackendException(FailureKind.INVALID_REQUEST, "400")
                .withS3Error(new BackendException.S3Error(400, "InvalidBucketName", "not valid"));

        assertThat(reason("same", "same", refused)).isEqualTo(reason("same", "same"));
    }

    private static String reason(String name, String there) {
        return reason(name, there, new BackendException(FailureKind.NO_SUCH_BUCKET, "404"));
    }

    private static String reason(String name, String there, BackendException refusal) {
        BucketView bucket = BucketViews.of(name, new InMemoryBackend(Set.of()), there, "");
        BackendException missing = refusal.withBackend("backend");

        Throwable failure = Objects.requireNonNull(catchThrowable(() -> MissingBucketNamer.ofSource(bucket)
                .naming(position -> Flux.error(missing))
                .from(Optional.empty())
                .blockLast()));

        assertThat(failure).isInstanceOf(JobCannotContinueException.class);
        return String.valueOf(failure.getMessage());
    }
}
