package io.millrace.gateway.audit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.kit.file.RotatingFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The audit log: takes events without blocking, and writes each as a line of JSON. Lines reach the operating system
 * within milliseconds, and the disk when the file is renamed or closed. Safe for use by any number of threads.
 */
public final class AuditLog implements AutoCloseable {
    /** Some 60 MiB, if all keys are long. Requests in flight find room in its second half. */
    private static final int MOST_WAITING = AsyncLogWriter.CAPACITY;

    /** Escapes all but ASCII, so that no key controls the terminal that shows it. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private final boolean reads;
    private final boolean refuses;
    private final AsyncLogWriter<AuditEvent> writer;

    private AuditLog(AsyncLogWriter<AuditEvent> writer, AuditSettings settings) {
        this.writer = writer;
        this.reads = settings.reads();
        this.refuses = refuses(settings);
    }

    /**
     * Opens the log of these settings, which have a path.
     *
     * @throws IOException if its file cannot be written
     */
    public static AuditLog open(AuditSettings settings, InstantSource clock, MeterRegistry registry)
            throws IOException {
        Path path = settings.path().orElseThrow();
        AsyncLogWriter.Subject subject = new AsyncLogWriter.Subject(
                "audit-log",
                "The audit log " + path,
                refuses(settings)
                        ? "requests that it would record are refused (audit.on-failure: refuse)"
                        : "requests are served, and those that are not recorded are counted (audit.on-failure: drop)");
        RotatingFile file = new RotatingFile(
                path,
                settings.rotation().rotateAt().bytes(),
                settings.rotation().keep(),
                clock,
                cause -> AsyncLogWriter.warnNotRotated(subject, cause));
        file.append(new byte[0]);
        AsyncLogWriter<AuditEvent> writer = AsyncLogWriter.start(
                subject,
                file,
                AuditLog::text,
                counter(MeterName.AUDIT_LINES, registry),
                counter(MeterName.AUDIT_LOST, registry));
        Gauge.builder(MeterName.AUDIT_FAILING.wireName(), writer, audit -> audit.isFailing() ? 1 : 0)
                .description(MeterName.AUDIT_FAILING.description())
                .register(registry);
        return new AuditLog(writer, settings);
    }

    private static boolean refuses(AuditSettings settings) {
        return settings.onFailure() == AuditSettings.OnFailure.REFUSE;
    }

    private static Counter counter(MeterName name, MeterRegistry registry) {
        return Counter.builder(name.wireName()).description(name.description()).register(registry);
    }

    /** Returns whether reads are recorded. */
    public boolean recordsReads() {
        return reads;
    }

    /** Returns whether requests that would be recorded must be refused, because they could not be. */
    public boolean mustRefuse() {
        return refuses && isFailing();
    }

    /** Returns whether the settings let such requests be refused, rather than lost from the log. */
    public boolean refuses() {
        return refuses;
    }

    /** Returns whether lines cannot be written, or so slowly that half of the events that may wait do. */
    public boolean isFailing() {
        return writer.isFailing() || writer.waiting() > MOST_WAITING / 2;
    }

    /**
     * Takes an event; it is lost, and counted, if too many wait. Denied requests cost a client nothing, so they find
     * room only in the first quarter and cannot make others be refused.
     */
    public void record(AuditEvent event) {
        if (event.decision() == AuditEvent.Decision.DENIED && writer.waiting() >= MOST_WAITING / 4) {
            writer.lose();
        } else {
            writer.write(event);
        }
    }

    /** Writes what waits, for some seconds at most, and closes the file. */
    @Override
    public void close() throws InterruptedException {
        writer.close();
    }

    private static byte[] text(List<AuditEvent> batch) {
        ByteArrayOutputStream text = new ByteArrayOutputStream(batch.size() * 512);
        for (AuditEvent event : batch) {
            text.writeBytes(JSON.writeValueAsBytes(event));
            text.write('\n');
        }
        return text.toByteArray();
    }
}
