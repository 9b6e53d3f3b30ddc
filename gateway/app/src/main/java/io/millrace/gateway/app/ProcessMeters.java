package io.millrace.gateway.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.millrace.gateway.objects.monitor.MeterName;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The meters of the process: its version, start, CPU time, file descriptors and resident memory. */
final class ProcessMeters implements MeterBinder {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final double NANOS = 1e9;

    @Override
    public void bindTo(MeterRegistry registry) {
        registry.config().meterFilter(new ConventionalNames());
        new UptimeMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        FunctionCounter.builder(
                        "process.cpu.seconds", ManagementFactory.getOperatingSystemMXBean(), ProcessMeters::cpuSeconds)
                .description("CPU time of the process")
                .register(registry);
        Gauge.builder("process.resident.memory.bytes", ProcessMeters::residentBytes)
                .description("Resident memory of the process in bytes; NaN where there is no /proc")
                .register(registry);
        Gauge.builder(MeterName.BUILD.wireName(), () -> 1)
                .description(MeterName.BUILD.description())
                .tag("version", ProgramVersion.text())
                .tag("java", System.getProperty("java.version", ""))
                .register(registry);
    }

    private static double cpuSeconds(OperatingSystemMXBean system) {
        return system instanceof com.sun.management.OperatingSystemMXBean sun
                ? sun.getProcessCpuTime() / NANOS
                : Double.NaN;
    }

    /**
     * Gives meters of Micrometer the names that Prometheus' own clients use, and no unit twice; only a histogram's may
     * end in count.
     */
    private static final class ConventionalNames implements MeterFilter {
        private static final Map<String, String> NAMES = Map.of(
                "process.files.open", "process.open.fds",
                "process.files.max", "process.max.fds",
                "system.cpu.count", "system.cpus",
                "jvm.buffer.count", "jvm.buffers");

        /** Of counts, which have none; the names say what is counted. */
        private static final Set<String> UNITS = Set.of("threads", "buffers", "files");

        @Override
        public Meter.Id map(Meter.Id id) {
            Meter.Id named = id.withName(NAMES.getOrDefault(id.getName(), id.getName()));
            return named.getBaseUnit() != null && UNITS.contains(named.getBaseUnit())
                    ? named.withBaseUnit(null)
                    : named;
        }

        @Override
        public MeterFilterReply accept(Meter.Id id) {
            // In nanoseconds; process_cpu_seconds_total has it.
            return id.getName().equals("process.cpu.time") ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
        }
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
