package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the status shows which backend and bucket fail and what to do. */
class StatusCommandTest extends FakeControlServerTest {
    @BeforeEach
    void respond() {
        server.on("GET /api/v1/status", PlannedResponse.json(200, """
                {"version":"1","reads":{"hits":9,"misses":2,"stale":1,"bypassed":0},"backends":["aws"],"alarms":[],"saved":[
                 {"bucket":"read","requestsServed":8,"requestsSent":2,"requestsSaved":6,
                  "servedBytes":4096,"fetchedBytes":1024,"savedBytes":3072,"moneySaved":0.25},
                 {"bucket":"ahead","requestsServed":0,"requestsSent":3,"requestsSaved":-3,
                  "servedBytes":0,"fetchedBytes":2048,"savedBytes":-2048,"moneySaved":-0.5},
                 {"bucket":"mostly","requestsServed":2,"requestsSent":3,"requestsSaved":-1,
                  "servedBytes":1,"fetchedBytes":1,"savedBytes":0}],
                 "cache":{"used":1073741824,"available":2147483648,"capacity":4294967296,"records":3,"disks":[
                  {"path":"/cache","state":"healthy","used":1073741824,"available":2147483648}]}}
                """));
        server.on("GET /api/v1/alarms", PlannedResponse.json(200, """
                {"well":false,"alarms":[{"id":"backend:aws","level":"critical","subject":"Backend aws","state":"rejects the credentials",
                 "since":"2026-01-01T01:00:00Z","message":"check access-key"}]}
                """));
        server.on("GET /api/v1/backends", PlannedResponse.json(200, """
                {"backends":[{"name":"aws","state":"rejects","message":"check access-key",
                 "buckets":[{"bucket":"typo","backendBucket":"tpyo","state":"missing","message":"correct its name"}]}]}
                """));
    }

    @Test
    void backendsAndBucketsAreReportedWithWhatToDo() {
        assertThat(CommandHarness.at(server, folder).run("status").out())
                .contains("rejects", "check access-key", "typo", "tpyo", "missing", "correct its name");
    }

    /** As of a backend that is down, whose failure stood in three lines and more. */
    @Test
    void linesDoNotRepeatAlarms() {
        server.on("GET /api/v1/alarms", PlannedResponse.json(200, """
                {"well":false,"alarms":[
                 {"id":"backend:aws","level":"critical","subject":"Backend aws","state":"fails",
                  "message":"it is off. Call Eve"},
                 {"id":"bucket:typo","level":"warning","subject":"Bucket typo","state":"is missing",
                  "message":"there is none. Make it"}]}
                """));
        server.on("GET /api/v1/backends", PlannedResponse.json(200, """
                {"backends":[
                 {"name":"aws","state":"fails","message":"it is off. Call Eve",
                  "lastFailure":{"at":"2026-01-01T01:00:00Z","message":"not sent. It is off"},
                  "buckets":[{"bucket":"mine","backendBucket":"mine","state":"unknown","message":""}]},
                 {"name":"other","state":"answers","message":"",
                  "lastFailure":{"at":"2026-01-01T01:00:00Z","message":"it was slow"},
                  "buckets":[{"bucket":"typo","backendBucket":"typo","state":"missing",
                   "message":"there is none. Make it",
                   "lastFailure":{"at":"2026-01-01T01:00:00Z","message":"there is none"}}]}]}
                """));

        List<String> lines =
                CommandHarness.at(server, folder).run("status").out().lines().toList();

        assertThat(lines)
                .contains(
                        "backend  aws  fails  0 calls, 0 errors in the last minute",
                        "bucket   mine  unknown",
                        "         last failure at 2026-01-01T01:00:00Z: it was slow",
                        "bucket   typo  missing")
                .noneMatch(line -> line.contains("not sent"));
        assertThat(lines).filteredOn(line -> line.contains("it is off")).hasSize(1);
        assertThat(lines).filteredOn(line -> line.contains("there is none")).hasSize(1);
    }

    @Test
    void alarmsAreReportedFirst() {
        assertThat(CommandHarness.at(server, folder).run("status").out().lines().skip(1))
                .first()
                .isEqualTo("critical  Backend aws rejects the credentials since 2026-01-01T01:00:00Z: check access-key"
                        + "  (id backend:aws)");
    }

    /** Whoever has filled the cache: of what a prefetch has fetched each read is a hit, and nothing is saved. */
    @Test
    void hitsAreAShareOfTheReads() {
        assertThat(CommandHarness.at(server, folder).run("status").out())
                .contains("hits     75% of 12 GETs since the start; misses 2, stale 1, past the cache 0")
                .contains("cache    1.0/2.0 GiB in 3 blocks  (4.0 GiB in the settings)")
                .contains("disk     /cache  healthy  1.0/2.0 GiB");
    }

    /** A prefetch sends requests that no client asked for: nothing is saved by it yet, and not less than nothing. */
    @Test
    void savingsAreNeverNegativeNorOfNothing() {
        assertThat(CommandHarness.at(server, folder).run("status").out())
                .contains("saved    read  6 of 8 requests to the backend, 3.0 KiB of 4.0 KiB, 0.25")
                .contains("saved    ahead  nothing yet: since the start clients have read 0 B (requests: 0), and 2.0"
                        + " KiB were fetched from the backend for them or ahead of them (requests: 3)")
                .contains("saved    mostly  nothing yet: since the start clients have read 1 B (requests: 2), and")
                .doesNotContainPattern("saved .*-[0-9]")
                .doesNotContain("of 0 requests");
    }

    /** Each bucket had two lines of zeros after a start. */
    @Test
    void serverWithoutTrafficSaysSoOnce() {
        String saved = """
                {"bucket":"%s","requestsServed":0,"requestsSent":0,"requestsSaved":0,"servedBytes":0,"fetchedBytes":0,
                 "savedBytes":0}""";
        String residency = "{\"bucket\":\"%s\",\"prefix\":\"\",\"blocks\":0,\"cachedBytes\":0}";
        server.on("GET /api/v1/status", PlannedResponse.json(200, """
                {"version":"1","reads":{"hits":0,"misses":0,"stale":0,"bypassed":0},"alarms":[],"saved":[%s,%s],
                 "cache":{"used":0,"available":2147483648,"capacity":2147483648,"records":0,"residencyComplete":true,
                  "residency":[%s,%s]}}
                """.formatted(
                        saved.formatted("one"),
                        saved.formatted("two"),
                        residency.formatted("one"),
                        residency.formatted("two"))));

        assertThat(CommandHarness.at(server, folder).run("status").out().lines())
                .filteredOn(line -> line.startsWith("saved") || line.startsWith("cached"))
                .containsExactly(
                        "cached   nothing yet of any bucket",
                        "saved    nothing yet: since the start nothing was read, by clients or from backends");
    }

    @Test
    void bucketWithoutTrafficIsNotInTheSavings() {
        server.on("GET /api/v1/status", PlannedResponse.json(200, """
                {"version":"1","alarms":[],"saved":[
                 {"bucket":"read","requestsServed":8,"requestsSent":2,"requestsSaved":6,
                  "servedBytes":4096,"fetchedBytes":1024,"savedBytes":3072},
                 {"bucket":"idle","requestsServed":0,"requestsSent":0,"requestsSaved":0},
                 {"bucket":"mistyped","requestsServed":1,"requestsSent":1,"requestsSaved":0,
                  "servedBytes":0,"fetchedBytes":0,"savedBytes":0}]}
                """));

        assertThat(CommandHarness.at(server, folder).run("status").out())
                .contains("saved    read  6 of 8 requests to the backend")
                .doesNotContain("idle")
                .doesNotContain("mistyped");
    }

    @Test
    void jsonReportsTheSame() {
        JsonObject status = JsonCodec.readObject(
                CommandHarness.at(server, folder).run("status", "--json").out());

        JsonObject backend = status.objects("backends").get(0);
        assertThat(backend.text("state")).isEqualTo("rejects");
        assertThat(backend.objects("buckets").get(0).text("state")).isEqualTo("missing");
        assertThat(status.objects("alarms").get(0).text("id")).isEqualTo("backend:aws");
        assertThat(status.has("well")).isTrue();
        assertThat(status.flag("well")).isFalse();
    }
}
