package io.millrace.gateway.app;

import io.millrace.gateway.s3.server.S3Server;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the data plane last and stops it first, so that the control plane responds while requests drain. */
final class DataPlaneLifecycle extends PortLifecycle {
    private static final Logger log = LoggerFactory.getLogger(DataPlaneLifecycle.class);

    private final Runnable onStopping;
    private volatile boolean started;

    /** @param onStopping called when the gateway was told to stop, while it still serves */
    DataPlaneLifecycle(S3Server server, String address, Runnable onStopping) {
        super(server, "s3", () -> logPorts(server, address));
        this.onStopping = onStopping;
    }

    private static void logPorts(S3Server server, String address) {
        log.info(
                "Millrace {} serves S3 on {}:{}{}",
                ProgramVersion.text(),
                address,
                server.port(),
                server.isEncrypted() ? " over TLS" : "");
        server.plainPort().ifPresent(port -> log.info("S3 over plain HTTP is on {}:{}", address, port));
    }

    @Override
    public void start() {
        super.start();
        started = true;
    }

    @Override
    public void stop() {
        log.info("Stopping: waiting for requests in flight");
        onStopping.run();
        super.stop();
        log.info("Stopped");
    }

    /** Returns whether S3 has ever been served. */
    boolean hasStarted() {
        return started;
    }
}
