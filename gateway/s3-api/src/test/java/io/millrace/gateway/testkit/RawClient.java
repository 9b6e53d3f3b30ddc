package io.millrace.gateway.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A client that sends whatever bytes it is given, and reads one answer at a time. */
public final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    /** Opens connections to one port. */
    @FunctionalInterface
    public interface Connector {
        RawClient connect() throws IOException;
    }

    /** An answer: its HTTP version, status, fields by lower-case name, and body, one char a byte. */
    public record Response(String version, int status, Map<String, String> headers, String body) {
        public byte[] bytes() {
            return body.getBytes(StandardCharsets.ISO_8859_1);
        }

        public String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        /** The text of an element of S3's XML; empty if there is none. */
        public String element(String name) {
            String text = text();
            int start = text.indexOf("<" + name + ">");
            int end = text.indexOf("</" + name + ">");
            return start < 0 || end < 0 ? "" : text.substring(start + name.length() + 2, end);
        }
    }

    public RawClient(int port) throws IOException {
        this(open(port));
    }

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** A client that speaks TLS and trusts any certificate. */
    public static RawClient overTls(int port) throws IOException {
        SSLSocket encrypted = (SSLSocket)
                TlsClient.context(null).getSocketFactory().createSocket(open(port), "127.0.0.1", port, true);
        encrypted.startHandshake();
        return new RawClient(encrypted);
    }

    private static Socket open(int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 60_000);
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** One request on a connection of its own. */
    public static Response ask(int port, String head) throws IOException {
        try (RawClient client = new RawClient(port)) {
            return client.send(head);
        }
    }

    /** Sends text, one char a byte, and reads the answer to it. */
    public Response send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        return read(!bytes.startsWith("HEAD "));
    }

    /** Whether the server has closed the connection. */
    public boolean isClosedByServer() throws IOException {
        return in.read() < 0;
    }

    /** What the server sends next, without waiting for an end. */
    public InputStream in() {
        return in;
    }

    /** Reads at least so many bytes, 64 KiB at a time with a pause after each, as only a slow client does. */
    public void readSlowly(int bytes, Duration pause) throws IOException, InterruptedException {
        for (int read = 0; read < bytes; ) {
            int piece = in.readNBytes(64 * 1024).length;
            if (piece == 0) {
                throw new EOFException("ended after %d bytes".formatted(read));
            }
            read += piece;
            Thread.sleep(pause.toMillis());
        }
    }

    public Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private Response read(boolean withBody) throws IOException {
        @Nullable String line = line(in);
        if (line == null) {
            throw new IOException("the connection was closed without an answer");
        }
        int status = Integer.parseInt(line.substring(9, 12));
        Map<String, String> headers = new LinkedHashMap<>();
        for (String field = line(in); field != null && !field.isEmpty(); field = line(in)) {
            int colon = field.indexOf(':');
            headers.put(
                    field.substring(0, colon).toLowerCase(Locale.ROOT),
                    field.substring(colon + 1).strip());
        }
        String length = headers.getOrDefault("content-length", "0");
        byte[] body = withBody && status != 304 ? in.readNBytes(Integer.parseInt(length)) : new byte[0];
        return new Response(line.substring(0, 8), status, headers, new String(body, StandardCharsets.ISO_8859_1));
    }

    /** Reads a line of a head without its end; null at the end of the connection. */
    public static @Nullable String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }
}
