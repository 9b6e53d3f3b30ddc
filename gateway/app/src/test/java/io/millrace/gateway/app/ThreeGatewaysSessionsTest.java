package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.session.RevocationTarget;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Three gateways of a cluster accept each other's sessions, and refuse what is revoked through any of them. */
@Timeout(300)
class ThreeGatewaysSessionsTest {
    private static final String ROLE = "{\"target\":\"role\",\"name\":\"keeper\"}";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private TestGateway store;

    @SuppressWarnings("NullAway.Init")
    private List<ClusterNode> nodes;

    @BeforeEach
    void startAll() throws Exception {
        store = TestGateway.over(
                new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(new BucketName(ClusterNode.ANNOUNCED)));
        nodes = List.of(
                new ClusterNode(folder, "gw-0"), new ClusterNode(folder, "gw-1"), new ClusterNode(folder, "gw-2"));
        for (ClusterNode node : nodes) {
            node.configure(store, nodes.stream().map(ClusterNode::listed).toList());
            node.start();
        }
        nodes.forEach(ClusterNode::awaitReady);
        nodes.forEach(ClusterNode::awaitLeases);
    }

    @AfterEach
    void stop() throws IOException {
        for (ClusterNode node : nodes) {
            node.close();
        }
        store.close();
    }

    @ParameterizedTest
    @CsvSource({"role, keeper", "session, keeper/test", "session, KEY", "sessions-of, admin", "all, ''"})
    void sessionOfOneIsAcceptedByAllUntilItIsRevokedThroughAny(String target, String name) throws Exception {
        AwsSessionCredentials session = nodes.get(0).assume();
        assertThat(statuses(session)).containsOnly(200);
        assertThat(nodes).noneMatch(node -> node.hasFile("session-keys"));

        String revoked = name.equals("KEY") ? session.accessKeyId() : name;
        revoke(1, "{\"target\":\"%s\",\"name\":\"%s\"}".formatted(target, revoked));

        assertThat(statuses(session)).containsOnly(403);
    }

    @Test
    void revocationThatIsLiftedThroughAnyIsLiftedAtAll() throws Exception {
        AwsSessionCredentials session = nodes.get(0).assume();
        revoke(1, ROLE);
        assertThat(statuses(session)).containsOnly(403);

        assertThat(nodes.get(2)
                        .api("DELETE", "/revocations?target=role&name=keeper", "")
                        .status())
                .isEqualTo(204);

        assertThat(statuses(session)).containsOnly(200);
        restart(2);
        assertThat(statuses(session)).containsOnly(200);
    }

    @Test
    void whatWasRevokedWhileOneWasAwayIsRefusedByItWhenItIsBack() throws Exception {
        AwsSessionCredentials session = nodes.get(2).assume();
        nodes.get(2).stop();
        nodes.get(0)
                .revocations()
                .revoke(RevocationTarget.ROLE, "keeper", Optional.empty())
                .block();
        nodes.get(2).start();
        nodes.get(2).awaitLeases();
        assertThat(statuses(session)).containsOnly(403);

        // It has its own record of it by now.
        nodes.forEach(ClusterNode::stop);
        nodes.get(2).start();

        assertThat(status(2, session)).isEqualTo(403);
    }

    @Test
    void jobOfARevokedOwnerFailsAtAnotherMember() throws Exception {
        for (int i = 0; i < 60; i++) {
            String key = "key-" + i;
            nodes.get(1)
                    .client()
                    .putObject(put -> put.bucket(ClusterNode.ANNOUNCED).key(key), RequestBody.fromString(key));
        }
        ApiServer.Response job = nodes.get(1)
                .api(
                        "POST",
                        "/jobs",
                        "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"announced\"},"
                                + "\"workers\":1,\"requestsPerSecond\":1}");
        assertThat(job.status()).as(job.text()).isEqualTo(201);

        revoke(0, "{\"target\":\"sessions-of\",\"name\":\"admin\"}");

        // Tokens have the second in which they were made, so the first ones are refused, too.
        Polling.until(
                "the job fails",
                () -> nodes.get(1)
                        .api("GET", "/jobs/" + job.field("id"), "")
                        .field("state")
                        .equals("failed"));
    }

    private void restart(int node) throws Exception {
        nodes.get(node).stop();
        nodes.get(node).start();
        nodes.get(node).awaitLeases();
    }

    private void revoke(int node, String revocation) throws Exception {
        ApiServer.Response response = nodes.get(node).api("POST", "/revocations", revocation);
        assertThat(response.status()).as(response.text()).isEqualTo(200);
    }

    private List<Integer> statuses(AwsSessionCredentials session) {
        return List.of(status(0, session), status(1, session), status(2, session));
    }

    private int status(int node, AwsSessionCredentials session) {
        try (S3Client client = nodes.get(node).client(session)) {
            return client.listObjectsV2(list -> list.bucket(ClusterNode.ANNOUNCED))
                    .sdkHttpResponse()
                    .statusCode();
        } catch (S3Exception refused) {
            return refused.statusCode();
        }
    }
}
