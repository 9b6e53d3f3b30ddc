package io.millrace.gateway.app.command;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** Checks whether another member of the cluster accepts connections. */
final class MemberCheck {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private MemberCheck() {}

    /** Checks a member. Blocks for some seconds at most. */
    static Diagnosis run(String name, InetSocketAddress listed) {
        String subject = "cluster member " + name;
        String place = "%s:%d".formatted(listed.getHostString(), listed.getPort());
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(listed.getHostString(), listed.getPort()), (int) PATIENCE.toMillis());
            return Diagnosis.ok(subject, place + " accepts connections");
        } catch (IOException e) {
            return Diagnosis.warning(
                    subject,
                    "%s does not accept connections (%s)".formatted(place, e.getMessage()),
                    "start it, or correct its entry in cluster.members, or open the port in firewalls between the two");
        }
    }
}
