package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.cache.disk.DiskUnavailableException;
import io.millrace.cache.fill.UncacheableObjectException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Failures are shown to owners of jobs, who must not learn the address of a backend. */
class FailureClassifierTest {
    private static final String SECRET = "backend 'far' (http://10.1.2.3:9000): GET real-bucket/train/a: no connection";

    @ParameterizedTest
    @EnumSource(FailureKind.class)
    void failuresHideBackendAddress(FailureKind kind) {
        BackendException failure = new BackendException(kind, SECRET);

        assertThat(FailureClassifier.text(failure)).isNotEmpty().doesNotContain("10.1.2.3", "real-bucket");
        assertThat(FailureClassifier.ofTheJob(failure).orElse("")).doesNotContain("10.1.2.3", "real-bucket");
    }

    @Test
    void unavailableDiskFailsTheJob() {
        assertThat(FailureClassifier.ofTheJob(new DiskUnavailableException(Path.of("/mnt/nvme1/cache"))))
                .hasValueSatisfying(
                        text -> assertThat(text).startsWith("the cache folder /mnt/nvme1/cache cannot be read"));
    }

    @Test
    void uncacheableReasonIsReported() {
        UncacheableObjectException ruled =
                UncacheableObjectException.permanentFailure("it is not cached, by a rule of its bucket in the file");
        UncacheableObjectException full = UncacheableObjectException.transientFailure("no disk of the cache takes it");

        assertThat(FailureClassifier.text(ruled)).isEqualTo("it is not cached, by a rule of its bucket in the file");
        assertThat(FailureClassifier.text(full)).isEqualTo("no disk of the cache takes it");
        assertThat(FailureClassifier.isPassing(ruled)).isFalse();
        assertThat(FailureClassifier.isPassing(full)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureKind.class,
            names = {"CREDENTIALS_REJECTED", "ACCESS_DENIED", "UNAVAILABLE", "NO_SUCH_BUCKET"})
    void failureNamesBackendAndOperator(FailureKind kind) {
        assertThat(FailureClassifier.text(new BackendException(kind, SECRET).withBackend("far")))
                .contains("backend 'far'", "operator")
                .doesNotContain(kind.name());
    }

    /** Every further object would fail in the same way. */
    @Test
    void rejectedCredentialsFailTheJob() {
        assertThat(FailureClassifier.ofTheJob(new BackendException(FailureKind.CREDENTIALS_REJECTED, SECRET)))
                .isPresent();
        assertThat(FailureClassifier.ofTheJob(new BackendException(FailureKind.ACCESS_DENIED, SECRET)))
                .isEmpty();
    }

    @Test
    void missingObjectHasS3Code() {
        assertThat(FailureClassifier.text(new BackendException(FailureKind.NO_SUCH_KEY, SECRET)))
                .isEqualTo("NoSuchKey: The specified key does not exist.");
    }
}
