package io.millrace.gateway.app;

import io.millrace.gateway.app.settings.ProgramVersion;
import io.millrace.gateway.s3.server.S3Server;
import io.millrace.gateway.s3.server.S3Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import reactor.netty.ChannelBindException;

/** Starts the data plane last and stops it first, so that the control plane responds while requests drain. */
final class DataPlaneLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(DataPlaneLifecycle.class);

    private final S3Server server;
    private final String address;
    private volatile boolean running;
    private volatile boolean started;

    /**
     * Reports that the data plane's port cannot be bound. It is a type of its own to distinguish the failure from one
     * of the control plane's port.
     */
    static final class PortException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PortException(ChannelBindException cause) {
            super(cause);
        }
    }

    DataPlaneLifecycle(S3Server server, String address) {
        this.server = server;
        this.address = address;
    }

    @Override
    public void start() {
        try {
            server.start();
        } catch (ChannelBindException e) {
            throw new PortException(e);
        }
        started = true;
        running = true;
        log.info(
                "Millrace {} serves S3 on {}:{}{}",
                ProgramVersion.text(),
                address,
                port(),
                server.isEncrypted() ? " over TLS" : "");
        server.plainPort().ifPresent(port -> log.info("S3 over plain HTTP is on {}:{}", address, port));
    }

    @Override
    public void stop() {
        running = false;
        log.info("Stopping: waiting for requests in flight");
        server.stop();
        log.info("Stopped");
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Returns whether S3 has ever been served. */
    boolean hasStarted() {
        return started;
    }

    /** Sets the limits of connections. */
    void limitConnections(S3Settings settings) {
        server.limitConnections(settings.maxConnections(), settings.maxConnectionsPerAddress());
    }

    int port() {
        return server.port();
    }
}
