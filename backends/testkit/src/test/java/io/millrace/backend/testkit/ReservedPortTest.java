package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class ReservedPortTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void refusesConnections() throws IOException {
        try (ReservedPort port = new ReservedPort()) {
            assertRefused(port);
        }
    }

    @Test
    void serverListensOnItAgainAndAgain() throws IOException {
        try (ReservedPort port = new ReservedPort()) {
            for (int i = 0; i < 2; i++) {
                try (ServerSocket server = new ServerSocket(port.number(), 1, LOOPBACK);
                        Socket client = new Socket(LOOPBACK, port.number())) {
                    assertThat(client.isConnected()).isTrue();
                }
                assertRefused(port);
            }
        }
    }

    private static void assertRefused(ReservedPort port) {
        assertThatThrownBy(() -> new Socket(LOOPBACK, port.number()).close())
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("refused");
    }
}
