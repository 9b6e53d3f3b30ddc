package io.millrace.gateway.jobs;

import io.millrace.backend.testkit.server.ScriptedServer;
import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import io.millrace.backend.testkit.server.ScriptedServer.ServerConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A web server with computed pages and injected faults; counts connections. */
public final class TestWebServer implements AutoCloseable {
    private final Map<String, TestPage> pages = new ConcurrentHashMap<>();
    private final Queue<ReceivedRequest> asked = new ConcurrentLinkedQueue<>();
    private final ServerSocket listening;
    private final ScriptedServer server;

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
        server = ScriptedServer.start(listening, this::respond);
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
        return server.connections();
    }

    public List<ReceivedRequest> asked() {
        return List.copyOf(asked);
    }

    public void forget() {
        asked.clear();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void respond(ReceivedRequest request, ServerConnection connection) throws IOException {
        asked.add(request);
        TestPage page = pages.get(request.target().replaceFirst("\\?.*", ""));
        if (page == null) {
            connection.text("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nnone\n");
        } else if (!page.answer(request, connection.socket())) {
            connection.close();
        }
    }
}
