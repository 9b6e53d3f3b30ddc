package io.millrace.loadgen;

import io.millrace.config.DataSize;
import io.millrace.loadgen.client.KeyOrder;
import io.millrace.loadgen.client.ObjectCatalog;
import io.millrace.loadgen.client.OutgoingRequest;
import io.millrace.loadgen.client.S3Connection;
import io.millrace.loadgen.client.S3ConnectionFactory;
import io.millrace.loadgen.client.SmallResponse;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Checks whether a run's generated objects exist at the endpoint, and creates the phases that upload them before the
 * run and delete them after it.
 */
final class ObjectSetupAndCleanup {
    private static final int CONNECTIONS = 16;
    private static final int SAMPLES = 10;

    private ObjectSetupAndCleanup() {}

    /**
     * Returns whether some objects are missing, judged by a sample that includes the first and the last. Blocks.
     *
     * @throws IOException if the endpoint cannot be reached
     */
    static boolean isNeeded(S3ConnectionFactory connections, ObjectCatalog objects)
            throws IOException, InterruptedException {
        S3Connection connection = connections.create();
        try {
            long last = objects.count() - 1;
            for (int i = 0; i < SAMPLES; i++) {
                OutgoingRequest head = OutgoingRequest.of(
                        HttpMethod.HEAD, objects.get(last * i / (SAMPLES - 1)).key(), "", Map.of());
                if (!SmallResponse.of(connection, head).isSuccess()) {
                    return true;
                }
            }
            return false;
        } finally {
            connection.schedule(connection::close, 0);
        }
    }

    /**
     * Returns a phase that runs one operation on each object.
     *
     * @param operations {@code put}, {@code multipart} or {@code delete}
     */
    static PhaseSettings phase(String name, String operations) {
        return new PhaseSettings(
                name,
                OperationMix.parse(operations),
                KeyOrder.SEQUENTIAL,
                CONNECTIONS,
                Optional.empty(),
                Optional.of(OperationCount.parse("1x")),
                Duration.ZERO,
                Optional.empty(),
                DataSize.ofKibibytes(64),
                DataSize.ofMebibytes(16),
                false,
                false);
    }
}
