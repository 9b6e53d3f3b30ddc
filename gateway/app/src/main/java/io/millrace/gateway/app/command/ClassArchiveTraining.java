package io.millrace.gateway.app.command;

import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.Secret;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.Gateway;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.SettingsLoader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * Loads the classes that a start, a first read and a client command need, so that the JVM can archive them
 * ({@code -XX:ArchiveClassesAtExit}). The script {@code millrace} runs it once for each build and JDK. It serves a
 * folder of its own on free ports of the loopback interface for a moment, whatever the environment says of another
 * server.
 */
public final class ClassArchiveTraining {
    /** In the environment, where client commands look for them. */
    private static final String ACCESS_KEY = "AWS_ACCESS_KEY_ID";

    private static final String SECRET_KEY = "AWS_SECRET_ACCESS_KEY";

    private ClassArchiveTraining() {}

    /** Takes an empty folder; the environment has an access key and a secret key of no other use. */
    public static void main(String[] args) throws SettingsException, IOException, InterruptedException {
        Path folder = Path.of(args[0]);
        Path settings = write(folder);
        JvmOptionsCommand.main(new String[] {"serve", "--config", settings.toString()});
        Map<String, String> keys = Map.of(ACCESS_KEY, System.getenv(ACCESS_KEY), SECRET_KEY, System.getenv(SECRET_KEY));
        try (Gateway gateway = Gateway.start(SettingsLoader.ofFile(settings, keys, MachineChecks.inThisProcess()))) {
            String endpoint = "http://127.0.0.1:" + gateway.s3Port();
            // The second read is a hit.
            read(endpoint);
            read(endpoint);
            MillraceApplication.run("jobs", "list", "--endpoint-url", gateway.consoleUrl());
        }
        System.exit(0);
    }

    private static Path write(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("objects/bucket"));
        Files.writeString(folder.resolve("objects/bucket/object"), "content");
        return Files.writeString(folder.resolve("millrace.yaml"), """
                data: ./data
                s3: { address: 127.0.0.1, port: 0 }
                admin: { address: 127.0.0.1, port: 0 }
                cache: { disks: [ { path: ./cache, size: 64MiB } ] }
                backends:
                  local: { type: file, path: ./objects }
                  remote: { type: s3, endpoint: "http://127.0.0.1:9", path-style: true, access-key: K, secret-key: S }
                buckets:
                  - { name: bucket, backend: local }
                  - { name: "*", backend: remote }
                identities: [ { name: admin, access-key: "${%s}", secret-key: "${%s}", allow: "*" } ]
                """.formatted(ACCESS_KEY, SECRET_KEY));
    }

    private static void read(String endpoint) throws IOException, InterruptedException {
        URI signed = new RequestSigner(System.getenv(ACCESS_KEY), Secret.of(System.getenv(SECRET_KEY)), "us-east-1")
                .presign(URI.create(endpoint + "/bucket/object"), "GET", Duration.ofMinutes(1), Instant.now());
        HttpClient.newHttpClient().send(HttpRequest.newBuilder(signed).build(), BodyHandlers.ofString());
    }
}
