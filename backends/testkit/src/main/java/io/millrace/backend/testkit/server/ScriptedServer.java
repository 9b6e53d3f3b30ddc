package io.millrace.backend.testkit.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that sends the bytes of a script as its response, also what no real server sends, and records the raw
 * requests. One thread a connection; a connection stays open until the script or the client closes it.
 */
public final class ScriptedServer implements AutoCloseable {
    /** Writes the response to one request. */
    public interface ResponseScript {
        void respond(ReceivedRequest request, ServerConnection wire) throws IOException, InterruptedException;
    }

    /**
     * A request as it came.
     *
     * @param number how many came before it, on all connections
     * @param headers names in lower case
     */
    public record ReceivedRequest(int number, String method, String target, Map<String, String> headers) {
        public Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name));
        }

        int contentLength() {
            return Integer.parseInt(header("content-length").orElse("0"));
        }
    }

    /** The connection a request came on. */
    public record ServerConnection(Socket socket, InputStream in) {
        /** Returns this many bytes of the request's body, or those that came before the client closed. */
        public byte[] take(int count) throws IOException {
            return in.readNBytes(count);
        }

        /** Returns the body, of the length that the request's headers state. */
        public byte[] take(ReceivedRequest request) throws IOException {
            return take(request.contentLength());
        }

        /** Returns the request with its whole body, for which it asks a client that waits to be asked. */
        public RecordedRequest whole(ReceivedRequest request) throws IOException {
            if (request.header("expect").isPresent()) {
                head("100 Continue");
            }
            byte[] body = new RequestBodyReader(in).body(request);
            return new RecordedRequest(request.method(), request.target(), request.headers(), body);
        }

        /** Sends a whole response; closes the connection after one that is cut short, or if the client wants that. */
        public void send(RecordedRequest request, PlannedResponse response) throws IOException {
            boolean isHead = request.method().equals("HEAD");
            bytes(response.bytes(isHead));
            boolean isCut = !isHead && response.body().length < response.announced();
            if (isCut
                    || request.header("connection")
                            .filter("close"::equalsIgnoreCase)
                            .isPresent()) {
                close();
            }
        }

        /** Writes a status line and headers, each a line, and the empty line after them. */
        public void head(String status, String... fields) throws IOException {
            text("HTTP/1.1 " + status + "\r\n" + String.join("\r\n", fields) + (fields.length > 0 ? "\r\n" : "")
                    + "\r\n");
        }

        /** Writes a byte for each character. */
        public void text(String text) throws IOException {
            bytes(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        public void bytes(byte[] bytes) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
        }

        /**
         * Lets what follows be sent in a packet of its own. Only time does that: nothing here shows when the client has
         * read.
         */
        public void endPacket() throws InterruptedException {
            Thread.sleep(20);
        }

        /** Writes a whole response with an ETag and a date. */
        public void object(byte[] bytes, String eTag) throws IOException {
            head(
                    "200 OK",
                    "Content-Length: " + bytes.length,
                    "ETag: \"" + eTag + "\"",
                    "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT");
            bytes(bytes);
        }

        public void close() throws IOException {
            socket.close();
        }
    }

    private final ServerSocket listener;
    private final ResponseScript script;
    private final Queue<ReceivedRequest> requests = new ConcurrentLinkedQueue<>();
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    private final AtomicInteger connections = new AtomicInteger();

    private ScriptedServer(ServerSocket listener, ResponseScript script) {
        this.listener = listener;
        this.script = script;
    }

    public static ScriptedServer start(ResponseScript script) throws IOException {
        return start(new ServerSocket(0, 2048, InetAddress.getLoopbackAddress()), script);
    }

    /** Starts a server at a socket that listens already, such as one of TLS. */
    public static ScriptedServer start(ServerSocket listener, ResponseScript script) {
        ScriptedServer origin = new ScriptedServer(listener, script);
        thread(origin::accept);
        return origin;
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    public List<ReceivedRequest> requests() {
        return List.copyOf(requests);
    }

    /** Returns the number of connections that were made. */
    public int connections() {
        return connections.get();
    }

    /** Returns the number of connections that are open on this side. */
    public int openConnections() {
        open.removeIf(Socket::isClosed);
        return open.size();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                connections.incrementAndGet();
                open.add(socket);
                thread(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (String head = head(in); !head.isEmpty() && !socket.isClosed(); head = head(in)) {
                ReceivedRequest request = request(head);
                script.respond(request, new ServerConnection(socket, in));
            }
        } catch (IOException e) {
            // The client has gone, which some tests are about.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ReceivedRequest request(String head) {
        String[] lines = head.split("\r\n", -1);
        String[] line = lines[0].split(" ", 3);
        Map<String, String> headers = new HashMap<>();
        for (int i = 1; !lines[i].isEmpty(); i++) {
            int colon = lines[i].indexOf(':');
            // Fields that came twice show both values.
            headers.merge(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip(),
                    (first, second) -> first + ", " + second);
        }
        synchronized (requests) {
            ReceivedRequest request = new ReceivedRequest(requests.size(), line[0], line[1], headers);
            requests.add(request);
            return request;
        }
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (int last = 0, b = in.read(); b >= 0; b = in.read()) {
            head.write(b);
            last = (last << 8) | b;
            if (last == 0x0D0A0D0A) {
                return head.toString(StandardCharsets.ISO_8859_1);
            }
        }
        return "";
    }

    private static void thread(Runnable task) {
        Thread thread = new Thread(null, task, "scripted-server", 256 << 10);
        thread.setDaemon(true);
        thread.start();
    }
}
