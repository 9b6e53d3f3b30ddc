package io.millrace.backend.testkit.server;

import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads the body of a request, of a stated length or in chunks. */
final class RequestBodyReader {
    private final InputStream in;

    RequestBodyReader(InputStream in) {
        this.in = in;
    }

    /** Returns the whole body; fails if the client closes the connection before its end. */
    byte[] body(ReceivedRequest request) throws IOException {
        if (request.header("transfer-encoding").isEmpty()) {
            return exactly(request.contentLength());
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            body.writeBytes(exactly(size));
            line();
        }
        for (String trailer = line(); !trailer.isEmpty(); trailer = line()) {
            // Nobody asks for trailers.
        }
        return body.toByteArray();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(line().replaceFirst(";.*", ""), 16);
    }

    private byte[] exactly(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the client has gone");
        }
        return bytes;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the client has gone");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.ISO_8859_1).strip();
    }
}
