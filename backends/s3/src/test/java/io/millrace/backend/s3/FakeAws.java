package io.millrace.backend.s3;

import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import java.net.URI;
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

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> signed = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;
    private final RecordingServer server = new RecordingServer(this::respond);

    URI uri() {
        return server.uri();
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
        server.close();
    }

    private PlannedResponse respond(RecordedRequest request) {
        String path = request.path();
        if (path.equals("/") && request.method().equals("POST")) {
            return sts(request);
        }
        if (path.equals("/federation/credentials")) {
            asked.add("sso " + request.header("x-amz-sso_bearer_token").orElse(""));
            return PlannedResponse.text(
                    200, """
                    {"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"secret","sessionToken":"sso-token",\
                    "expiration":%d}}""".formatted(Instant.parse(expiration()).toEpochMilli()));
        }
        if (path.equals("/token")) {
            asked.add("oidc");
            return PlannedResponse.text(200, """
                    {"accessToken":"renewed","expiresIn":28800,"tokenType":"Bearer","refreshToken":"again"}""");
        }
        if (path.equals("/container")) {
            asked.add("container " + request.header("Authorization").orElse(""));
            return PlannedResponse.text(200, document("CONTAINER"));
        }
        return path.startsWith("/latest/") ? metadata(path) : s3(request);
    }

    private PlannedResponse sts(RecordedRequest request) {
        String action = request.text().replaceFirst("(?s).*Action=([A-Za-z]+).*", "$1");
        asked.add(action + " by " + signer(request));
        if (refusing) {
            return PlannedResponse.text(REFUSAL.getOrDefault(action, 400), """
                    <ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>\
                    <Message>Not authorized to perform %s</Message></Error><RequestId>1</RequestId></ErrorResponse>""".formatted(action));
        }
        return PlannedResponse.text(200, """
                <%1$sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%1$sResult><Credentials>\
                <AccessKeyId>%1$s</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>\
                <SessionToken>%1$s-token</SessionToken><Expiration>%2$s</Expiration></Credentials>\
                <AssumedRoleUser><AssumedRoleId>A:s</AssumedRoleId><Arn>arn:aws:sts::123456789012:assumed-role/r/s</Arn>\
                </AssumedRoleUser></%1$sResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></%1$sResponse>""".formatted(action, expiration()));
    }

    private PlannedResponse metadata(String path) {
        asked.add("metadata");
        if (path.equals("/latest/api/token")) {
            return PlannedResponse.text(200, "imds-token").with("x-aws-ec2-metadata-token-ttl-seconds", "21600");
        }
        if (path.matches("/latest/meta-data/iam/security-credentials/?")) {
            return PlannedResponse.text(200, "node-role");
        }
        return path.equals("/latest/meta-data/iam/security-credentials/node-role")
                ? PlannedResponse.text(200, document("INSTANCE"))
                : PlannedResponse.of(404);
    }

    private PlannedResponse s3(RecordedRequest request) {
        List<String> token = request.header("x-amz-security-token").stream().toList();
        signed.add(signer(request) + " " + token);
        return PlannedResponse.of(200, "ETag", "\"e\"", "Content-Length", "3");
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

    private static String signer(RecordedRequest request) {
        return request.header("Authorization")
                .map(authorization -> authorization.replaceFirst(".*Credential=([^/]*)/.*", "$1"))
                .orElse("nobody");
    }
}
