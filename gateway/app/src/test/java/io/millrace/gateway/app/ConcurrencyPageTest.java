package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that docs/concurrency.md has each thread of a running gateway, and that those it calls permanent are there. */
class ConcurrencyPageTest {
    private static final Path ROOT = Path.of("../..");

    /** A row of a table: its first cell and its last. */
    private static final Pattern ROW = Pattern.compile("\\| (`[^|]+`) \\|.*\\| ([^|]+) \\|");

    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\b[A-Z]+\\b");

    /** A thread that has its whole name from a literal. */
    private static final Pattern STARTED =
            Pattern.compile("DaemonThreads\\s*\\.(?:create|start|single|timer)\\(\\s*\"([^\"]+)\"\\s*[,)]");

    /** The beginning of the names of a pool's threads: the numbers of the pool and of the thread follow. */
    private static final Pattern NUMBERED = Pattern.compile("DefaultThreadFactory\\(\\s*\"([^\"]+)\"\\s*,");

    /**
     * A thread as the page has it.
     *
     * @param isPermanent whether every gateway with a cache disk has it after a request and a job
     */
    private record PageThread(String name, Pattern pattern, boolean isPermanent) {
        static PageThread of(String name, boolean isPermanent) {
            StringBuilder pattern = new StringBuilder();
            Matcher placeholder = PLACEHOLDER.matcher(name);
            int end = 0;
            while (placeholder.find()) {
                pattern.append(Pattern.quote(name.substring(end, placeholder.start())))
                        .append(placeholder.group().equals("N") ? "\\d+" : ".+");
                end = placeholder.end();
            }
            pattern.append(Pattern.quote(name.substring(end)));
            return new PageThread(name, Pattern.compile(pattern.toString()), isPermanent);
        }

        boolean matches(String thread) {
            return pattern.matcher(thread).matches();
        }
    }

    @Test
    void threadsOfARunningGatewayAreThoseOfThePage(@TempDir Path folder) throws Exception {
        List<PageThread> page = page();
        // Those of JUnit, and what other tests have left.
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (ApiServer server = ApiServer.start(folder, "{ name: data, backend: local, anonymous: \"read,list\" }")) {
            get(server, "/data/o-00");
            get(server, "/data/o-00");
            get(server, "/data?list-type=2");
            String job = server.post(ADMIN, API + "/jobs", "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"}}")
                    .field("id");
            server.awaitEnd(job);

            // Some begin after the recovery of the cache.
            Polling.within(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(missing(page)).isEmpty());
            Set<String> started = names(without(before));
            assertThat(started).hasSizeGreaterThan(10);
            assertThat(unknown(started, page)).isEmpty();
        }
    }

    /** Those of stops and failures too, which no running gateway shows. */
    @Test
    void threadsThatTheCodeNamesAreOnThePage() throws IOException {
        Set<String> named = new TreeSet<>();
        for (String module : List.of("auth", "backends", "cache-store", "gateway")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module))) {
                for (Path file : files.filter(ConcurrencyPageTest::isSource).toList()) {
                    String text = Files.readString(file);
                    STARTED.matcher(text).results().forEach(found -> named.add(found.group(1)));
                    NUMBERED.matcher(text).results().forEach(found -> named.add(found.group(1) + "-1-1"));
                }
            }
        }

        assertThat(named).hasSizeGreaterThan(15);
        assertThat(unknown(named, page())).isEmpty();
    }

    private static boolean isSource(Path file) {
        return file.toString().endsWith(".java") && file.toString().contains("/src/main/java/");
    }

    private static List<PageThread> page() throws IOException {
        String section = Files.readString(ROOT.resolve("docs/concurrency.md")).split("\n## Threads\n", -1)[1];
        List<PageThread> page = section.split("\n## ", -1)[0]
                .lines()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .flatMap(row -> NAME.matcher(row.group(1))
                        .results()
                        .map(name -> PageThread.of(name.group(1), row.group(2).equals("always"))))
                .toList();
        assertThat(page).hasSizeGreaterThan(40);
        assertThat(page).filteredOn(PageThread::isPermanent).hasSizeGreaterThan(10);
        return page;
    }

    /** Returns the permanent threads of the page that are not there. */
    private static List<String> missing(List<PageThread> page) {
        Set<String> now = names(Thread.getAllStackTraces().keySet());
        return page.stream()
                .filter(PageThread::isPermanent)
                .filter(row -> now.stream().noneMatch(row::matches))
                .map(PageThread::name)
                .toList();
    }

    private static List<String> unknown(Set<String> names, List<PageThread> page) {
        return names.stream()
                .filter(name -> page.stream().noneMatch(row -> row.matches(name)))
                .toList();
    }

    private static Set<Thread> without(Set<Thread> before) {
        Set<Thread> now = new HashSet<>(Thread.getAllStackTraces().keySet());
        now.removeAll(before);
        return now;
    }

    private static Set<String> names(Set<Thread> threads) {
        Set<String> names = new TreeSet<>();
        threads.forEach(thread -> names.add(thread.getName()));
        return names;
    }

    private static void get(ApiServer server, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.s3Port() + path))
                .build();
        assertThat(ApiServer.send(request).status()).isEqualTo(200);
    }
}
