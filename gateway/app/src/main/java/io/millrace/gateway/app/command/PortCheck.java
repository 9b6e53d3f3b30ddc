package io.millrace.gateway.app.command;

import io.millrace.gateway.app.DataFolder;
import io.millrace.gateway.cli.ControlPortProbe;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Checks whether a port is free, or is that of the Millrace which uses the data folder of the settings. */
final class PortCheck {
    private static final String HEALTH = "/health";
    private static final String REMEDY = "stop the program that has the port, or write another one";

    private final Path data;
    private final Optional<Set<Integer>> own;
    private final ControlPortProbe controlPort;

    /**
     * @param data tells which ports a running Millrace has, if this user may read it
     * @param controlPort tells otherwise whether one runs
     */
    PortCheck(Path data, ControlPortProbe controlPort) {
        this.data = data;
        this.own = DataFolder.portsOfUser(data);
        this.controlPort = controlPort;
    }

    /**
     * Checks a port. Blocks for some seconds at most.
     *
     * @param subject the key of the settings
     */
    Diagnosis run(String subject, String address, int port) {
        if (port == 0) {
            return Diagnosis.ok(subject, "0: the system chooses a free one");
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, port));
            return Diagnosis.ok(subject, "%s:%d is free".formatted(address, port));
        } catch (IOException e) {
            String taken = "%s:%d cannot be listened on (%s)".formatted(address, port, e.getMessage());
            return own.map(ports -> ports.contains(port)).orElseGet(this::isMillrace)
                    ? Diagnosis.ok(subject, "%s:%d is the running Millrace's".formatted(address, port))
                    : taken(subject, taken);
        }
    }

    private Diagnosis taken(String subject, String taken) {
        if (own.isEmpty()) {
            return Diagnosis.problem(
                    subject,
                    taken + ", and no Millrace answers at " + controlPort,
                    REMEDY + "; if it is a Millrace that wants a client certificate, name one with --client-cert and"
                            + " --client-key");
        }
        if (!own.get().isEmpty()) {
            return Diagnosis.problem(
                    subject,
                    "%s, and is not the running Millrace's, which has %s".formatted(taken, new TreeSet<>(own.get())),
                    REMEDY);
        }
        // Locks of some remote file systems are not seen by other machines and containers.
        return isMillrace()
                ? Diagnosis.warning(
                        subject,
                        "%s, and the Millrace that answers at %s does not hold the lock of the data folder %s"
                                .formatted(taken, controlPort, data),
                        "if it is not the one of these settings, write another port")
                : Diagnosis.problem(subject, "%s, and no Millrace answers at %s".formatted(taken, controlPort), REMEDY);
    }

    private boolean isMillrace() {
        try {
            return controlPort.status(HEALTH) == 200;
        } catch (IOException e) {
            return false;
        }
    }
}
