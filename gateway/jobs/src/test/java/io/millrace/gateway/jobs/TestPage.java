package io.millrace.gateway.jobs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A page of a {@link TestWebServer}; tests change it between and during requests. */
public final class TestPage {
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]+)-([0-9]*)");
    private static final int PIECE = 64 << 10;

    private final String name;
    private final Map<String, String> headers = new ConcurrentHashMap<>();
    private final Queue<String> heads = new ConcurrentLinkedQueue<>();
    private final Queue<Long> cuts = new ConcurrentLinkedQueue<>();
    private final AtomicLong sent = new AtomicLong();
    private final long size;
    private volatile long declared = -1;
    private final AtomicInteger version = new AtomicInteger(1);
    private volatile boolean ranges = true;
    private volatile boolean chunked;
    private volatile boolean endless;
    private volatile boolean silent;
    private volatile boolean deaf;
    private volatile long longestRange = Long.MAX_VALUE;
    private final AtomicInteger missing = new AtomicInteger();
    private volatile long pauseMillis;
    private volatile String before = "";
    private volatile long heldAt = Long.MAX_VALUE;
    private final CountDownLatch released = new CountDownLatch(1);

    TestPage(String name, long size) {
        this.name = name;
        this.size = size;
        headers.put("ETag", "\"v1\"");
    }

    /** Changes the bytes and the ETag. */
    public synchronized TestPage change() {
        return header("ETag", "\"v" + version.incrementAndGet() + "\"");
    }

    public TestPage header(String field, @Nullable String value) {
        if (value == null) {
            headers.remove(field);
        } else {
            headers.put(field, value);
        }
        return this;
    }

    /** Answers the next request with this response and no page. */
    public TestPage head(String statusAndFields) {
        heads.add(statusAndFields);
        return this;
    }

    /** Cuts another request after this many bytes of its body. */
    public TestPage cut(long bytes) {
        cuts.add(bytes);
        return this;
    }

    /** Sets the length in the response headers. */
    public TestPage declare(long bytes) {
        declared = bytes;
        return this;
    }

    public TestPage withoutRanges() {
        ranges = false;
        return this;
    }

    /** Sends ranges without checking {@code If-Range}. */
    public TestPage deafToIfRange() {
        deaf = true;
        return this;
    }

    /** Sends at most this much of a range. */
    public TestPage longestRange(long bytes) {
        longestRange = bytes;
        return this;
    }

    /** Sends the next range shorter than its headers say, but with a complete body. */
    public TestPage missingInARange(int bytes) {
        missing.set(bytes);
        return this;
    }

    public TestPage chunked() {
        chunked = true;
        return this;
    }

    /** Sends neither chunks nor a length. */
    public TestPage untilItCloses() {
        endless = true;
        return this;
    }

    /** Stalls in the middle of the body. */
    public TestPage silent() {
        silent = true;
        return this;
    }

    /** Sets the delay between two buffers of 64 KiB. */
    public TestPage pause(long millis) {
        pauseMillis = millis;
        return this;
    }

    /** Sends no more once it has sent this much, until {@link #release}. */
    public TestPage holdAfter(long bytes) {
        heldAt = bytes;
        return this;
    }

    public void release() {
        heldAt = Long.MAX_VALUE;
        released.countDown();
    }

    /** Sends this before the headers of each response. */
    public TestPage before(String bytes) {
        before = bytes;
        return this;
    }

    /** Returns the bytes of bodies sent so far. */
    public long sent() {
        return sent.get();
    }

    /** Returns the current content. */
    public byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        feed(all::writeBytes);
        return all.toByteArray();
    }

    /** Returns the current content in buffers. */
    public void feed(Consumer<byte[]> taker) {
        for (long at = 0; at < size; at += PIECE) {
            taker.accept(piece(version.get(), at, (int) Math.min(PIECE, size - at)));
        }
    }

    /** Responds; returns true if the connection stays open. */
    boolean answer(ReceivedRequest request, Socket socket) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(before.getBytes(ISO_8859_1));
        int now = version.get();
        String head = heads.poll();
        if (head != null) {
            out.write(("HTTP/1.1 " + head + "\r\nContent-Length: 0\r\n\r\n").getBytes(ISO_8859_1));
            return true;
        }
        String tag = headers.getOrDefault("ETag", "none");
        if (request.header("if-none-match").equals(Optional.of(tag))) {
            out.write(("HTTP/1.1 304 Not Modified\r\nETag: " + tag + "\r\n\r\n").getBytes(ISO_8859_1));
            return true;
        }
        Matcher range = RANGE.matcher(request.header("range").orElse(""));
        boolean isUnchanged = request.header("if-range")
                .map(validator -> validator.equals(tag) || validator.equals(headers.get("Last-Modified")))
                .orElse(true);
        boolean partial = ranges && range.matches() && (deaf || isUnchanged);
        long first = partial ? Long.parseLong(range.group(1)) : 0;
        long requested =
                partial && !range.group(2).isEmpty() ? Math.min(size, Long.parseLong(range.group(2)) + 1) : size;
        long end = partial ? Math.min(requested, first + Math.min(size, longestRange)) : requested;
        int left = partial ? missing.getAndSet(0) : 0;
        out.write(text(partial, first, end, left).getBytes(ISO_8859_1));
        return body(now, first, end - left, out, socket);
    }

    private String text(boolean partial, long first, long end, int left) {
        StringBuilder text = new StringBuilder(partial ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n");
        headers.forEach((field, value) -> text.append("%s: %s\r\n".formatted(field, value)));
        if (ranges) {
            text.append("Accept-Ranges: bytes\r\n");
        }
        if (partial) {
            text.append("Content-Range: bytes %d-%d/%d\r\n".formatted(first, end - 1, size));
        }
        if (chunked) {
            text.append("Transfer-Encoding: chunked\r\n");
        } else if (!endless) {
            text.append("Content-Length: %d\r\n".formatted(declared >= 0 ? declared : end - left - first));
        }
        return text.append("\r\n").toString();
    }

    private boolean body(int now, long first, long end, OutputStream out, Socket socket) throws IOException {
        Long cut = cuts.poll();
        long until = cut == null ? end : Math.min(end, first + cut);
        for (long at = first; at < until; at += PIECE) {
            if (sent.get() >= heldAt) {
                awaitRelease();
            }
            int bytes = (int) Math.min(PIECE, until - at);
            byte[] piece = piece(now, at, bytes);
            if (chunked) {
                out.write((Integer.toHexString(bytes) + "\r\n").getBytes(ISO_8859_1));
            }
            out.write(piece);
            if (chunked) {
                out.write("\r\n".getBytes(ISO_8859_1));
            }
            sent.addAndGet(bytes);
            sleep(pauseMillis);
        }
        out.flush();
        if (silent) {
            sleep(20_000);
        }
        if (cut != null || endless || declared >= 0) {
            return false;
        }
        if (chunked) {
            out.write("0\r\n\r\n".getBytes(ISO_8859_1));
        }
        return !socket.isClosed();
    }

    /** Returns a byte that depends on page, version and offset. */
    private byte[] piece(int now, long at, int length) {
        byte[] piece = new byte[length];
        int seed = 31 * name.hashCode() + now;
        for (int i = 0; i < length; i++) {
            long place = at + i;
            piece[i] = (byte) (place * 7 + (place >>> 13) * 31 + seed);
        }
        return piece;
    }

    private void awaitRelease() {
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The duration of a fault: a server that is slow, or silent. */
    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
