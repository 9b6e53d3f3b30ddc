package io.millrace.gateway.app;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The same with a thousand objects, of a process that is killed right after a revocation. */
@Timeout(600)
@Tag("slow")
class KilledSeparatedPrincipalsTest extends SeparatedPrincipalsTest {
    KilledSeparatedPrincipalsTest() throws IOException {}

    @Override
    int objects() {
        return 1000;
    }

    @Override
    AutoCloseable start() throws Exception {
        MillraceProcess process = MillraceProcess.run(folder(), Map.of(), "serve", "--config", "millrace.yaml")
                .awaitHealth(adminPort());
        return () -> {
            process.close();
            process.exitCode();
        };
    }
}
