package io.millrace.gateway.app;

import io.millrace.gateway.s3.server.S3Server;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import reactor.netty.ChannelBindException;

/** Starts and stops the Hub port. */
final class HubPortLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(HubPortLifecycle.class);

    private final S3Server server;
    private final String address;
    private volatile boolean running;

    /** Reports that the Hub port cannot be bound. */
    static final class PortException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PortException(ChannelBindException cause) {
            super(cause);
        }
    }

    HubPortLifecycle(S3Server server, String address) {
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
        running = true;
        log.info("The Hub port is http://{}:{}: set HF_ENDPOINT of clients to it", address, port());
    }

    @Override
    public void stop() {
        running = false;
        server.stop();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    int port() {
        return server.port();
    }
}
