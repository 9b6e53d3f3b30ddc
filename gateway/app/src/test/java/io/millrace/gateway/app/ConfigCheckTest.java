package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.command.MillraceApplication;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that {@code config check} reports what a start would refuse, with line and remedy, and leaves no files. */
class ConfigCheckTest {
    private static final String FILE = """
            s3: { port: 0 }
            admin: { port: 0 }
            data: ./data
            cache: { CACHE disks: [ { path: ./data/cache, size: 64MiB } ] }
            backends: { far: { type: s3, endpoint: "http://127.0.0.1:9", KEYS } }
            buckets: [ { name: "*", backend: far } ]
            identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final StringWriter printed = new StringWriter();

    @Test
    void passesASoundFileAndMakesNothing() throws Exception {
        assertThat(check(FILE)).isZero();
        assertThat(printed.toString())
                .contains("no problems", "of heap", "of direct memory")
                .doesNotContain("warning");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ", KEYS |, access-key: A | millrace.yaml:5  backends.far.secret-key",
                "./data/cache | /proc/none/cache | cache.disks[0].path",
                "data: ./data | data: ./millrace.yaml | millrace.yaml:3  data",
                "CACHE | fill-memory: 900TiB, | millrace.yaml:4  cache.fill-memory: 900TiB",
                "CACHE | index-memory: 900TiB, | millrace.yaml:4  cache.index-memory: 900TiB",
                "s3: { port: 0 } | s3: { port: 0, address: 192.0.2.1 } | s3.address",
                "type: s3, endpoint: \"http://127.0.0.1:9\", KEYS | type: file, path: ./millrace.yaml | backends.far"
            })
    void refusesWhatNoStartCanUse(String part, String broken, String where) throws Exception {
        assertThat(check(FILE.replace(part, broken))).isEqualTo(1);
        assertThat(printed.toString()).contains("1 problem", where, "remedy");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s3: { port: 0 | s3: { port: 0, drain: 1s | shutdown-timeout",
                "s3: { port: 0 | s3: { port: 0, drain-delay: 1s | shutdown-delay",
                "s3: { port: 0 | s3: { port: 0, stalled-reader: 1s | stalled-reader-timeout",
                "CACHE | memory: 128MiB, | fill-memory",
                "CACHE | 'scrub: { every: 7d },' | interval",
                "far } | far, share: 10% } | quota",
                "far } | far, residency: a/ } | tracked-prefixes",
                "far } | far, cache: [] } | cache-rules",
                "far } | far, access-rules: refuse } | access-policies",
                "far } | far, cors: [ { expose: etag } ] } | expose-headers",
                "far } | far, prices: { gb-out: 1 } } | egress-per-gb",
                "data: ./data | prices: { far: { thousand-gets: 1 } } | per-thousand-requests",
                "data: ./data | jobs: { parallel: 1 } | max-running",
                "data: ./data | jobs: { history: 1 } | max-ended",
                "data: ./data | downloads: { allow: [] } | allowed-urls",
                "data: ./data | downloads: { private-addresses: [] } | allowed-private-addresses"
            })
    void refusesFormerKeysWithTheirNewNames(String part, String former, String now) throws Exception {
        assertThat(check(FILE.replace(part, former))).isEqualTo(1);
        assertThat(printed.toString()).contains("1 problem", "it is now called " + now + ";");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "64MiB | 900TiB | cache.disks[0].size: 900TiB",
                "127.0.0.1:9 | 127.0.0.1:9/bucket | backends.far.endpoint: http://127.0.0.1:9/bucket"
            })
    void warnsOfWhatIsHardlyMeant(String part, String odd, String where) throws Exception {
        assertThat(check(FILE.replace(part, odd))).isZero();
        assertThat(printed.toString()).contains("no problems", "warning: ", where, "remedy");
    }

    private int check(String yaml) throws Exception {
        Path file = folder.resolve("millrace.yaml");
        Files.writeString(file, yaml.replace("CACHE", "").replace(", KEYS", ""));
        return MillraceApplication.commands()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed))
                .execute("config", "check", "--config", file.toString());
    }
}
