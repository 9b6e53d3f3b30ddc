package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.GeneratedPage;
import io.millrace.gateway.objects.monitor.MeterName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that docs/metrics.md has the meters of the code, and that dashboards, alerts and the runbook ask for nothing
 * else.
 */
class MetricsPageTest {
    private static final Path ROOT = Path.of("../..");
    private static final Path PAGE = ROOT.resolve("docs/metrics.md");
    private static final String GENERATED = "<!-- From here on written by .ci/pages. -->\n";

    /** Sections of the page, by the beginning of the names in them. */
    private static final Map<String, List<String>> SECTIONS = sections();

    /** What Micrometer and the process add. Those of collections appear with the first one. */
    private static final List<String> OF_THE_PROCESS = List.of(
            "process_start_time_seconds",
            "process_uptime_seconds",
            "process_cpu_seconds_total",
            "process_cpu_usage",
            "process_open_fds",
            "process_max_fds",
            "process_resident_memory_bytes",
            "system_cpus",
            "system_cpu_usage",
            "system_load_average_1m",
            "jvm_memory_used_bytes",
            "jvm_memory_committed_bytes",
            "jvm_memory_max_bytes",
            "jvm_buffers",
            "jvm_buffer_memory_used_bytes",
            "jvm_buffer_total_capacity_bytes",
            "jvm_threads_live",
            "jvm_threads_daemon",
            "jvm_threads_peak",
            "jvm_threads_states",
            "jvm_threads_started_total",
            "jvm_gc_pause_seconds",
            "jvm_gc_concurrent_phase_time_seconds",
            "jvm_gc_live_data_size_bytes",
            "jvm_gc_max_data_size_bytes",
            "jvm_gc_memory_allocated_bytes_total",
            "jvm_gc_memory_promoted_bytes_total");

    private static final Pattern NAME = Pattern.compile("\\b(?:millrace|process|system|jvm)_[a-z0-9_]+");

    private static Map<String, List<String>> sections() {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        sections.put("Requests", List.of("millrace_s3_", "millrace_event_"));
        sections.put("Buckets and identities", List.of("millrace_bucket_", "millrace_identity_"));
        sections.put("Backends", List.of("millrace_backend_"));
        sections.put("Cache", List.of("millrace_cache_", "millrace_saved_"));
        sections.put("Disks and metadata", List.of("millrace_disk_", "millrace_metadata_"));
        sections.put("Archives of derived buckets", List.of("millrace_archive_"));
        sections.put("Transforms of derived buckets", List.of("millrace_transform_"));
        sections.put("Cluster", List.of("millrace_cluster_"));
        sections.put("Jobs", List.of("millrace_jobs", "millrace_job_"));
        sections.put(
                "Settings, certificates, logs, build",
                List.of(
                        "millrace_settings_",
                        "millrace_tls_",
                        "millrace_access_",
                        "millrace_audit_",
                        "millrace_build_"));
        return sections;
    }

    @Test
    void pageIsWhatTheCodeSays() throws IOException {
        GeneratedPage.check(PAGE, page -> page.substring(0, page.indexOf(GENERATED) + GENERATED.length()) + tables());
    }

    private static String tables() {
        StringBuilder text = new StringBuilder();
        SECTIONS.forEach((title, beginnings) -> {
            text.append("\n## %s\n\n| meter | kind | |\n|---|---|---|\n".formatted(title));
            for (MeterName meter : MeterName.values()) {
                if (beginnings.stream().anyMatch(meter.prometheusName()::startsWith)) {
                    String labels = meter.labels().isEmpty() ? "" : "{" + String.join(",", meter.labels()) + "}";
                    text.append("| `%s%s` | %s | %s |\n"
                            .formatted(
                                    meter.prometheusName(),
                                    labels,
                                    meter.kind().name().toLowerCase(Locale.ROOT),
                                    meter.description()));
                }
            }
        });
        text.append("\n## Process and Java\n\n");
        OF_THE_PROCESS.forEach(name -> text.append("- `").append(name).append("`\n"));
        return text.toString();
    }

    @Test
    void everyMeterIsInASection() {
        assertThat(MeterName.values())
                .allSatisfy(meter -> assertThat(SECTIONS.values().stream()
                                .flatMap(List::stream)
                                .filter(meter.prometheusName()::startsWith))
                        .hasSize(1));
    }

    @Test
    void dashboardsAlertsAndPagesNameOnlyMetersOfThePage() throws IOException {
        Set<String> known = Stream.concat(
                        Arrays.stream(MeterName.values()).map(MeterName::prometheusName), OF_THE_PROCESS.stream())
                .flatMap(name -> name.endsWith("_seconds")
                        ? Stream.of(name, name + "_bucket", name + "_count", name + "_sum", name + "_max")
                        : Stream.of(name))
                .collect(Collectors.toSet());
        try (Stream<Path> dashboards = Files.list(ROOT.resolve("charts/millrace/files/dashboards"))) {
            List<Path> files = Stream.concat(
                            dashboards,
                            Stream.of("charts/millrace/files/rules.yaml", ".ci/chart/rules_test.yaml")
                                    .map(ROOT::resolve))
                    .toList();
            for (Path file : files) {
                Set<String> named = NAME.matcher(Files.readString(file))
                        .results()
                        .map(MatchResult::group)
                        .filter(name -> !known.contains(name))
                        .collect(Collectors.toSet());
                assertThat(named)
                        .as("what %s names and docs/metrics.md has not", file)
                        .isEmpty();
            }
        }
    }
}
