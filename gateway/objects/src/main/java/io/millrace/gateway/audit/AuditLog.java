package io.millrace.gateway.audit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.MeterName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The audit log: takes events without blocking, and writes each as a line of JSON. Lines reach the operating system within
 * milliseconds, and the disk when the file is renamed or closed. Safe for use by any number of threads.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AuditLog.class);

    /** Some 30 MiB, if all keys are long. Requests in flight find room in its second half. */
    private static final int MOST_WAITING = 16_384;

    private static final int BATCH = 512;
    private static final long RETRY_MILLIS = 1000;
    private static final long CLOSE_MILLIS = 5000;

    /** Escapes all but ASCII, so that no key controls the terminal that shows it. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private final Path path;
    private final AuditFile file;
    private final boolean reads;
    private final boolean refuses;
    private final BlockingQueue<AuditEvent> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final Counter lines;
    private final Counter lost;
    private final Thread writer;
    private volatile boolean failing;
    private volatile boolean closing;

    private AuditLog(Path path, AuditFile file, AuditSettings settings, MeterRegistry registry) {
        this.path = path;
        this.file = file;
        this.reads = settings.reads();
        this.refuses = settings.onFailure() == AuditSettings.OnFailure.REFUSE;
        this.lines = counter(MeterName.AUDIT_LINES, registry);
        this.lost = counter(MeterName.AUDIT_LOST, registry);
        Gauge.builder(MeterName.AUDIT_FAILING.wireName(), this, audit -> audit.failing ? 1 : 0)
                .description(MeterName.AUDIT_FAILING.description())
                .register(registry);
        this.writer = new Thread(this::write, "audit-log");
        writer.setDaemon(true);
    }

    /**
     * Opens the log of these settings, which have a path.
     *
     * @throws IOException if its file cannot be written
     */
    public static AuditLog open(AuditSettings settings, InstantSource clock, MeterRegistry registry)
            throws IOException {
        Path path = settings.path().orElseThrow();
        AuditFile file = new AuditFile(path, settings.rotateAt(), settings.keep(), clock);
        file.append(new byte[0]);
        AuditLog opened = new AuditLog(path, file, settings, registry);
        opened.writer.start();
        return opened;
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
        return failing || waiting.size() > MOST_WAITING / 2;
    }

    /**
     * Takes an event; it is lost, and counted, if too many wait. Denied requests cost a client nothing, so they find room only in the
     * first quarter and cannot make others be refused.
     */
    public void record(AuditEvent event) {
        boolean hasRoom = event.decision() == AuditEvent.Decision.ALLOWED || waiting.size() < MOST_WAITING / 4;
        if (!hasRoom || !waiting.offer(event)) {
            lost.increment();
        }
    }

    /** Writes what waits, for some seconds at most, and closes the file. */
    @Override
    public void close() throws InterruptedException {
        closing = true;
        writer.join(CLOSE_MILLIS);
        if (writer.isAlive()) {
            log.error("The audit log {} could not be written to its end in time: its last lines may be missing", path);
        }
    }

    private void write() {
        List<AuditEvent> batch = new ArrayList<>(BATCH);
        try {
            while (!closing || !waiting.isEmpty()) {
                AuditEvent first = waiting.poll(RETRY_MILLIS / 10, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    waiting.drainTo(batch, BATCH - 1);
                    append(batch);
                    batch.clear();
                }
            }
            file.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            log.error("The audit log {} could not be closed: its last lines may be missing", path, e);
        }
    }

    /** Tries again until the batch is written; meanwhile events wait, and then are lost. */
    private void append(List<AuditEvent> batch) throws InterruptedException {
        byte[] text = text(batch);
        while (true) {
            try {
                file.append(text);
                lines.increment(batch.size());
                if (failing) {
                    log.warn("The audit log {} is written again", path);
                }
                failing = false;
                return;
            } catch (IOException e) {
                failed(e);
                if (closing) {
                    lost.increment(batch.size());
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
            }
        }
    }

    private void failed(IOException e) {
        if (!failing) {
            log.error(
                    "The audit log {} cannot be written ({}). Until it can, {}. Make room, or repair its file system",
                    path,
                    e.toString(),
                    refuses
                            ? "requests that it would record are refused (audit.on-failure: refuse)"
                            : "requests are served, and those that are not recorded are counted (audit.on-failure: drop)");
        }
        failing = true;
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
