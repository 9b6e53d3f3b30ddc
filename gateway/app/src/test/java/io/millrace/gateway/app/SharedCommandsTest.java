package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.control.SharedCacheMembers;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that all three gateways whose objects have homes do what one of them is asked, and that it sums it up. */
@Timeout(300)
class SharedCommandsTest {
    private static final int OBJECTS = 12;
    private static final int SIZE = 100_000;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(EnumSet.of(Capability.WRITE))
            .createBucket(new BucketName(ClusterNode.ANNOUNCED))
            .createBucket(new BucketName(ClusterNode.STRONG));

    @SuppressWarnings("NullAway.Init")
    private TestGateway store;

    @SuppressWarnings("NullAway.Init")
    private List<ClusterNode> nodes;

    /** On the list only once a test puts it there, and never started. */
    @SuppressWarnings("NullAway.Init")
    private ClusterNode away;

    @BeforeEach
    void startAll() throws Exception {
        store = TestGateway.over(objects);
        nodes = List.of(
                new ClusterNode(folder, "gw-0"), new ClusterNode(folder, "gw-1"), new ClusterNode(folder, "gw-2"));
        away = new ClusterNode(folder, "gw-3");
        configure(nodes);
        for (ClusterNode node : nodes) {
            node.start();
        }
        nodes.forEach(ClusterNode::awaitReady);
        nodes.forEach(ClusterNode::awaitLeases);
        for (int i = 0; i < OBJECTS; i++) {
            objects.store(
                    new ObjectRef(new BucketName(ClusterNode.ANNOUNCED), new ObjectKey(key(i))),
                    new byte[SIZE],
                    HeaderList.EMPTY);
        }
    }

    @AfterEach
    void stop() throws IOException {
        for (ClusterNode node : nodes) {
            node.close();
        }
        away.close();
        store.close();
    }

    private void configure(List<ClusterNode> members) throws IOException {
        List<String> listed = members.stream().map(ClusterNode::listed).toList();
        for (ClusterNode node : nodes) {
            node.configure(store, listed, "shared");
        }
    }

    private static String key(int number) {
        return "data/object-%02d".formatted(number);
    }

    /** The sum of the steps of a scan. */
    private record Residency(long objects, long cachedBytes, List<String> unanswered) {}

    /** Through each member, its home too, so that each object is cached there, and its metadata everywhere. */
    private void readAllThroughAll() {
        for (ClusterNode node : nodes) {
            for (int i = 0; i < OBJECTS; i++) {
                String key = key(i);
                node.client()
                        .getObjectAsBytes(
                                get -> get.bucket(ClusterNode.ANNOUNCED).key(key));
            }
        }
    }

    private void awaitCached() {
        readAllThroughAll();
        Polling.until("all is on disks", () -> residency(nodes.get(0)).cachedBytes() == (long) OBJECTS * SIZE);
    }

    private static Residency residency(ClusterNode node) throws IOException, InterruptedException {
        long found = 0;
        long cached = 0;
        List<String> unanswered = new ArrayList<>();
        String from = "";
        do {
            JsonNode step = node.api(
                            "GET",
                            "/residency?bucket=%s&prefix=data/&from=%s"
                                    .formatted(ClusterNode.ANNOUNCED, URLEncoder.encode(from, UTF_8)),
                            "")
                    .json();
            found += step.path("objects").asLong();
            cached += step.path("cachedBytes").asLong();
            if (step.has("unanswered")) {
                unanswered.add(step.path("unanswered").path("member").asString());
            }
            from = step.path("next").asString("");
        } while (!from.isEmpty());
        return new Residency(found, cached, unanswered);
    }

    @Test
    void residencyCountsEachObjectOnceThroughAnyMember() throws Exception {
        awaitCached();

        for (ClusterNode node : nodes) {
            assertThat(residency(node)).isEqualTo(new Residency(OBJECTS, (long) OBJECTS * SIZE, List.of()));
        }
    }

    @Test
    void explanationSaysWhoIsHomeAndWhatIsThere() throws Exception {
        awaitCached();

        for (int i = 0; i < OBJECTS; i++) {
            Set<String> homes = new TreeSet<>();
            int own = 0;
            for (ClusterNode node : nodes) {
                JsonNode explained = explain(node, key(i));
                JsonNode home = explained.path("home");
                homes.add(home.path("member").asString(""));
                if (home.has("next")) {
                    assertThat(home.path("cachedBytes").asLong()).isEqualTo(SIZE);
                    assertThat(explained.path("sentence").asString())
                            .contains(
                                    "Its home is member " + home.path("member").asString());
                } else {
                    own++;
                    assertThat(explained.path("known").path("cachedBytes").asLong())
                            .isEqualTo(SIZE);
                    assertThat(explained.path("sentence").asString()).endsWith("Its home is this member.");
                }
            }
            assertThat(homes).hasSize(1);
            assertThat(own).isEqualTo(1);
        }
    }

    private static JsonNode explain(ClusterNode node, String key) throws IOException, InterruptedException {
        return node.api("GET", "/explain?bucket=%s&key=%s".formatted(ClusterNode.ANNOUNCED, key), "")
                .json();
    }

    @Test
    void evictionIsOfAllMembers() throws Exception {
        awaitCached();
        ClusterNode asked = nodes.get(1);

        String job = submit(asked, "{\"kind\":\"evict\",\"from\":{\"bucket\":\"announced\",\"prefix\":\"data/\"}}");
        JsonNode ended = awaitEnd(asked, job);

        assertThat(ended.path("state").asString()).as(ended.toString()).isEqualTo("done");
        assertThat(ended.path("message").asString()).isEmpty();
        assertThat(ended.path("progress").path("movedBytes").asLong()).isGreaterThanOrEqualTo((long) OBJECTS * SIZE);
        for (ClusterNode node : nodes) {
            Polling.until("nothing is cached", () -> residency(node).equals(new Residency(0, 0, List.of())));
            JsonNode explained = explain(node, key(0));
            // Who relays its reads may know it in memory still, and has nothing of it.
            assertThat(explained.path("next").asString()).isIn("miss", "partial");
            assertThat(explained.path("known").path("cachedBytes").asLong()).isZero();
        }
        assertThat(asked.api("DELETE", "/jobs/" + job, "").status()).isEqualTo(204);
        for (ClusterNode node : nodes) {
            assertThat(node.api("GET", "/jobs", "").json().path("jobs").size()).isZero();
        }
    }

    @Test
    void memberThatIsAwayIsNamed() throws Exception {
        awaitCached();
        List<ClusterNode> listed = new ArrayList<>(nodes);
        listed.add(away);
        configure(listed);
        nodes.get(0).reload(3);

        assertThat(residency(nodes.get(0)).unanswered()).containsExactly("gw-3");
        JsonNode ended = awaitEnd(
                nodes.get(0),
                submit(nodes.get(0), "{\"kind\":\"evict\",\"from\":{\"bucket\":\"announced\",\"prefix\":\"data/\"}}"));
        assertThat(ended.path("state").asString()).isEqualTo("done-with-failures");
        assertThat(ended.path("message").asString())
                .contains("member gw-3 takes no part (gw-3")
                .doesNotContain("127.0.0.1");
    }

    @Test
    void membersGetPinsAndNothingThatIsNotOnTheList() throws Exception {
        String job = submit(
                nodes.get(0),
                "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"announced\",\"prefix\":\"data/\"},\"pin\":\"1h\"}");

        assertThat(call("{\"pins\":{\"known\":[]}}").at("/pins/0/id").asString())
                .isEqualTo(job);
        assertThat(call("{\"pins\":{\"known\":[]}}").at("/pins/0/request/pin").asString())
                .isEqualTo("1h");
        assertThat(call("{\"pins\":{\"known\":[\"%s\"]}}".formatted(job))
                        .at("/pins/0")
                        .has("request"))
                .isFalse();
        assertThat(call("{\"settings\":{}}").path("problem").asString()).startsWith("it is of another release");
        assertThat(call("{}").path("problem").asString()).isEqualTo("it is asked for nothing");
    }

    /** A member that asks has checked rights that this one would give the owner, but not all of them. */
    @Test
    void membersDoPartsOfEvictionsForOthersAndNoOtherJobs() throws Exception {
        String part = "\"clientToken\":\"part-of-1\",\"from\":{\"bucket\":\"announced\",\"prefix\":\"data/\"}";
        String refused = "it does nothing for others but parts of evictions";

        assertThat(callForJob("part-of-1", "submit", "{\"kind\":\"prefetch\",%s}".formatted(part)))
                .isEqualTo(refused);
        assertThat(callForJob("part-of-2", "submit", "{\"kind\":\"evict\",%s}".formatted(part)))
                .isEqualTo(refused);
        assertThat(callForJob("mine", "cancel", "null")).isEqualTo(refused);
        assertThat(callForJob("part-of-1", "cancel", "null")).isEqualTo("it has no part of the job");
    }

    /** Returns why an action on a job is not done. */
    private String callForJob(String token, String action, String request) throws ReflectiveOperationException {
        return call("{\"job\":{\"owner\":\"admin\",\"token\":\"%s\",\"action\":\"%s\",\"request\":%s}}"
                        .formatted(token, action, request))
                .path("problem")
                .asString();
    }

    /** Calls the first member as the second one does. */
    private JsonNode call(String json) throws ReflectiveOperationException {
        SharedCacheMembers members = ApiServer.context(nodes.get(1).gateway()).getBean(SharedCacheMembers.class);
        return JSON.readTree(
                members.call("gw-0", json.getBytes(UTF_8)).blockOptional().orElseThrow());
    }

    private static String submit(ClusterNode node, String request) throws IOException, InterruptedException {
        ApiServer.Response submitted = node.api("POST", "/jobs", request);
        assertThat(submitted.status()).as(submitted.text()).isEqualTo(201);
        return submitted.field("id");
    }

    private static JsonNode awaitEnd(ClusterNode node, String job) throws IOException, InterruptedException {
        Polling.until(
                "the job ends",
                () -> job(node, job).path("state").asString().startsWith("done")
                        || job(node, job).path("state").asString().equals("failed"));
        return job(node, job);
    }

    private static JsonNode job(ClusterNode node, String id) throws IOException, InterruptedException {
        return node.api("GET", "/jobs/" + id, "").json();
    }
}
