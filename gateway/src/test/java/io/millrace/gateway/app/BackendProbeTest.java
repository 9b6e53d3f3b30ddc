package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operators act on this line: a key that may read and no more must not send them after a broken backend. */
class BackendProbeTest {
    private static final String TRIED = "list its buckets (ListBuckets)";

    @ParameterizedTest
    @EnumSource(Kind.class)
    void onlyARefusalLeavesHopeForReads(Kind kind) {
        String verdict = BackendProbe.verdict("far", TRIED, new BackendException(kind, "403 AccessDenied"));

        assertThat(verdict).contains("'far'", TRIED, "403 AccessDenied");
        assertThat(verdict.contains("reads still work")).isEqualTo(kind == Kind.ACCESS_DENIED);
        assertThat(verdict.contains("does not answer as it should")).isEqualTo(kind != Kind.ACCESS_DENIED);
    }
}
