package io.millrace.gateway.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** An HTTP proxy on the loopback that knows CONNECT and basic authentication. Each name it is given is this machine. */
public final class ConnectProxy implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Queue<String> connects = new ConcurrentLinkedQueue<>();
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    private final String authorization;

    /** @param user its user and password, joined by a colon; empty if it asks for none */
    public ConnectProxy(String user) throws IOException {
        authorization = user.isEmpty() ? "" : "Basic " + Base64.getEncoder().encodeToString(user.getBytes(ISO_8859_1));
        start(this::accept);
    }

    public String url() {
        return "http://localhost:" + listening.getLocalPort();
    }

    /** Returns the targets of all tunnels that were opened, {@code host:port}. */
    public List<String> tunnels() {
        return List.copyOf(connects);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                open.add(client);
                start(() -> serve(client));
            }
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    private void serve(Socket client) {
        try {
            List<String> head = head(client.getInputStream());
            String[] request = head.get(0).split(" ", -1);
            if (!request[0].equals("CONNECT")) {
                respond(client, "405 Method Not Allowed");
                client.close();
            } else if (!authorization.isEmpty()
                    && head.stream()
                            .noneMatch(line -> line.equalsIgnoreCase("proxy-authorization: " + authorization))) {
                respond(client, "407 Proxy Authentication Required");
                client.close();
            } else {
                tunnel(client, request[1]);
            }
        } catch (IOException gone) {
            // The peer sees it.
        }
    }

    private void tunnel(Socket client, String target) throws IOException {
        Socket server = new Socket(
                InetAddress.getLoopbackAddress(), Integer.parseInt(target.substring(target.lastIndexOf(':') + 1)));
        open.add(server);
        connects.add(target);
        respond(client, "200 Connection established");
        start(() -> pump(server, client));
        pump(client, server);
    }

    private static void pump(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException gone) {
            // Both are closed.
        }
    }

    private static void respond(Socket client, String status) throws IOException {
        client.getOutputStream()
                .write("HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n"
                        .formatted(status)
                        .replace("Content-Length: 0\r\n", status.startsWith("2") ? "" : "Content-Length: 0\r\n")
                        .getBytes(ISO_8859_1));
    }

    private static List<String> head(InputStream in) throws IOException {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        while (true) {
            int read = in.read();
            if (read < 0) {
                throw new IOException("no request");
            }
            if (read != '\n') {
                line.append((char) read);
                continue;
            }
            @Nullable String text = line.toString().strip();
            if (text.isEmpty()) {
                return lines;
            }
            lines.add(text);
            line.setLength(0);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "connect-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
