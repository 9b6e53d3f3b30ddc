package io.millrace.backend.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/**
 * A port of the loopback address that no other process is given until it is closed. Connections to it are refused. A
 * server may listen on it repeatedly: the bound socket, which does not listen, only keeps the port out of the kernel's
 * automatic choice.
 */
public final class ReservedPort implements AutoCloseable {
    private final Socket bound = new Socket();

    public ReservedPort() throws IOException {
        bound.setReuseAddress(true);
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    public int number() {
        return bound.getLocalPort();
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + number());
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
