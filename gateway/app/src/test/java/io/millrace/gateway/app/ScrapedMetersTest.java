package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that /metrics of a running gateway has what docs/metrics.md has. */
class ScrapedMetersTest {
    private static final Path PAGE = Path.of("../../docs/metrics.md");

    /** Those of TLS, audit and access log, prices, active jobs, schedules and a cluster, which this one lacks. */
    private static final Set<MeterName> ELSEWHERE = Set.of(
            MeterName.CLUSTER_READY,
            MeterName.CLUSTER_MEMBERS,
            MeterName.CLUSTER_LEASES_HELD,
            MeterName.CLUSTER_LEASES_LOST,
            MeterName.CLUSTER_MISSED_BUCKETS,
            MeterName.CLUSTER_ANNOUNCE,
            MeterName.CLUSTER_WRITES_WAITED,
            MeterName.CLUSTER_READS_WITHOUT_LEASE,
            MeterName.CLUSTER_RELAYED_READS,
            MeterName.CLUSTER_FALLBACKS,
            MeterName.CLUSTER_COPIED_BYTES,
            MeterName.TRANSFORM_CALL,
            MeterName.TRANSFORM_INPUT,
            MeterName.TRANSFORM_OUTPUT,
            MeterName.TRANSFORM_FAILING,
            MeterName.TLS_EXPIRY,
            MeterName.TLS_RELOAD_FAILING,
            MeterName.ACCESS_LOG_FAILING,
            MeterName.ACCESS_LOG_LINES,
            MeterName.ACCESS_LOG_LOST,
            MeterName.AUDIT_FAILING,
            MeterName.AUDIT_LINES,
            MeterName.AUDIT_LOST,
            MeterName.SAVED_MONEY,
            MeterName.JOB_SCHEDULE_TIMES,
            MeterName.JOB_WEBHOOK_MESSAGES,
            MeterName.JOB_AGE,
            MeterName.JOB_PROGRESS);

    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
    private static final Pattern SAMPLE = Pattern.compile("([a-z0-9_]+)(?:\\{(.*)\\})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

    /** A meter of the process, on the page. */
    private static final Pattern OF_THE_PROCESS = Pattern.compile("(?m)^- `(\\w+)`$");

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

    private static Set<String> expected() throws IOException {
        Stream<String> own = Arrays.stream(MeterName.values())
                .filter(meter -> !ELSEWHERE.contains(meter))
                .map(meter -> "%s %s%s"
                        .formatted(
                                meter.kind().name().toLowerCase(Locale.ROOT),
                                meter.prometheusName(),
                                new TreeSet<>(meter.labels())));
        Stream<String> ofTheProcess = OF_THE_PROCESS
                .matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group(1))
                .filter(name -> !name.startsWith("jvm_gc_"));
        return Stream.concat(own, ofTheProcess).collect(Collectors.toCollection(TreeSet::new));
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
