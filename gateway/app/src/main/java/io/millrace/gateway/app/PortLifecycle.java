package io.millrace.gateway.app;

import io.millrace.gateway.s3.server.S3Server;
import io.millrace.gateway.s3.server.S3Settings;
import io.netty.channel.EventLoopGroup;
import java.util.stream.IntStream;
import org.springframework.context.SmartLifecycle;
import reactor.netty.ChannelBindException;

/** Starts and stops a port of clients. */
class PortLifecycle implements SmartLifecycle {
    private final S3Server server;
    private final String section;
    private final Runnable onStarted;
    private volatile boolean running;

    /** Reports that a port of clients cannot be bound, unlike one of the control plane. */
    static final class PortException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String section;

        PortException(String section, ChannelBindException cause) {
            super(cause);
            this.section = section;
        }

        /** Returns the section of the settings that names the port. */
        String section() {
            return section;
        }
    }

    /**
     * @param section the section of the settings that names the port
     * @param onStarted called after the port was opened
     */
    PortLifecycle(S3Server server, String section, Runnable onStarted) {
        this.server = server;
        this.section = section;
        this.onStarted = onStarted;
    }

    @Override
    public void start() {
        try {
            server.start();
        } catch (ChannelBindException e) {
            throw new PortException(section, e);
        }
        running = true;
        onStarted.run();
    }

    @Override
    public void stop() {
        running = false;
        server.stop();
    }

    @Override
    public final boolean isRunning() {
        return running;
    }

    /** Sets the limits of connections. */
    final void limitConnections(S3Settings settings) {
        server.limitConnections(settings.maxConnections(), settings.maxConnectionsPerAddress());
    }

    final int port() {
        return server.port();
    }

    /** Returns the section of the settings that names the port. */
    final String section() {
        return section;
    }

    /** Returns the event loops that serve its clients. */
    final EventLoopGroup eventLoops() {
        return server.eventLoops();
    }

    /** Returns its port, and that for plain HTTP beside TLS if there is one. */
    final IntStream ports() {
        return IntStream.concat(IntStream.of(server.port()), server.plainPort().stream());
    }
}
