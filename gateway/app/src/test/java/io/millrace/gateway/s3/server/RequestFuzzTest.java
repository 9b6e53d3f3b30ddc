package io.millrace.gateway.s3.server;

import io.millrace.backend.testkit.BufferLeakExtension;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs a short {@link RequestFuzz} with a fixed seed in every build, to find new crashes early. */
@ExtendWith(BufferLeakExtension.class)
class RequestFuzzTest {
    private static final int INPUTS = 20_000;

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void nothingThatIsSentDoesHarm() throws Exception {
        new Fuzzing().run(INPUTS, 20_000);
    }
}
