package io.millrace.gateway.s3.server;

import io.millrace.backend.testkit.BufferLeakExtension;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A little of what {@link RequestFuzz} does, the same in every build: enough to see a new crash soon. */
@ExtendWith(BufferLeakExtension.class)
class RequestFuzzTest {
    private static final int INPUTS = 20_000;

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void nothingThatIsSentDoesHarm() throws Exception {
        new Fuzzing().run(INPUTS, 20_000);
    }
}
