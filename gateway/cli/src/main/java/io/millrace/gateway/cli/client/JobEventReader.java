package io.millrace.gateway.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.gateway.cli.text.JsonCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the server-sent events of a job. Blocks until the next event; not thread-safe.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">Server-sent events</a>
 */
public final class JobEventReader implements AutoCloseable {
    private final BufferedReader lines;

    JobEventReader(InputStream in) {
        this.lines = new BufferedReader(new InputStreamReader(in, UTF_8));
    }

    /** An event: the state of the job, or empty for a heartbeat. */
    public record Event(Optional<JobSnapshot> job) {}

    /** Returns the next event; empty when the server has ended the stream. */
    public Optional<Event> next() throws IOException {
        StringBuilder data = new StringBuilder();
        String name = "";
        @Nullable String line;
        while ((line = lines.readLine()) != null) {
            if (line.isEmpty()) {
                if (name.equals("job") && !data.isEmpty()) {
                    return Optional.of(new Event(Optional.of(job(data.toString()))));
                }
                data.setLength(0);
                name = "";
            } else if (line.startsWith(":")) {
                return Optional.of(new Event(Optional.empty()));
            } else if (line.startsWith("event:")) {
                name = value(line);
            } else if (line.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n").append(value(line));
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }

    private static JobSnapshot job(String data) throws IOException {
        try {
            return new JobSnapshot(JsonCodec.readObject(data));
        } catch (IllegalArgumentException e) {
            throw new IOException("an event is no job", e);
        }
    }

    private static String value(String line) {
        String value = line.substring(line.indexOf(':') + 1);
        return value.startsWith(" ") ? value.substring(1) : value;
    }
}
