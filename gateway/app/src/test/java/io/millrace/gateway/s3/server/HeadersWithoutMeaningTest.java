package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.testkit.Polling;
import io.millrace.config.Secret;
import io.millrace.gateway.RawClient;
import io.millrace.gateway.app.Gateway;
import io.millrace.gateway.app.settings.SettingsLoader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.Credentials;

/** Reads that no header line or parameter without a meaning takes off the fast path, by the meter, however they prove who sends them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HeadersWithoutMeaningTest {
    private static final String CONTENT = "content";

    /** The header lines of load balancers, proxies, tracers, browsers and SDKs. */
    private static final List<String> LINES = List.of(
            "X-Forwarded-For: 203.0.113.7",
            "X-Forwarded-For: 10.0.0.2, 10.0.0.3",
            "X-Forwarded-Proto: https",
            "X-Forwarded-Host: other.example",
            "X-Forwarded-Port: 443",
            "X-Forwarded-Server: node-1",
            "X-Real-IP: 203.0.113.7",
            "X-Envoy-External-Address: 203.0.113.7",
            "X-Client-IP: 203.0.113.7",
            "True-Client-IP: 203.0.113.7",
            "CF-Ray: 7d5a0d0a0a0a0a0a-FRA",
            "Forwarded: for=203.0.113.7;proto=https",
            "Via: 1.1 first.example",
            "Via: 1.1 second.example",
            "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "tracestate: rojo=00f067aa0ba902b7",
            "baggage: userId=alice",
            "b3: 80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1",
            "X-B3-TraceId: 80f198ee56343ba864fe8b2a57d3eff7",
            "uber-trace-id: 1:2:0:1",
            "X-Request-ID: 77c1c83b-7ab0-905c-bc58-e4bc92081d0a",
            "X-Correlation-ID: 77c1c83b",
            "X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678",
            "X-Cloud-Trace-Context: 105445aa7843bc8bf206b12000100000/1;o=1",
            "amz-sdk-invocation-id: 52a0c0b2-2d2f-4a3b-8e4e-0d6f0f4f0f4f",
            "amz-sdk-request: attempt=1; max=3",
            "amz-sdk-retry: 0/0/500",
            "User-Agent: Boto3/1.40.0 md/Botocore#1.40.0",
            "X-Amz-User-Agent: aws-sdk-js/3.0",
            "Accept: */*",
            "Accept-Encoding: gzip, identity",
            "Accept-Language: en",
            "Cookie: session=1",
            "Cookie: sticky=node-2",
            "Referer: https://example.org/",
            "Pragma: no-cache",
            "DNT: 1",
            "Sec-Fetch-Mode: no-cors",
            "Priority: u=1",
            "Max-Forwards: 10",
            "Keep-Alive: timeout=5",
            "Connection: keep-alive",
            "Content-Length: 0");

    /** The way in which a request proves who sends it. */
    private enum Proof {
        SIGNATURE,
        PRESIGNED_URL,
        SESSION_TOKEN,
        PRESIGNED_URL_OF_A_SESSION,
        NONE
    }

    private record Totals(double requests, double fast) {}

    private final HttpClient scraper =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @SuppressWarnings("NullAway.Init") // set before all tests
    private Gateway gateway;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private Credentials session;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        Files.createDirectories(folder.resolve("objects/data"));
        Files.writeString(folder.resolve("objects/data/key"), CONTENT);
        gateway = Gateway.start(SettingsLoader.ofText("""
                s3: { address: 127.0.0.1, port: 0 }
                admin: { address: 127.0.0.1, port: 0 }
                data: %1$s/state
                cache: { disks: [ { path: %1$s/cache, size: 64MiB } ] }
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ { name: data, backend: local, anonymous: read, freshness: { mode: immutable } } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                sts: { plain-http: true }
                """.formatted(folder), Map.of()));
        try (StsClient sts = StsClient.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(URI.create("http://127.0.0.1:" + gateway.s3Port()))
                .region(Region.US_EAST_1)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("ADMIN01", "ADMIN01-secret")))
                .build()) {
            session = sts.getSessionToken().credentials();
        }
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @EnumSource(Proof.class)
    void readStaysFast(Proof proof) throws IOException {
        try (RawClient client = new RawClient(gateway.s3Port())) {
            assertFast(client, "GET", proof, "/data/key", List.of());
            for (String line : LINES) {
                assertFast(client, "GET", proof, "/data/key", List.of(line));
            }
            assertFast(client, "GET", proof, "/data/key", LINES);
            assertFast(client, "HEAD", proof, "/data/key", LINES);
            assertFast(client, "GET", proof, "/data/key?x-id=GetObject&x-other=1", LINES);
        }
    }

    /** A pause of the machine may send a request or two the other way. */
    private void assertFast(RawClient client, String method, Proof proof, String target, List<String> lines) {
        Polling.until(method + ' ' + target + ' ' + proof + " is fast with " + lines, () -> {
            Totals before = totals();
            assertThat(client.send(request(method, proof, target, lines)).status())
                    .isEqualTo(200);
            Polling.until("the request is counted", () -> totals().requests() > before.requests());
            return totals().fast() > before.fast();
        });
    }

    private String request(String method, Proof proof, String target, List<String> lines) {
        URI uri = URI.create("http://gateway.test" + target);
        Map<String, String> headers = new LinkedHashMap<>(Map.of("host", "gateway.test"));
        String sent = target;
        switch (proof) {
            case SIGNATURE -> headers.putAll(signer().sign(uri, method, Map.of(), PayloadType.UNSIGNED, Instant.now()));
            case SESSION_TOKEN -> {
                headers.put("x-amz-security-token", session.sessionToken());
                headers.putAll(signerOfSession()
                        .sign(
                                uri,
                                method,
                                Map.of("x-amz-security-token", session.sessionToken()),
                                PayloadType.UNSIGNED,
                                Instant.now()));
            }
            case PRESIGNED_URL -> sent = presigned(signer(), uri, method);
            case PRESIGNED_URL_OF_A_SESSION ->
                sent = presigned(
                        signerOfSession(),
                        URI.create(uri
                                + (target.contains("?") ? "&" : "?")
                                + "X-Amz-Security-Token="
                                + session.sessionToken()
                                        .replace("+", "%2B")
                                        .replace("/", "%2F")
                                        .replace("=", "%3D")),
                        method);
            case NONE -> {}
        }
        StringBuilder text = new StringBuilder(method + ' ' + sent + " HTTP/1.1\r\n");
        headers.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
        lines.forEach(line -> text.append(line).append("\r\n"));
        return text.append("\r\n").toString();
    }

    private static String presigned(RequestSigner signer, URI uri, String method) {
        URI url = signer.presign(uri, method, Duration.ofMinutes(5), Instant.now());
        return url.getRawPath() + '?' + url.getRawQuery();
    }

    private static RequestSigner signer() {
        return new RequestSigner("ADMIN01", Secret.of("ADMIN01-secret"), "us-east-1");
    }

    private RequestSigner signerOfSession() {
        return new RequestSigner(session.accessKeyId(), Secret.of(session.secretAccessKey()), "us-east-1");
    }

    private Totals totals() throws IOException, InterruptedException {
        URI metrics = URI.create(gateway.consoleUrl() + "metrics");
        List<String> lines = scraper.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofLines())
                .body()
                .toList();
        return new Totals(sum(lines, "millrace_s3_request_seconds_count"), sum(lines, "millrace_s3_fast_path_total"));
    }

    private static double sum(List<String> lines, String meter) {
        return lines.stream()
                .filter(line -> line.startsWith(meter))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
