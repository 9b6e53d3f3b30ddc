package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.RevocationLog;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.config.Secret;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.Credentials;

/** A member of a cluster, for tests: a whole gateway in this process, with a client of its S3 port. */
final class ClusterNode implements AutoCloseable {
    static final String ANNOUNCED = "announced";
    static final String STRONG = "strong";

    private static final String KEY = "ADMIN01";
    private static final String SECRET = KEY + "-secret";
    private static final String ROLE = "arn:aws:iam::000000000000:role/keeper";

    private final String name;
    private final Path folder;
    private final Path file;
    private final ReservedPort port = new ReservedPort();
    private String shutdownDelay = "0s";
    private @Nullable Gateway gateway;
    private @Nullable S3Client client;

    ClusterNode(Path parent, String name) throws IOException {
        this.name = name;
        this.folder = Files.createDirectories(parent.resolve(name));
        this.file = folder.resolve("millrace.yaml");
    }

    int port() {
        return port.number();
    }

    String listed() {
        return "%s=127.0.0.1:%d".formatted(name, port.number());
    }

    /** Writes the settings: one backend, two of its buckets, a role that the identity may assume, and these members. */
    void configure(TestGateway store, List<String> members) throws IOException {
        configure(store, members, "balancer");
    }

    /** Writes the settings, with a placement of objects and a bucket of the members of archives. */
    void configure(TestGateway store, List<String> members, String placement) throws IOException {
        Files.writeString(file, """
            s3: { address: 127.0.0.1, port: 0, shutdown-delay: %11$s }
            admin: { address: 127.0.0.1, port: 0 }
            data: %1$s/data
            cache: { disks: [ { path: %1$s/cache, size: 1GiB } ], fill-memory: 64MiB }
            backends:
              store: { type: s3, endpoint: "%2$s", path-style: true, access-key: %3$s, secret-key: %4$s }
            buckets:
            - { name: announced, backend: store, freshness: { ttl: 1h, negative-ttl: 1h, list-ttl: 1h } }
            - { name: strong, backend: store, coherence: strong, freshness: { ttl: 1h, negative-ttl: 1h, list-ttl: 1h } }
            - { name: strict, backend: store, freshness: { mode: strict } }
            - { name: files, derived: { from: announced, members: "*.zip" } }
            identities: [ { name: admin, access-key: %5$s, secret-key: %6$s, allow: "*" } ]
            sts: { plain-http: true, roles: [ { name: keeper, assumed-by: [ user/admin ], allow: "*" } ] }
            cluster:
              name: test
              node: %7$s
              listen: "127.0.0.1:%8$d"
              secret: 0123456789abcdef0123456789abcdef
              lease: 1s
              placement: %10$s
              members: [ %9$s ]
            """.formatted(
                        folder,
                        store.endpoint(),
                        TestGateway.ACCESS_KEY,
                        TestGateway.SECRET_KEY,
                        KEY,
                        SECRET,
                        name,
                        port.number(),
                        members.stream().map(member -> '"' + member + '"').collect(Collectors.joining(", ")),
                        placement,
                        shutdownDelay));
    }

    /** Lets it serve for some time after it was told to stop; to be called before {@link #configure}. */
    void stopAfter(String delay) {
        shutdownDelay = delay;
    }

    void start() throws Exception {
        SettingsSource source = () -> SettingsLoader.ofFile(file, MachineChecks.inThisProcess());
        gateway = Gateway.start(source.load(), Optional.of(source));
        client = client(AwsBasicCredentials.create(KEY, SECRET));
    }

    /** Returns a client of the S3 port with other credentials. */
    S3Client client(AwsCredentials credentials) {
        return S3Client.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(URI.create("http://127.0.0.1:" + gateway().s3Port()))
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .overrideConfiguration(plan -> plan.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .credentialsProvider(StaticCredentialsProvider.create(credentials))
                .build();
    }

    /** Returns a session of the role, which this member has issued. */
    AwsSessionCredentials assume() {
        try (StsClient sts = StsClient.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(URI.create("http://127.0.0.1:" + gateway().s3Port() + "/sts"))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, SECRET)))
                .build()) {
            Credentials issued = sts.assumeRole(request -> request.roleArn(ROLE).roleSessionName("test"))
                    .credentials();
            return AwsSessionCredentials.create(issued.accessKeyId(), issued.secretAccessKey(), issued.sessionToken());
        }
    }

    boolean hasFile(String inDataFolder) {
        return Files.exists(folder.resolve("data").resolve(inDataFolder));
    }

    void awaitReady() {
        Polling.until(name + " is ready", this::isReady);
    }

    /** Asks no port: when a gateway stops, Spring closes what the control ports of all in this process share. */
    boolean isReady() throws ReflectiveOperationException {
        return member().isReady();
    }

    void awaitLeases() {
        Polling.until(name + " has all leases", () -> member().view().leaseHeld());
    }

    /** Reads the settings again, and waits until as many other members are on its list. */
    void reload(int others) {
        gateway().reload();
        Polling.until(
                name + " has another list", () -> member().view().members().size() == others);
    }

    /** Returns its revocations, which need no port either. */
    RevocationLog revocations() throws ReflectiveOperationException {
        return ApiServer.context(gateway()).getBean(RevocationLog.class);
    }

    /** Returns how many requests other members have served as the homes of objects. */
    double relayed() throws ReflectiveOperationException {
        return ApiServer.context(gateway())
                .getBean(MeterRegistry.class)
                .get("millrace.cluster.relayed.reads")
                .functionCounter()
                .count();
    }

    private ClusterMembership member() throws ReflectiveOperationException {
        return ApiServer.context(gateway()).getBean(ClusterMembership.class);
    }

    /** Returns the status and the body of the readiness probe. */
    String ready() throws IOException, InterruptedException {
        return MillraceProcess.get("http://127.0.0.1:" + gateway().adminPort() + "/ready");
    }

    ApiServer.Response api(String method, String path, String body) throws IOException, InterruptedException {
        return ApiServer.send(HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + gateway().adminPort() + ApiServer.API + path))
                .header(
                        "authorization",
                        "Bearer " + BearerTokens.make(KEY, Secret.of(SECRET), Duration.ofHours(1), Instant.now()))
                .header("content-type", "application/json")
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    Gateway gateway() {
        if (gateway == null) {
            throw new IllegalStateException(name + " was not started");
        }
        return gateway;
    }

    S3Client client() {
        if (client == null) {
            throw new IllegalStateException(name + " was not started");
        }
        return client;
    }

    /** Stops it in order, if it runs. */
    void stop() {
        if (client != null) {
            client.close();
            client = null;
        }
        if (gateway != null) {
            gateway.close();
            gateway = null;
        }
    }

    @Override
    public void close() throws IOException {
        stop();
        port.close();
    }
}
