package io.millrace.backend.testkit.server;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A response that a server of a test sends. That to a HEAD has no body, but its length, or the {@code Content-Length}
 * among the headers.
 *
 * @param announced the length in its head, which only a test makes differ from that of the body; -1 for a body in
 *     chunks
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record PlannedResponse(int status, List<Map.Entry<String, String>> headers, byte[] body, long announced) {
    /** Returns a response without a body. */
    public static PlannedResponse of(int status, String... namesAndValues) {
        return of(status, new byte[0], namesAndValues);
    }

    public static PlannedResponse of(int status, byte[] body, String... namesAndValues) {
        PlannedResponse response = new PlannedResponse(status, List.of(), body, body.length);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            response = response.with(namesAndValues[i], namesAndValues[i + 1]);
        }
        return response;
    }

    public static PlannedResponse text(int status, String text) {
        return of(status, text.getBytes(StandardCharsets.UTF_8));
    }

    public static PlannedResponse json(int status, String json) {
        return text(status, json).with("Content-Type", "application/json");
    }

    /** Returns this response with a header of that name, and no other one. */
    public PlannedResponse with(String name, String value) {
        return without(name).plus(name, value);
    }

    /** Returns this response with another header. */
    public PlannedResponse plus(String name, String value) {
        List<Map.Entry<String, String>> more = new ArrayList<>(headers);
        more.add(Map.entry(name, value));
        return new PlannedResponse(status, more, body, announced);
    }

    public PlannedResponse without(String name) {
        List<Map.Entry<String, String>> rest = headers.stream()
                .filter(header -> !header.getKey().equalsIgnoreCase(name))
                .toList();
        return new PlannedResponse(status, rest, body, announced);
    }

    public PlannedResponse withBody(byte[] other) {
        return new PlannedResponse(status, headers, other, other.length);
    }

    /** Announces another length than that of the body. */
    public PlannedResponse announcing(long bytes) {
        return new PlannedResponse(status, headers, body, bytes);
    }

    /** Sends fewer bytes than it announces, and closes the connection. */
    public PlannedResponse cutTo(int length) {
        return new PlannedResponse(status, headers, Arrays.copyOf(body, length), announced);
    }

    /** Returns the bytes that are sent, with the framing that {@code announced} says. */
    byte[] bytes(boolean isToHead) {
        boolean hasBody = !isToHead && status != 204 && status != 304;
        boolean isChunked = hasBody && announced < 0;
        boolean isFramed = headers.stream().anyMatch(header -> header.getKey().equalsIgnoreCase("Content-Length"));
        PlannedResponse framed = this;
        if (isChunked) {
            framed = without("Content-Length").with("Transfer-Encoding", "chunked");
        } else if (hasBody || (isToHead && announced >= 0 && !isFramed)) {
            framed = with("Content-Length", String.valueOf(announced));
        }
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " \r\n");
        framed.headers().forEach(header -> head.append(header.getKey() + ": " + header.getValue() + "\r\n"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        if (hasBody) {
            bytes.writeBytes(isChunked ? chunked() : body);
        }
        return bytes.toByteArray();
    }

    private byte[] chunked() {
        ByteArrayOutputStream chunks = new ByteArrayOutputStream();
        if (body.length > 0) {
            chunks.writeBytes((Integer.toHexString(body.length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            chunks.writeBytes(body);
            chunks.writeBytes("\r\n".getBytes(StandardCharsets.ISO_8859_1));
        }
        chunks.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        return chunks.toByteArray();
    }
}
