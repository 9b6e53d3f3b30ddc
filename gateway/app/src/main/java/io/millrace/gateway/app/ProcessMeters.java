package io.millrace.gateway.app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.millrace.gateway.app.settings.ProgramVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The meters of the process: its version, start, CPU time, file descriptors and resident memory. */
final class ProcessMeters implements MeterBinder {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";

    @Override
    public void bindTo(MeterRegistry registry) {
        new UptimeMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        Gauge.builder("process.resident.memory.bytes", ProcessMeters::residentBytes)
                .description("Resident memory of the process in bytes; NaN where there is no /proc")
                .register(registry);
        Gauge.builder("millrace.build.info", () -> 1)
                .description("Always 1; its labels are the versions of the program and of Java")
                .tag("version", ProgramVersion.text())
                .tag("java", System.getProperty("java.version", ""))
                .register(registry);
    }

    /** Reads a file of the kernel, which never waits for a disk. */
    private static double residentBytes() {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(RESIDENT))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN;
        }
    }
}
