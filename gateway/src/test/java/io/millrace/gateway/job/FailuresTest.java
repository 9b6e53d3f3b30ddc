package io.millrace.gateway.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.cache.disk.DiskUnavailableException;
import io.millrace.cache.fill.NotCachedException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Failures are read by whoever submitted the job, who need not know where a backend is. */
class FailuresTest {
    private static final String SECRET = "backend 'far' (http://10.1.2.3:9000): GET real-bucket/train/a: no connection";

    @ParameterizedTest
    @EnumSource(Kind.class)
    void noFailureTellsWhereTheBackendIs(Kind kind) {
        BackendException failure = new BackendException(kind, SECRET);

        assertThat(Failures.text(failure)).startsWith(kind + ", ").doesNotContain("10.1.2.3", "real-bucket");
        assertThat(Failures.ofTheJob(failure).orElse("")).doesNotContain("10.1.2.3", "real-bucket");
    }

    @Test
    void aDiskThatCannotBeReadEndsTheJobThatGoesOverIt() {
        assertThat(Failures.ofTheJob(new DiskUnavailableException(Path.of("/mnt/nvme1/cache"))))
                .hasValueSatisfying(
                        text -> assertThat(text).startsWith("the cache folder /mnt/nvme1/cache cannot be read"));
    }

    @Test
    void whyAnObjectIsNotCachedIsToldAsItIs() {
        NotCachedException ruled = NotCachedException.ever("it is not cached, by a rule of its bucket in the file");
        NotCachedException full = NotCachedException.now("no disk of the cache takes it");

        assertThat(Failures.text(ruled)).isEqualTo("it is not cached, by a rule of its bucket in the file");
        assertThat(Failures.text(full)).isEqualTo("no disk of the cache takes it");
        assertThat(Failures.isPassing(ruled)).isFalse();
        assertThat(Failures.isPassing(full)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"CREDENTIALS_REJECTED", "ACCESS_DENIED", "UNAVAILABLE", "NO_SUCH_BUCKET"})
    void theBackendIsNamedAndWhoseTurnItIs(Kind kind) {
        assertThat(Failures.text(new BackendException(kind, SECRET).from("far")))
                .contains("backend 'far'", "operator");
    }

    /** Every further object would fail in the same way. */
    @Test
    void rejectedCredentialsEndTheJob() {
        assertThat(Failures.ofTheJob(new BackendException(Kind.CREDENTIALS_REJECTED, SECRET)))
                .isPresent();
        assertThat(Failures.ofTheJob(new BackendException(Kind.ACCESS_DENIED, SECRET)))
                .isEmpty();
    }

    @Test
    void aMissingObjectIsToldAsS3Does() {
        assertThat(Failures.text(new BackendException(Kind.NO_SUCH_KEY, SECRET)))
                .isEqualTo("NO_SUCH_KEY, NoSuchKey: The specified key does not exist.");
    }
}
