package io.millrace.gateway.cluster;

import io.millrace.kit.async.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A way over which members reach one of them, and that a test can cut: then connections stay, and nothing comes. */
final class PeerRelay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile int target;
    private volatile boolean cut;

    PeerRelay() throws IOException {
        DaemonThreads.start("relay", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Sets the port that is reached; 0 for none. */
    void target(int port) {
        target = port;
        closeAll();
    }

    /** Loses all bytes, or no longer; who waited for those that were lost finds the connection closed. */
    void cut(boolean isCut) {
        cut = isCut;
        if (!isCut) {
            closeAll();
        }
    }

    private void closeAll() {
        open.forEach(PeerRelay::close);
        open.removeIf(Socket::isClosed);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        closeAll();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket near = listener.accept();
                open.add(near);
                connect(near);
            } catch (IOException e) {
                // This connection, or the relay, is closed.
            }
        }
    }

    private void connect(Socket near) throws IOException {
        Socket far = new Socket();
        open.add(far);
        try {
            far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        } catch (IOException | IllegalArgumentException nobody) {
            close(near);
            close(far);
            return;
        }
        DaemonThreads.start("relay-to", () -> copy(near, far));
        DaemonThreads.start("relay-back", () -> copy(far, near));
    }

    private void copy(Socket from, Socket to) {
        byte[] buffer = new byte[16 << 10];
        try {
            for (int read = from.getInputStream().read(buffer);
                    read >= 0;
                    read = from.getInputStream().read(buffer)) {
                if (!cut) {
                    to.getOutputStream().write(buffer, 0, read);
                }
            }
        } catch (IOException e) {
            // One of the two is closed.
        } finally {
            close(from);
            close(to);
        }
    }

    private static void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed then.
        }
    }
}
