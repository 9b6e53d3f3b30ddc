package io.millrace.gateway.s3.server;

import io.millrace.backend.testkit.BufferLeakExtension;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a short {@link RequestFuzz} with a fixed seed in every build and a longer one in the matrix, to find new crashes
 * early.
 */
@ExtendWith(BufferLeakExtension.class)
class RequestFuzzTest {
    private static final int SEED = 20_000;

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void malformedRequestsDoNoHarm() throws Exception {
        new Fuzzing().run(5_000, SEED);
    }

    @Test
    @Tag("matrix")
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void moreMalformedRequestsDoNoHarm() throws Exception {
        new Fuzzing().run(20_000, SEED + 100);
    }
}
