package io.millrace.gateway.s3.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies the operator's access rules over HTTP. A rule that is read too widely shows one team's data to another. */
class AccessTest {
    private static final InMemoryBackend objects = new InMemoryBackend();
    private static final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @SuppressWarnings("NullAway.Init")
    private static SigningClient reader;

    @SuppressWarnings("NullAway.Init")
    private static SigningClient trainer;

    @SuppressWarnings("NullAway.Init")
    private static SigningClient other;

    @SuppressWarnings("NullAway.Init")
    private static SigningClient anonymous;

    @BeforeAll
    static void start() {
        for (String bucket : List.of("data", "open", "shown", "alpha", "beta")) {
            store(bucket, "train/a");
            store(bucket, "training/b");
            store(bucket, "test/c");
        }
        gateway = TestGateway.builder()
                .bucket("open", backend, "", "read")
                .bucket("shown", backend, "", "read,list")
                .bucket("*", backend)
                .identity("reader", "READER", "reader-secret", "read:data")
                .identity("trainer", "TRAINER", "trainer-secret", "read,list:data/train/*", "read:alpha")
                .identity("other", "OTHER", "other-secret", "read,list:beta")
                .start();
        reader = SigningClient.of(gateway, "READER", "reader-secret");
        trainer = SigningClient.of(gateway, "TRAINER", "trainer-secret");
        other = SigningClient.of(gateway, "OTHER", "other-secret");
        anonymous = SigningClient.anonymous(gateway);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @Test
    void toReadIsNotToList() throws IOException {
        assertThat(reader.get("/data/train/a").bytes()).isEqualTo(content("train/a"));
        assertThat(reader.head("/data/train/a").status()).isEqualTo(200);
        assertThat(reader.get("/data").status()).isEqualTo(403);
        assertThat(reader.get("/data?list-type=2").status()).isEqualTo(403);
        assertThat(reader.get("/alpha/train/a").status()).isEqualTo(403);
    }

    @Test
    void prefixRuleListsOnlyItsKeys() throws IOException {
        for (String list : List.of("/data?list-type=2&prefix=", "/data?prefix=")) {
            assertThat(keys(trainer.get(list + "train%2F"))).containsExactly("train/a");
            assertThat(keys(trainer.get(list + "train%2Fa"))).containsExactly("train/a");
            assertThat(trainer.get(list + "train").status()).isEqualTo(403);
            assertThat(trainer.get(list + "test%2F").status()).isEqualTo(403);
            assertThat(trainer.get(list).status()).isEqualTo(403);
        }
        assertThat(trainer.get("/data").status()).isEqualTo(403);
        assertThat(trainer.get("/data/train/a").status()).isEqualTo(200);
        assertThat(trainer.get("/data/training/b").status()).isEqualTo(403);
    }

    /** Policy and listing must use the same one of two values, or a listing shows more than the policy allows. */
    @Test
    void policyAndListingUseTheSameRepeatedPrefix() throws IOException {
        assertThat(keys(trainer.get("/data?list-type=2&prefix=train%2F&prefix=")))
                .containsExactly("train/a");
        assertThat(trainer.get("/data?list-type=2&prefix=&prefix=train%2F").status())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/data/train/../test/c",
                "/data/train/%2e%2e/test/c",
                "/data/train%2f..%2ftest%2fc",
                "/data//train/a",
                "/data/./train/a",
                "/data/TRAIN/a"
            })
    void aKeyIsNoPath(String target) throws IOException {
        RawClient.Response response = trainer.get(target);

        assertThat(response.status()).isIn(403, 404);
        assertThat(response.bytes()).isNotEqualTo(content("test/c"));
    }

    @Test
    void anonymousReadsAndListsAsConfigured() throws IOException {
        assertThat(anonymous.get("/open/train/a").bytes()).isEqualTo(content("train/a"));
        assertThat(anonymous.get("/open").status()).isEqualTo(403);
        assertThat(keys(anonymous.get("/shown"))).containsExactly("test/c", "train/a", "training/b");
        assertThat(anonymous.get("/shown/test/c").status()).isEqualTo(200);
        assertThat(anonymous.get("/data/train/a").status()).isEqualTo(403);
        assertThat(anonymous.get("/").status()).isEqualTo(403);
        assertThat(anonymous.ask("PUT", "/shown/x", Map.of()).status()).isEqualTo(403);
        assertThat(anonymous.ask("DELETE", "/shown/test/c", Map.of()).status()).isEqualTo(403);
        assertThat(other.get("/open/train/a").status()).isEqualTo(200);
    }

    @Test
    void absenceIsReportedOnlyToWhoMayList() throws IOException {
        assertThat(reader.get("/data/none").element("Code")).isEqualTo("AccessDenied");
        assertThat(reader.head("/data/none").status()).isEqualTo(403);
        assertThat(anonymous.get("/open/none").element("Code")).isEqualTo("AccessDenied");
        assertThat(trainer.get("/data/train/none").element("Code")).isEqualTo("NoSuchKey");
        assertThat(trainer.head("/data/train/none").status()).isEqualTo(404);
        assertThat(anonymous.get("/shown/none").element("Code")).isEqualTo("NoSuchKey");
    }

    /** Conditions must be evaluated after the policy, because their results reveal forbidden objects. */
    @Test
    void deniedResponsesHideWhetherTheKeyExists() throws IOException {
        List<Map<String, String>> conditions = List.of(
                Map.of(),
                Map.of("if-match", "*"),
                Map.of("if-none-match", "*"),
                Map.of("if-modified-since", "Mon, 01 Jan 2001 00:00:00 GMT"),
                Map.of("if-unmodified-since", "Mon, 01 Jan 2001 00:00:00 GMT"),
                Map.of("range", "bytes=0-0"),
                Map.of("range", "bytes=999999-"),
                Map.of("range", "bytes=0-0", "if-range", "\"x\""));
        long requested = calls();
        for (SigningClient caller : List.of(anonymous, other)) {
            for (String method : List.of("GET", "HEAD")) {
                for (String query : List.of("", "?versionId=null", "?partNumber=1", "?response-expires=x")) {
                    for (Map<String, String> condition : conditions) {
                        RawClient.Response there = caller.ask(method, "/data/train/a" + query, condition);
                        RawClient.Response absent = caller.ask(method, "/data/train/z" + query, condition);

                        assertThat(there.status()).isEqualTo(403);
                        assertThat(comparable(there)).isEqualTo(comparable(absent));
                    }
                }
            }
        }
        assertThat(calls()).isEqualTo(requested);
    }

    @Test
    void usersSeeOnlyTheirOwnObjects() throws IOException {
        for (int i = 0; i < 100; i++) {
            store("alpha", "own/" + i);
            store("beta", "own/" + i);
        }
        try (RawClient client = new RawClient(gateway.port())) {
            for (int i = 0; i < 100; i++) {
                for (String method : List.of("GET", "HEAD")) {
                    assertThat(status(client, trainer, method, "/alpha/own/" + i))
                            .isEqualTo(200);
                    assertThat(status(client, trainer, method, "/beta/own/" + i))
                            .isEqualTo(403);
                    assertThat(status(client, other, method, "/beta/own/" + i)).isEqualTo(200);
                    assertThat(status(client, other, method, "/alpha/own/" + i)).isEqualTo(403);
                }
            }
        }
    }

    @Test
    void callersSeeBucketsTheyHaveRightsIn() throws IOException {
        assertThat(buckets(reader)).containsExactly("data", "open", "shown");
        assertThat(buckets(trainer)).containsExactly("alpha", "data", "open", "shown");
        assertThat(buckets(other)).containsExactly("beta", "open", "shown");
        assertThat(other.head("/beta").status()).isEqualTo(200);
        assertThat(other.head("/data").status()).isEqualTo(403);
        assertThat(other.get("/data?location").status()).isEqualTo(403);
    }

    private static List<String> keys(RawClient.Response response) {
        assertThat(response.status()).isEqualTo(200);
        return all("<Key>([^<]*)</Key>", response);
    }

    private static List<String> buckets(SigningClient caller) throws IOException {
        return all("<Bucket><Name>([^<]*)</Name>", caller.get("/"));
    }

    private static List<String> all(String pattern, RawClient.Response response) {
        List<String> found = new ArrayList<>();
        for (MatchResult match :
                Pattern.compile(pattern).matcher(response.text()).results().toList()) {
            found.add(match.group(1));
        }
        return found;
    }

    /** Returns the headers without those that differ between any two responses. */
    private static Map<String, String> comparable(RawClient.Response response) {
        Map<String, String> all = new LinkedHashMap<>(response.headers());
        all.remove("date");
        all.remove("x-amz-request-id");
        all.put("status", Integer.toString(response.status()));
        all.put(
                "body",
                response.text()
                        .replaceAll("<RequestId>[0-9A-F]{16}</RequestId>", "")
                        .replace("train/z", "train/a"));
        return all;
    }

    private static int status(RawClient client, SigningClient caller, String method, String target) throws IOException {
        return client.send(caller.request(method, target, Map.of())).status();
    }

    private static long calls() {
        return backend.calls(FaultPlan.Operation.OPEN) + backend.calls(FaultPlan.Operation.HEAD);
    }

    private static byte[] content(String key) {
        return GeneratedBytes.of(key).first(64);
    }

    private static void store(String bucket, String key) {
        objects.store(new ObjectRef(new BucketName(bucket), new ObjectKey(key)), content(key), HeaderList.EMPTY);
    }
}
