package io.millrace.gateway.s3.server;

import io.millrace.gateway.testkit.RawClient;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends any bytes, then a valid request, and reads until that has a response or the connection is closed. So every
 * input ends, and a server that waits for more bytes is detected by the time limit.
 */
final class FuzzClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final int PEEK = 64;
    private static final Pattern STATUS_LINE = Pattern.compile("\\S+/[0-9]+\\.[0-9]+ ([1-5][0-9][0-9]) ");

    private final int port;
    private final IntConsumer statuses;
    private @Nullable Socket socket;
    private InputStream in = InputStream.nullInputStream();
    private long sent;

    /** @param statuses receives the status of each response */
    FuzzClient(int port, IntConsumer statuses) {
        this.port = port;
        this.statuses = statuses;
    }

    /**
     * Sends one input.
     *
     * @throws IOException if the server neither responds in time nor closes the connection, or its response is not HTTP
     */
    void send(String input) throws IOException {
        Socket open = socket == null ? connect() : socket;
        String mark = "/open/end-" + sent++;
        String end = "\r\n\r\nGET " + mark + " HTTP/1.1\r\nHost: a\r\n\r\n";
        try {
            open.getOutputStream().write((input + end).getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException closedWhileWriting) {
            // There may be a response all the same.
        }
        if (!readUntil("<Resource>" + mark + "</Resource>")) {
            close();
        }
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }

    /** Returns true after a response that contains the text, false if the connection was closed. */
    private boolean readUntil(String mark) throws IOException {
        try {
            for (@Nullable String body = answer(); body != null; body = answer()) {
                if (body.contains(mark)) {
                    return true;
                }
            }
        } catch (SocketException reset) {
            // Closed with unread bytes: a response that was sent before may be lost.
        }
        return false;
    }

    private Socket connect() throws IOException {
        Socket open = new Socket();
        open.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
        open.setSoTimeout(PATIENCE_MILLIS);
        open.setTcpNoDelay(true);
        in = new BufferedInputStream(open.getInputStream());
        socket = open;
        return open;
    }

    /** Returns the body of the next response; null if the connection was closed. */
    private @Nullable String answer() throws IOException {
        @Nullable String status = RawClient.line(in);
        if (status == null) {
            return null;
        }
        Matcher parts = STATUS_LINE.matcher(status);
        if (!parts.lookingAt()) {
            throw new IOException("no status line: " + status);
        }
        int code = Integer.parseInt(parts.group(1));
        statuses.accept(code);
        int length = code == 304 || code < 200 ? 0 : -1;
        for (@Nullable String field = RawClient.line(in);
                field != null && !field.isEmpty();
                field = RawClient.line(in)) {
            if (field.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
                length = Integer.parseInt(field.substring(16));
            }
        }
        if (length < 0) {
            throw new IOException("an answer without its length: " + status);
        }
        return length > 0 && isFollowedByABody() ? new String(in.readNBytes(length), StandardCharsets.ISO_8859_1) : "";
    }

    /**
     * Returns whether the announced body follows: the response to a HEAD has a length but no body. No body here begins
     * like a response.
     */
    private boolean isFollowedByABody() throws IOException {
        in.mark(PEEK);
        byte[] next = new byte[PEEK];
        int length = in.read(next);
        in.reset();
        return length > 0
                && !STATUS_LINE
                        .matcher(new String(next, 0, length, StandardCharsets.ISO_8859_1))
                        .lookingAt();
    }
}
