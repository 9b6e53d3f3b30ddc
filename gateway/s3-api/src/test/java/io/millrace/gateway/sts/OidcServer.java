package io.millrace.gateway.sts;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.factories.DefaultJWSSignerFactory;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import io.millrace.backend.testkit.server.ScriptedServer.ServerConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Identity provider on a local port, with discovery and keys that tests choose. */
public final class OidcServer implements AutoCloseable {
    static final String AUDIENCE = "millrace";

    private final AtomicInteger keyFetches = new AtomicInteger();
    private final AtomicInteger redemptions = new AtomicInteger();
    private final Map<String, Grant> codes = new ConcurrentHashMap<>();
    private final Set<String> redeemed = ConcurrentHashMap.newKeySet();
    private final Set<String> dripping = ConcurrentHashMap.newKeySet();
    private final ScriptedServer server;
    private volatile JWKSet keys = new JWKSet();
    private volatile String stated;

    public OidcServer() throws IOException {
        server = ScriptedServer.start(this::serve);
        stated = url();
    }

    public String url() {
        return server.uri().toString();
    }

    int keyFetches() {
        return keyFetches.get();
    }

    public void publish(JWK... published) {
        keys = new JWKSet(Arrays.asList(published));
    }

    /** Lets what is at a path come a byte now and then, without end. */
    public void drip(String path) {
        dripping.add(path);
    }

    /** Sets the issuer that the discovery document states. */
    void state(String issuer) {
        stated = issuer;
    }

    /** Returns valid claims, to be changed. */
    public JWTClaimsSet.Builder claims(String subject) {
        Instant now = Instant.now();
        return new JWTClaimsSet.Builder()
                .issuer(url())
                .subject(subject)
                .audience(AUDIENCE)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plusSeconds(600)));
    }

    public static String signed(JWK key, JWSAlgorithm algorithm, JWTClaimsSet claims) throws Exception {
        JWSSigner signer = new DefaultJWSSignerFactory().createJWSSigner(key, algorithm);
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), claims);
        token.sign(signer);
        return token.serialize();
    }

    /** A code that was given out: the token that it brings, once, and the request that it takes. */
    private record Grant(String idToken, Map<String, String> authorization) {}

    /**
     * Signs a person in, as the authorization endpoint does, and returns the code.
     *
     * @param authorization the parameters of the request to that endpoint
     */
    String signIn(Map<String, String> authorization, String idToken) {
        String code = "code-" + codes.size();
        codes.put(code, new Grant(idToken, authorization));
        return code;
    }

    /** Returns the number of requests to the token endpoint. */
    int redemptions() {
        return redemptions.get();
    }

    private void serve(ReceivedRequest head, ServerConnection connection) throws IOException, InterruptedException {
        RecordedRequest request = connection.whole(head);
        PlannedResponse response = respond(request);
        if (dripping.contains(request.path())) {
            drip(connection);
        } else {
            connection.send(request, response);
        }
    }

    private PlannedResponse respond(RecordedRequest request) {
        return switch (request.path()) {
            case "/.well-known/openid-configuration" -> PlannedResponse.json(200, """
                    { "issuer": "%1$s", "jwks_uri": "%2$s/keys", "authorization_endpoint": "%2$s/authorize",
                      "token_endpoint": "%2$s/token" }""".formatted(stated, url()));
            case "/token" -> redeem(request);
            case "/keys" -> {
                keyFetches.incrementAndGet();
                yield PlannedResponse.json(200, keys.toString(true));
            }
            default -> PlannedResponse.of(404);
        };
    }

    private PlannedResponse redeem(RecordedRequest request) {
        redemptions.incrementAndGet();
        Map<String, String> form = request.form();
        Grant grant = redeemed.add(form.getOrDefault("code", "")) ? codes.get(form.get("code")) : null;
        String client = Base64.getEncoder().encodeToString("console:hush".getBytes(StandardCharsets.UTF_8));
        boolean isGood = grant != null
                && "authorization_code".equals(form.get("grant_type"))
                && request.header("Authorization").equals(Optional.of("Basic " + client))
                && grant.authorization().get("redirect_uri").equals(form.get("redirect_uri"))
                && grant.authorization()
                        .get("code_challenge")
                        .equals(challenge(form.getOrDefault("code_verifier", "")));
        if (!isGood) {
            return PlannedResponse.json(400, "{ \"error\": \"invalid_grant\" }");
        }
        String token = Objects.requireNonNull(grant).idToken();
        return PlannedResponse.json(200, "{ \"token_type\": \"Bearer\", \"id_token\": \"%s\" }".formatted(token));
    }

    private static String challenge(String verifier) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void drip(ServerConnection connection) throws IOException, InterruptedException {
        connection.head("200 OK", "Transfer-Encoding: chunked");
        // Until either side closes the connection.
        while (true) {
            connection.text("1\r\n \r\n");
            // The pause is the fault: shorter than any timeout between two bytes.
            Thread.sleep(100);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
