package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.netty.channel.AbortedException;

/** Verifies that faults of the gateway are not counted as client disconnects, where nobody would notice them. */
class FailureAttributionTest {
    @Test
    void closedConnectionsAreClientFailures() {
        assertThat(List.of(
                        new ClientDisconnectedException(),
                        new AbortedException("aborted"),
                        new ClosedChannelException(),
                        new IOException("Broken pipe"),
                        new IOException("sendfile(..) failed: Connection reset by peer"),
                        new IOException("writev(..) failed: Connection timed out")))
                .allMatch(ClientDisconnectedException::isCauseOf);
    }

    @Test
    void diskAndProgramFailuresAreNotClientFailures() {
        assertThat(List.of(
                        new IOException("sendfile(..) failed: Input/output error"),
                        new IOException("Region size mismatched"),
                        new IllegalStateException("a fault"),
                        new OutOfMemoryError("direct memory"),
                        new BackendException(BackendException.FailureKind.UNAVAILABLE, "down")))
                .noneMatch(ClientDisconnectedException::isCauseOf);
    }
}
