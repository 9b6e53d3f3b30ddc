package io.millrace.backend.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A fake of Amazon's credential services on one loopback port: STS, SSO and its OIDC service, the container
 * endpoint, the instance metadata service. Each gives keys of its own name. All else is S3, which knows every object.
 */
final class FakeAws implements AutoCloseable {
    private static final Map<String, Integer> REFUSAL = Map.of("AssumeRole", 403, "AssumeRoleWithWebIdentity", 403);

    private final HttpServer server;
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> signed = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;

    private FakeAws(HttpServer server) {
        this.server = server;
    }

    static FakeAws start() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        FakeAws fake = new FakeAws(server);
        server.createContext("/", fake::handle);
        server.start();
        return fake;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** STS refuses from now on. */
    void refuse() {
        refusing = true;
    }

    /** Which services were asked for what, in order. */
    List<String> asked() {
        return List.copyOf(asked);
    }

    /** Access key and session token of each request to S3. */
    List<String> signed() {
        return List.copyOf(signed);
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/") && exchange.getRequestMethod().equals("POST")) {
            sts(exchange, body);
        } else if (path.equals("/federation/credentials")) {
            asked.add("sso " + exchange.getRequestHeaders().getFirst("x-amz-sso_bearer_token"));
            answer(exchange, 200, """
                    {"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"secret","sessionToken":"sso-token",\
                    "expiration":%d}}""".formatted(Instant.parse(expiration()).toEpochMilli()));
        } else if (path.equals("/token")) {
            asked.add("oidc");
            answer(exchange, 200, """
                    {"accessToken":"renewed","expiresIn":28800,"tokenType":"Bearer","refreshToken":"again"}""");
        } else if (path.equals("/container")) {
            asked.add("container " + exchange.getRequestHeaders().getFirst("Authorization"));
            answer(exchange, 200, document("CONTAINER"));
        } else if (path.startsWith("/latest/")) {
            metadata(exchange, path);
        } else {
            s3(exchange);
        }
    }

    private void sts(HttpExchange exchange, String body) throws IOException {
        String action = body.replaceFirst("(?s).*Action=([A-Za-z]+).*", "$1");
        asked.add(action + " by " + signer(exchange));
        if (refusing) {
            answer(exchange, REFUSAL.getOrDefault(action, 400), """
                    <ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>\
                    <Message>Not authorized to perform %s</Message></Error><RequestId>1</RequestId></ErrorResponse>""".formatted(action));
            return;
        }
        answer(exchange, 200, """
                <%1$sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%1$sResult><Credentials>\
                <AccessKeyId>%1$s</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>\
                <SessionToken>%1$s-token</SessionToken><Expiration>%2$s</Expiration></Credentials>\
                <AssumedRoleUser><AssumedRoleId>A:s</AssumedRoleId><Arn>arn:aws:sts::123456789012:assumed-role/r/s</Arn>\
                </AssumedRoleUser></%1$sResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></%1$sResponse>""".formatted(action, expiration()));
    }

    private void metadata(HttpExchange exchange, String path) throws IOException {
        asked.add("metadata");
        if (path.equals("/latest/api/token")) {
            exchange.getResponseHeaders().add("x-aws-ec2-metadata-token-ttl-seconds", "21600");
            answer(exchange, 200, "imds-token");
        } else if (path.matches("/latest/meta-data/iam/security-credentials/?")) {
            answer(exchange, 200, "node-role");
        } else if (path.equals("/latest/meta-data/iam/security-credentials/node-role")) {
            answer(exchange, 200, document("INSTANCE"));
        } else {
            answer(exchange, 404, "");
        }
    }

    private void s3(HttpExchange exchange) throws IOException {
        signed.add(
                signer(exchange) + " " + exchange.getRequestHeaders().getOrDefault("x-amz-security-token", List.of()));
        exchange.getResponseHeaders().add("ETag", "\"e\"");
        exchange.getResponseHeaders().add("Content-Length", "3");
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    /** Keys as metadata services and processes write them. */
    static String document(String name) {
        return """
                {"Version":1,"Code":"Success","Type":"AWS-HMAC","LastUpdated":"2026-01-01T00:00:00Z","AccessKeyId":"%1$s",\
                "SecretAccessKey":"secret","Token":"%1$s-token","SessionToken":"%1$s-token","Expiration":"%2$s"}""".formatted(name, expiration());
    }

    private static String expiration() {
        return Instant.now()
                .plus(1, ChronoUnit.HOURS)
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
    }

    private static String signer(HttpExchange exchange) {
        String authorization = exchange.getRequestHeaders().getFirst("Authorization");
        return authorization == null ? "nobody" : authorization.replaceFirst(".*Credential=([^/]*)/.*", "$1");
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
