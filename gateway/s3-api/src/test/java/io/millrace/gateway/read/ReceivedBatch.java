package io.millrace.gateway.read;

import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The response to a batch, as far as it came.
 *
 * @param isWhole whether its end came
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ReceivedBatch(int status, Map<String, String> headers, byte[] body, boolean isWhole) {
    /**
     * An entry of the tar.
     *
     * @param code why the item could not be had; null for one that is there
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Entry(String name, byte[] content, @Nullable String code) {}

    /** Asks for a batch, and reads its response. */
    static ReceivedBatch of(SigningClient caller, String bucket, String json) throws IOException {
        return of(caller, bucket, json, Map.of());
    }

    /** Asks for a batch with further headers, and reads its response. */
    static ReceivedBatch of(SigningClient caller, String bucket, String json, Map<String, String> headers)
            throws IOException {
        try (RawClient connection = caller.connector().connect()) {
            send(caller, connection, bucket, json, headers);
            return read(connection.in());
        }
    }

    /** Asks for a batch on a connection. */
    static void send(SigningClient caller, RawClient connection, String bucket, String json) throws IOException {
        send(caller, connection, bucket, json, Map.of());
    }

    private static void send(
            SigningClient caller, RawClient connection, String bucket, String json, Map<String, String> headers)
            throws IOException {
        byte[] document = json.getBytes(StandardCharsets.UTF_8);
        Map<String, String> all = new HashMap<>(headers);
        all.put("content-length", Integer.toString(document.length));
        String head = caller.request("POST", "/" + bucket + "?batch", all);
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(document);
        connection.socket().getOutputStream().write(request.toByteArray());
    }

    /** Reads the response on a connection. */
    static ReceivedBatch read(InputStream in) throws IOException {
        int status = Integer.parseInt(line(in).substring(9, 12));
        Map<String, String> headers = new HashMap<>();
        for (String field = line(in); !field.isEmpty(); field = line(in)) {
            int colon = field.indexOf(':');
            headers.put(
                    field.substring(0, colon).toLowerCase(Locale.ROOT),
                    field.substring(colon + 1).strip());
        }
        String length = headers.get("content-length");
        if (length != null) {
            return new ReceivedBatch(status, headers, in.readNBytes(Integer.parseInt(length)), true);
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        boolean isWhole = readChunks(in, body);
        return new ReceivedBatch(status, headers, body.toByteArray(), isWhole);
    }

    /** Returns whether the last chunk came. */
    private static boolean readChunks(InputStream in, ByteArrayOutputStream body) throws IOException {
        try {
            while (true) {
                String size = RawClient.line(in);
                if (size == null || size.isEmpty()) {
                    return false;
                }
                int bytes = Integer.parseInt(size, 16);
                byte[] chunk = in.readNBytes(bytes);
                body.writeBytes(chunk);
                String end = RawClient.line(in);
                if (bytes == 0 || chunk.length < bytes || end == null) {
                    return bytes == 0 && end != null;
                }
            }
        } catch (SocketException reset) {
            return false;
        }
    }

    private static String line(InputStream in) throws IOException {
        return Objects.requireNonNull(RawClient.line(in), "the connection was closed within the head");
    }

    /** Returns a record of the PAX header of each entry, empty for one without. */
    List<String> records(String key) throws IOException {
        List<String> records = new ArrayList<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ByteArrayInputStream(body), "UTF-8")) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                records.add(Objects.requireNonNullElse(entry.getExtraPaxHeader(key), ""));
            }
        }
        return records;
    }

    /** Returns the entries of the tar, all of which must be there. */
    List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ByteArrayInputStream(body), "UTF-8")) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                byte[] content = tar.readAllBytes();
                if (content.length != entry.getSize() || !entry.isFile()) {
                    throw new IOException("no whole file: " + entry.getName());
                }
                entries.add(new Entry(entry.getName(), content, entry.getExtraPaxHeader("MILLRACE.code")));
            }
        }
        return entries;
    }

    /** Returns an element of an error. */
    String element(String name) {
        return new RawClient.Response("HTTP/1.1", status, headers, new String(body, StandardCharsets.ISO_8859_1))
                .element(name);
    }
}
