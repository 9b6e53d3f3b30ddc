package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that what is printed for people has labels in plain English, and no names of the API's fields. */
class PlainLabelsTest extends FakeControlServerTest {
    private static final Pattern FIELD_NAME = Pattern.compile("(?m)^[ -]*[a-z]+[A-Z]");

    @Test
    void explanationHasLabels() {
        PlannedResponse explanation = PlannedResponse.json(200, """
                {"bucket":"data","key":"a","backend":"far","freshness":{"mode":"ttl","ttlSeconds":60,
                 "negativeTtlSeconds":5,"listTtlSeconds":0,"staleWhileRevalidateSeconds":0,"staleIfErrorSeconds":0},
                 "next":"hit","sentence":"The next GET is served from the cache.",
                 "known":{"eTag":"\\"e\\"","size":4096,"fetchedAt":"2026-01-01T01:00:00Z","freshSeconds":50,
                 "mustRevalidate":false,"blocks":1,"cachedBlocks":1,"cachedBytes":4096},
                 "archive":{"members":1,"hidden":{}},"missingSeconds":null,
                 "recent":[{"at":"2026-01-01T01:00:00Z","requestId":"R","operation":"GetObject","cache":"miss",
                 "status":200,"outcome":"success","bytes":4096,"micros":1000}]}
                """);
        // The parameters have no order.
        server.on("GET /api/v1/explain?bucket=data&key=a", explanation)
                .on("GET /api/v1/explain?key=a&bucket=data", explanation);

        String shown =
                CommandHarness.at(server, folder).run("explain", "s3://data/a").out();

        assertThat(shown)
                .startsWith("The next GET is served from the cache.")
                .contains("known of the object", "fresh for", "stale while revalidate", "- at", "  request id")
                .containsPattern("must revalidate +no")
                .doesNotContain("hidden")
                .doesNotContainPattern(FIELD_NAME);
    }

    @Test
    void disksHaveLabels() {
        server.on("GET /api/v1/disks", PlannedResponse.json(200, """
                {"disks":[{"number":0,"path":"/cache","state":"healthy","since":"2026-01-01T01:00:00Z","why":"",
                 "size":1073741824,"used":65536,"available":1073741824,"waiting":0,"segments":1,"slowness":0.0,
                 "slowSince":"2026-01-01T01:00:00Z","squeezedSince":"2026-01-01T01:00:00Z",
                 "scrub":{"underWay":false,"percent":0,"lastEnded":"2026-01-01T01:00:00Z","records":9,
                 "readBytes":65536,"bad":1,"lastBad":"2026-01-01T01:00:00Z","oldest":"2026-01-01T01:00:00Z"}}]}
                """));

        assertThat(CommandHarness.at(server, folder).run("disks").out())
                .containsPattern("- number +0")
                .containsPattern("folder +/cache")
                .containsPattern("corrupt records +1")
                .containsPattern("under way +no")
                .doesNotContain("slowness")
                .doesNotContainPattern(FIELD_NAME);
    }

    @Test
    void cacheWithoutDisksIsSaidInWords() {
        server.on("GET /api/v1/disks", PlannedResponse.json(200, "{\"disks\":[]}"));

        assertThat(CommandHarness.at(server, folder).run("disks").out().lines())
                .containsExactly("There is no cache: no disk is below cache.disks of the settings.");
        assertThat(CommandHarness.at(server, folder)
                        .run("disks", "--json")
                        .out()
                        .lines())
                .containsExactly("{\"disks\":[]}");
    }

    @Test
    void jobHasLabels() {
        server.on("GET /api/v1/jobs/j1", PlannedResponse.json(200, JobFixtures.json("running", 50)));

        assertThat(CommandHarness.at(server, folder).run("jobs", "show", "j1").out())
                .containsPattern("count complete +yes")
                .doesNotContainPattern(FIELD_NAME);
    }
}
