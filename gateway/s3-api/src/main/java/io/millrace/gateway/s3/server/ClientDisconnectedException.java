package io.millrace.gateway.s3.server;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;
import reactor.netty.channel.AbortedException;

/**
 * Signals that the client closed the connection before its response was complete. Without a stack trace, because it is
 * no fault.
 */
final class ClientDisconnectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClientDisconnectedException() {
        super("the client closed the connection", null, false, false);
    }

    /**
     * Returns whether the client caused the failure of a read or write. A disk can cause one too, if the kernel sends
     * from a file. A client that vanished shows as a timeout.
     */
    static boolean isCauseOf(Throwable failure) {
        boolean vanished = failure instanceof IOException
                && String.valueOf(failure.getMessage()).contains("timed out");
        return failure instanceof ClientDisconnectedException
                || failure instanceof AbortedException
                || failure instanceof ClosedChannelException
                || failure instanceof SSLException
                || vanished
                || AbortedException.isConnectionReset(failure);
    }
}
