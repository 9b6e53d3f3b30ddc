package io.millrace.gateway.app.command;

import io.millrace.gateway.cli.ControlPortProbe;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Checks whether a port is free, or whose it is. */
final class PortCheck {
    private static final String HEALTH = "/health";

    private PortCheck() {}

    /**
     * Checks a port. Blocks for some seconds at most.
     *
     * @param subject the key of the settings
     * @param controlPort tells whether a Millrace runs
     */
    static Diagnosis run(String subject, String address, int port, ControlPortProbe controlPort) {
        if (port == 0) {
            return Diagnosis.ok(subject, "0: the system chooses a free one");
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, port));
            return Diagnosis.ok(subject, "%s:%d is free".formatted(address, port));
        } catch (IOException e) {
            String taken = "%s:%d cannot be listened on (%s)".formatted(address, port, e.getMessage());
            return isMillrace(controlPort)
                    ? Diagnosis.ok(subject, "%s:%d is the running Millrace's".formatted(address, port))
                    : Diagnosis.problem(
                            subject,
                            taken + ", and no Millrace answers at " + controlPort,
                            "stop the program that has the port, or write another one; if it is a Millrace that wants a"
                                    + " client certificate, name one with --client-cert and --client-key");
        }
    }

    private static boolean isMillrace(ControlPortProbe controlPort) {
        try {
            return controlPort.status(HEALTH) == 200;
        } catch (IOException e) {
            return false;
        }
    }
}
