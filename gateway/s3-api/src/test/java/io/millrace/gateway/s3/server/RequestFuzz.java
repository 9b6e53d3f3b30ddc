package io.millrace.gateway.s3.server;

import io.millrace.backend.testkit.BufferLeakExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a million malformed requests. Most known crashes of similar servers came from malformed input; a 500 or a
 * hanging connection is a failure here. To be run by hand:
 *
 * <pre>
 * mvn -B -ntp -Plong -pl gateway/app -am test -Dtest=RequestFuzz \
 *     -Dsurefire.failIfNoSpecifiedTests=false [-Dfuzz.inputs=1000000] [-Dfuzz.seed=1]
 * </pre>
 */
@Tag("long")
@ExtendWith(BufferLeakExtension.class)
class RequestFuzz {
    private static final Logger log = LoggerFactory.getLogger(RequestFuzz.class);

    @Test
    void malformedRequestsDoNoHarm() throws Exception {
        int inputs = Integer.getInteger("fuzz.inputs", 1_000_000);
        long start = System.nanoTime();
        String statuses =
                new Fuzzing().run(inputs, Long.getLong("fuzz.seed", 1)).toString();
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        log.info("{} inputs in {} s, answers by status {}", inputs, seconds, statuses);
    }
}
