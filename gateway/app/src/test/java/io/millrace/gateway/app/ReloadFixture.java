package io.millrace.gateway.app;

import io.millrace.auth.session.SessionKeyFile;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A gateway with a cache whose settings file tests change and reload, through the control API. */
final class ReloadFixture implements AutoCloseable {
    static final ApiServer.Caller ADMIN = ApiServer.ADMIN;
    static final ApiServer.Caller ALICE = ApiServer.ALICE;

    static final String ALICE_SETTINGS =
            "{ name: alice, access-key: ALICE01, secret-key: ALICE01-secret, allow: \"read,list,write:*\" }";
    static final String DATA = "{ name: data, backend: near, freshness: { mode: immutable } }";
    static final String NEAR = "near: { type: file, path: %s/near }";

    private final Path folder;
    private final Path file;
    private final Gateway gateway;

    ReloadFixture(Path folder) throws IOException, SettingsException {
        this(folder, DATA);
    }

    /** Starts a gateway with these buckets, in YAML. */
    ReloadFixture(Path folder, String buckets) throws IOException, SettingsException {
        this.folder = folder;
        this.file = folder.resolve("millrace.yaml");
        store("near/data/key", "near");
        store("far/data/key", "far");
        write(NEAR, buckets, ALICE_SETTINGS, "");
        SettingsSource source = () -> SettingsLoader.ofFile(file, MachineChecks.inThisProcess());
        gateway = Gateway.start(source.load(), Optional.of(source));
    }

    /** Writes an object into a backend's folder. */
    void store(String path, String content) throws IOException {
        Path object = folder.resolve(path);
        Files.createDirectories(object.getParent());
        Files.writeString(object, content);
    }

    /**
     * Writes the settings file.
     *
     * @param more further sections
     */
    void write(String backends, String buckets, String identities, String more) throws IOException {
        Files.writeString(
                file,
                """
                s3: { address: 127.0.0.1, port: 0 }
                admin: { address: 127.0.0.1, port: 0 }
                data: %1$s/state
                cache: { disks: [ { path: %1$s/cache, size: 1GiB } ], fill-memory: 64MiB }
                backends: { %2$s }
                buckets: [ %3$s ]
                identities:
                - { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" }
                %4$s
                """.formatted(
                                        folder,
                                        backends.replace("%s", folder.toString()),
                                        buckets,
                                        identities.isEmpty() ? "" : "- " + identities)
                        + more);
    }

    /** Replaces the content of the settings file. */
    void replaceInFile(String text, String by) throws IOException {
        String before = Files.readString(file);
        if (!before.contains(text)) {
            throw new IllegalArgumentException("the file has no " + text);
        }
        Files.writeString(file, before.replace(text, by));
    }

    ApiServer.Response reload() throws IOException, InterruptedException {
        return api(ADMIN, "POST", "/settings/reload", "");
    }

    ApiServer.Response changes() throws IOException, InterruptedException {
        return api(ADMIN, "GET", "/settings/changes", "");
    }

    ApiServer.Response api(ApiServer.Caller caller, String method, String path, String body)
            throws IOException, InterruptedException {
        return ApiServer.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.adminPort() + ApiServer.API + path))
                        .header("authorization", "Bearer " + caller.token())
                        .header("content-type", "application/json")
                        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                        .build());
    }

    /** Returns the value of a meter with these tags; empty if there is none. */
    String meter(String series) throws IOException, InterruptedException {
        return MillraceProcess.get("http://127.0.0.1:" + gateway.adminPort() + "/metrics")
                .lines()
                .filter(line -> line.startsWith(series + ' '))
                .map(line -> line.substring(series.length() + 1))
                .findFirst()
                .orElse("");
    }

    RawClient connect() throws IOException {
        return new RawClient(gateway.s3Port());
    }

    /** Sends a signed GET on a connection. */
    RawClient.Response get(RawClient connection, ApiServer.Caller caller, String target) throws IOException {
        return connection.send(client(caller).request("GET", target, Map.of()));
    }

    /** Sends a signed GET on a connection of its own. */
    RawClient.Response get(ApiServer.Caller caller, String target) throws IOException {
        return client(caller).get(target);
    }

    SigningClient client(ApiServer.Caller caller) {
        return new SigningClient(this::connect, Optional.of(signer(caller)));
    }

    static RequestSigner signer(ApiServer.Caller caller) {
        return new RequestSigner(caller.accessKey(), caller.secret(), "us-east-1");
    }

    int s3Port() {
        return gateway.s3Port();
    }

    /** Returns the keys of session tokens. */
    SessionKeyFile sessionKeys() throws ReflectiveOperationException {
        return ApiServer.context(gateway).getBean(SessionKeyFile.class);
    }

    /** Reloads as SIGHUP does. */
    void hangup() {
        gateway.reload();
    }

    @Override
    public void close() {
        gateway.close();
    }
}
