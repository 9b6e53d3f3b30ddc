package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.GeneratedPage;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.objects.monitor.MeterName;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that docs/metrics.md has what /metrics has, and that dashboards, alerts and the runbook ask for nothing else.
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

    /** Those that an instance without TLS, audit and access log, prices, active jobs and a cluster does not have. */
    private static final Set<MeterName> ELSEWHERE = Set.of(
            MeterName.CLUSTER_READY,
            MeterName.CLUSTER_MEMBERS,
            MeterName.CLUSTER_LEASES_HELD,
            MeterName.CLUSTER_LEASES_LOST,
            MeterName.CLUSTER_MISSED_BUCKETS,
            MeterName.CLUSTER_ANNOUNCE,
            MeterName.CLUSTER_WRITES_WAITED,
            MeterName.CLUSTER_READS_WITHOUT_LEASE,
            MeterName.TLS_EXPIRY,
            MeterName.TLS_RELOAD_FAILING,
            MeterName.ACCESS_LOG_FAILING,
            MeterName.ACCESS_LOG_LINES,
            MeterName.ACCESS_LOG_LOST,
            MeterName.AUDIT_FAILING,
            MeterName.AUDIT_LINES,
            MeterName.AUDIT_LOST,
            MeterName.SAVED_MONEY,
            MeterName.JOB_AGE,
            MeterName.JOB_PROGRESS);

    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
    private static final Pattern SAMPLE = Pattern.compile("([a-z0-9_]+)(?:\\{(.*)\\})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");
    private static final Pattern NAME = Pattern.compile("\\b(?:millrace|process|system|jvm)_[a-z0-9_]+");

    private static Map<String, List<String>> sections() {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        sections.put("Requests", List.of("millrace_s3_", "millrace_event_"));
        sections.put("Buckets and identities", List.of("millrace_bucket_", "millrace_identity_"));
        sections.put("Backends", List.of("millrace_backend_"));
        sections.put("Cache", List.of("millrace_cache_", "millrace_saved_"));
        sections.put("Disks and metadata", List.of("millrace_disk_", "millrace_metadata_"));
        sections.put("Archives of derived buckets", List.of("millrace_archive_"));
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
    void metricsAreThoseOfThePage(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(
                folder,
                "{ name: data, backend: local, anonymous: \"read,list\", quota: 100MiB }, { name: other, backend: local"
                        + " }",
                "",
                Map.of("MILLRACE_ADMIN_METRICS_BY_IDENTITY", "true"))) {
            get(server, "/data/o-00");
            get(server, "/data/o-00");
            get(server, "/data/none");
            String job = server.post(ADMIN, API + "/jobs", "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"}}")
                    .field("id");
            server.awaitEnd(job);
            List<String> samples = List.of(
                    "millrace_bucket_requests_total{bucket=\"data\",outcome=\"ok\"} 2.0",
                    "millrace_bucket_requests_total{bucket=\"data\",outcome=\"client_error\"} 1.0",
                    "millrace_bucket_cache_requests_total{bucket=\"data\",result=\"hit\"} 1.0",
                    "millrace_bucket_first_byte_seconds_count{bucket=\"data\"}",
                    "millrace_identity_requests_total{identity=\"anonymous\",outcome=\"ok\"} 2.0",
                    "millrace_identity_cache_requests_total{identity=\"anonymous\",result=\"hit\"} 1.0",
                    "millrace_identity_first_byte_seconds_count{identity=\"anonymous\"}",
                    "millrace_s3_errors_total{code=\"NoSuchKey\",operation=\"GetObject\",status=\"404\"} 1.0",
                    "millrace_backend_up{backend=\"local\"} 1.0",
                    "millrace_bucket_state{backend=\"local\",bucket=\"other\",state=\"answers\"} 1.0");

            // Requests are counted after their responses, and the first scrape begins the checks of backends.
            Polling.within(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(scrape(server)).contains(samples));
            assertThat(shown(scrape(server))).isEqualTo(expected());
        }
    }

    /** Returns "kind name{labels}" of all families, as far as the page has to have them. */
    private static Set<String> shown(String text) {
        Map<String, String> kinds = new HashMap<>();
        Map<String, Set<String>> labels = new TreeMap<>();
        for (String line : text.lines().toList()) {
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (type.matches()) {
                kinds.put(type.group(1), type.group(2));
            } else if (sample.matches()) {
                String family = family(sample.group(1), kinds);
                Set<String> own = labels.computeIfAbsent(family, absent -> new TreeSet<>());
                LABEL.matcher(String.valueOf(sample.group(2)))
                        .results()
                        .map(found -> found.group(1))
                        .filter(label -> !label.equals("le"))
                        .forEach(own::add);
            }
        }
        return labels.keySet().stream()
                .filter(name -> !name.endsWith("_max") && !name.startsWith("jvm_gc_"))
                .map(name -> name.startsWith("millrace_") ? kinds.get(name) + " " + name + labels.get(name) : name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String family(String name, Map<String, String> kinds) {
        return kinds.containsKey(name) ? name : name.replaceFirst("_(bucket|count|sum)$", "");
    }

    private static Set<String> expected() {
        Stream<String> own = Arrays.stream(MeterName.values())
                .filter(meter -> !ELSEWHERE.contains(meter))
                .map(meter -> "%s %s%s"
                        .formatted(
                                meter.kind().name().toLowerCase(Locale.ROOT),
                                meter.prometheusName(),
                                new TreeSet<>(meter.labels())));
        return Stream.concat(own, OF_THE_PROCESS.stream().filter(name -> !name.startsWith("jvm_gc_")))
                .collect(Collectors.toCollection(TreeSet::new));
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

    private static void get(ApiServer server, String path) throws Exception {
        ApiServer.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.s3Port() + path))
                .build());
    }

    private static String scrape(ApiServer server) throws Exception {
        return ApiServer.send(HttpRequest.newBuilder(server.uri("/metrics")).build())
                .text();
    }
}
