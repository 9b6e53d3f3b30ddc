package io.millrace.gateway.s3.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.audit.AsyncLogWriter;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.kit.file.LineTarget;
import io.millrace.kit.file.RotatingFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The access log: takes entries without blocking, and writes each as a line to a file or to standard output. What
 * cannot be written is lost and counted. Safe for use by any number of threads.
 */
public final class AccessLog implements AutoCloseable {
    private final AsyncLogWriter<AccessLogEntry> writer;

    private AccessLog(AsyncLogWriter<AccessLogEntry> writer) {
        this.writer = writer;
    }

    /**
     * Opens the log of these settings.
     *
     * @throws IOException if its file cannot be written
     */
    public static AccessLog open(AccessLogSettings settings, InstantSource clock, MeterRegistry registry)
            throws IOException {
        Optional<Path> file = settings.file();
        LineTarget target = file.isPresent()
                ? new RotatingFile(
                        file.get(),
                        settings.rotation().rotateAt().bytes(),
                        settings.rotation().keep(),
                        clock,
                        cause -> AsyncLogWriter.warnNotRotated(subject(settings), cause))
                : new StandardOutput();
        target.append(new byte[0]);
        return open(settings, target, registry);
    }

    static AccessLog open(AccessLogSettings settings, LineTarget target, MeterRegistry registry) {
        AsyncLogWriter<AccessLogEntry> writer = AsyncLogWriter.start(
                subject(settings),
                target,
                entries -> AccessLogFormat.lines(settings.format(), entries),
                counter(MeterName.ACCESS_LOG_LINES, registry),
                counter(MeterName.ACCESS_LOG_LOST, registry));
        Gauge.builder(MeterName.ACCESS_LOG_FAILING.wireName(), writer, log -> log.isFailing() ? 1 : 0)
                .description(MeterName.ACCESS_LOG_FAILING.description())
                .register(registry);
        return new AccessLog(writer);
    }

    private static AsyncLogWriter.Subject subject(AccessLogSettings settings) {
        return new AsyncLogWriter.Subject(
                "access-log",
                "The access log " + settings.file().map(Path::toString).orElse("on standard output"),
                "requests are served, and those that find no room in memory are not in it");
    }

    private static Counter counter(MeterName name, MeterRegistry registry) {
        return Counter.builder(name.wireName()).description(name.description()).register(registry);
    }

    /** Takes an entry; it is lost, and counted, if too many wait. */
    void record(AccessLogEntry entry) {
        writer.write(entry);
    }

    /** Writes what waits, for some seconds at most, and closes the file. */
    @Override
    public void close() throws InterruptedException {
        writer.close();
    }

    /**
     * Standard output. A line of the other log never comes between two of a call: both hold the stream while they
     * write.
     */
    private static final class StandardOutput implements LineTarget {
        @Override
        public void append(byte[] lines) {
            System.out.write(lines, 0, lines.length);
            System.out.flush();
        }

        @Override
        public void close() {
            System.out.flush();
        }
    }
}
