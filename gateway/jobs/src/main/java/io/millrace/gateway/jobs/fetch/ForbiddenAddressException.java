package io.millrace.gateway.jobs.fetch;

import java.net.ConnectException;
import java.net.SocketAddress;

/** Thrown if the address policy forbids a connection of a download. */
final class ForbiddenAddressException extends ConnectException {
    private static final long serialVersionUID = 1L;

    ForbiddenAddressException(SocketAddress address) {
        super(("its host is at %s, which is not public; to allow it, add its range to"
                        + " downloads.allowed-private-addresses of the operator's file")
                .formatted(address));
    }
}
