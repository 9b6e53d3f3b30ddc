package io.millrace.gateway.jobs.fetch;

import java.net.ConnectException;
import java.net.SocketAddress;

/** Nobody connects to this address. */
final class ForbiddenAddressException extends ConnectException {
    private static final long serialVersionUID = 1L;

    ForbiddenAddressException(SocketAddress address) {
        super(("its host is at %s, which is not public; if that is meant, its range belongs into"
                        + " downloads.private-addresses of the operator's file")
                .formatted(address));
    }
}
