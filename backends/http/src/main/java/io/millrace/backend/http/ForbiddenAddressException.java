package io.millrace.backend.http;

import java.net.ConnectException;
import java.net.SocketAddress;

/** Thrown if the address policy forbids a connection. */
public final class ForbiddenAddressException extends ConnectException {
    private static final long serialVersionUID = 1L;

    ForbiddenAddressException(SocketAddress address, String setting) {
        super("its host is at %s, which is not public; to allow it, add its range to %s of the settings file"
                .formatted(address, setting));
    }
}
