package io.millrace.gateway.jobs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A web server with computed pages and injected faults; counts connections. */
public final class TestWebServer implements AutoCloseable {
    private final ServerSocket listening;
    private final Map<String, TestPage> pages = new ConcurrentHashMap<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final Queue<ReceivedRequest> asked = new ConcurrentLinkedQueue<>();
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();

    /** A received request. */
    public record ReceivedRequest(String method, String target, Map<String, String> headers) {
        public @Nullable String header(String name) {
            return headers.get(name);
        }
    }

    /** Listens on 127.0.0.1. */
    public TestWebServer() throws IOException {
        this(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }

    public TestWebServer(InetAddress address) throws IOException {
        this(new ServerSocket(), address);
    }

    /** Uses the given socket, for example one with TLS. */
    TestWebServer(ServerSocket socket, InetAddress address) throws IOException {
        listening = socket;
        listening.bind(new InetSocketAddress(address, 0), 500);
        Thread thread = new Thread(this::accept, "web");
        thread.setDaemon(true);
        thread.start();
    }

    public int port() {
        return listening.getLocalPort();
    }

    public String url(String target) {
        return "http://127.0.0.1:" + port() + target;
    }

    /** Creates a page. */
    public TestPage page(String path, long size) {
        TestPage page = new TestPage(path, size);
        pages.put(path, page);
        return page;
    }

    public void remove(String path) {
        pages.remove(path);
    }

    /** Returns the number of connections so far. */
    public int accepted() {
        return accepted.get();
    }

    public List<ReceivedRequest> asked() {
        return List.copyOf(asked);
    }

    public void forget() {
        asked.clear();
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
                Socket socket = listening.accept();
                accepted.incrementAndGet();
                open.add(socket);
                Thread thread = new Thread(() -> serve(socket), "web-connection");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            ReceivedRequest request = read(in);
            while (request != null) {
                asked.add(request);
                String path = request.target().replaceFirst("\\?.*", "");
                TestPage page = pages.get(path);
                if (page == null) {
                    out.write("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nnone\n".getBytes(ISO_8859_1));
                } else if (!page.answer(request, out, socket)) {
                    return;
                }
                out.flush();
                request = read(in);
            }
        } catch (IOException gone) {
            // The client has disconnected.
        }
    }

    private static @Nullable ReceivedRequest read(InputStream in) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            lines.add(line);
        }
        if (lines.isEmpty()) {
            return null;
        }
        String[] first = lines.get(0).split(" ", 3);
        Map<String, String> headers = new TreeMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new ReceivedRequest(first[0], first[1], headers);
    }

    private static @Nullable String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int c = in.read();
        while (c >= 0 && c != '\n') {
            if (c != '\r') {
                line.write(c);
            }
            c = in.read();
        }
        return c < 0 ? null : line.toString(ISO_8859_1);
    }
}
