package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.auth.PayloadType;
import io.millrace.auth.Sha256;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.config.Secret;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Gateway with a cache over a folder of twenty objects, and callers of its API, for tests. */
final class ApiServer implements AutoCloseable {
    /** Prefix of paths below {@code /api/v1}. */
    static final String API = "/api/v1";

    static final Caller ADMIN = new Caller("ADMIN01");
    static final Caller ALICE = new Caller("ALICE01");
    static final Caller BOB = new Caller("BOB0001");
    /** Caller with {@code admin} on one bucket. */
    static final Caller KEEPER = new Caller("KEEPER1");
    /** Caller that may write below one prefix, and read nothing. */
    static final Caller WRITER = new Caller("WRITER1");

    /** Caller that may read one bucket, but not list it. */
    static final Caller READER = new Caller("READER1");

    static final int OBJECTS = 20;

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Gateway gateway;
    private final Path objects;

    /** Identity whose secret is its access key followed by a word. */
    record Caller(String accessKey) {
        Secret secret() {
            return Secret.of(accessKey + "-secret");
        }

        String token() {
            return BearerTokens.make(accessKey, secret(), Duration.ofHours(1), Instant.now());
        }
    }

    /** Response of the API; {@code json} is missing if the body is not JSON. */
    record Response(int status, String type, String text, HttpResponse<?> raw) {
        JsonNode json() {
            return JSON.readTree(text);
        }

        String field(String name) {
            return json().path(name).asString("");
        }
    }

    private ApiServer(Gateway gateway, Path objects) {
        this.gateway = gateway;
        this.objects = objects;
    }

    static ApiServer start(Path folder) throws Exception {
        return start(
                folder,
                "{ name: data, backend: local, freshness: { mode: immutable } }, { name: other, backend: local }");
    }

    /** Starts a gateway with these buckets, in YAML. */
    static ApiServer start(Path folder, String buckets) throws Exception {
        return start(folder, buckets, "");
    }

    /**
     * Starts a gateway with these buckets, in YAML.
     *
     * @param more further sections of the settings file
     */
    static ApiServer start(Path folder, String buckets, String more) throws Exception {
        return start(folder, buckets, more, Map.of());
    }

    /** Starts a gateway whose settings these environment variables override. */
    static ApiServer start(Path folder, String buckets, String more, Map<String, String> environment) throws Exception {
        Path objects = folder.resolve("objects");
        Path bucket = Files.createDirectories(objects.resolve("data"));
        Files.createDirectories(objects.resolve("other"));
        for (int i = 0; i < OBJECTS; i++) {
            Files.writeString(bucket.resolve("o-%02d".formatted(i)), "content " + i);
        }
        String yaml = """
                s3: { address: 127.0.0.1, port: 0 }
                admin: { address: 127.0.0.1, port: 0 }
                data: %1$s/data
                cache: { disks: [ { path: %1$s/cache, size: 1GiB } ], fill-memory: 64MiB }
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ %2$s ]
                identities:
                - { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" }
                - { name: alice, access-key: ALICE01, secret-key: ALICE01-secret, allow: [ "read,list:data" ] }
                - { name: bob, access-key: BOB0001, secret-key: BOB0001-secret, allow: [ "read,list:data" ] }
                - { name: keeper, access-key: KEEPER1, secret-key: KEEPER1-secret, allow: [ "read,admin:data" ] }
                - { name: reader, access-key: READER1, secret-key: READER1-secret, allow: [ "read:other" ] }
                - { name: writer, access-key: WRITER1, secret-key: WRITER1-secret, allow: [ "write:data/o-*" ] }
                """.formatted(folder, buckets) + more;
        return new ApiServer(Gateway.start(SettingsLoader.ofText(yaml, environment)), objects);
    }

    int port() {
        return gateway.adminPort();
    }

    int s3Port() {
        return gateway.s3Port();
    }

    /** Returns the gateway's cache. */
    BlockCache cache() throws ReflectiveOperationException {
        return context(gateway).getBean(CacheLifecycle.class).blocks().orElseThrow();
    }

    /** Returns what a gateway consists of. */
    static ApplicationContext context(Gateway gateway) throws ReflectiveOperationException {
        Field context = Gateway.class.getDeclaredField("context");
        context.setAccessible(true);
        return (ApplicationContext) Objects.requireNonNull(context.get(gateway));
    }

    /** Returns the folder of the objects of bucket {@code data}. */
    Path bucket() {
        return objects.resolve("data");
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    Response get(Caller caller, String path) throws IOException, InterruptedException {
        return send(caller, "GET", path, "");
    }

    Response post(Caller caller, String path, String body) throws IOException, InterruptedException {
        return send(caller, "POST", path, body);
    }

    /** Sends a signed request. */
    Response send(Caller caller, String method, String path, String body) throws IOException, InterruptedException {
        return send(request(method, path, body, signature(caller, method, uri(path), hash(body))));
    }

    Map<String, String> signature(Caller caller, String method, URI uri, PayloadType payload) {
        return new RequestSigner(caller.accessKey(), caller.secret(), "anywhere")
                .sign(uri, method, Map.of(), payload, Instant.now());
    }

    HttpRequest request(String method, String path, String body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .timeout(Duration.ofSeconds(60))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty() && !headers.containsKey("content-type")) {
            request.header("content-type", "application/json");
        }
        headers.forEach(request::header);
        return request.build();
    }

    static Response send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = CLIENT.send(request, BodyHandlers.ofString());
        return new Response(
                response.statusCode(),
                response.headers().firstValue("content-type").orElse(""),
                response.body(),
                response);
    }

    /** Waits for the end of a job. */
    Response awaitEnd(String id) throws IOException, InterruptedException {
        Polling.within(Duration.ofSeconds(60))
                .alias("job " + id + " ends")
                .until(() -> !get(ADMIN, API + "/jobs/" + id).field("ended").isEmpty());
        return get(ADMIN, API + "/jobs/" + id);
    }

    static PayloadType hash(String body) {
        return new PayloadType.Sha256(Sha256.hex(body.getBytes(UTF_8)));
    }

    @Override
    public void close() {
        gateway.close();
    }
}
