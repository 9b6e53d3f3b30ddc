package io.millrace.gateway.sts;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.factories.DefaultJWSSignerFactory;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Identity provider on a local port, with discovery and keys that tests choose. */
public final class OidcServer implements AutoCloseable {
    static final String AUDIENCE = "millrace";

    private final HttpServer server;
    private final AtomicInteger keyFetches = new AtomicInteger();
    private final AtomicInteger redemptions = new AtomicInteger();
    private final Map<String, Grant> codes = new ConcurrentHashMap<>();
    private final Set<String> redeemed = ConcurrentHashMap.newKeySet();
    private final Set<String> dripping = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean closed;
    private volatile JWKSet keys = new JWKSet();
    private volatile String stated;

    public OidcServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        stated = url();
        server.createContext(
                "/.well-known/openid-configuration", exchange -> send(exchange, 200, """
                                { "issuer": "%1$s", "jwks_uri": "%2$s/keys", "authorization_endpoint": "%2$s/authorize",
                                  "token_endpoint": "%2$s/token" }""".formatted(stated, url())));
        server.createContext("/token", this::redeem);
        server.createContext("/keys", exchange -> {
            keyFetches.incrementAndGet();
            send(exchange, 200, keys.toString(true));
        });
        server.setExecutor(threads);
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
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

    private void redeem(HttpExchange exchange) throws IOException {
        redemptions.incrementAndGet();
        Map<String, String> form =
                parameters(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        Grant grant = redeemed.add(form.getOrDefault("code", "")) ? codes.get(form.get("code")) : null;
        boolean isGood = grant != null
                && "authorization_code".equals(form.get("grant_type"))
                && ("Basic " + Base64.getEncoder().encodeToString("console:hush".getBytes(StandardCharsets.UTF_8)))
                        .equals(exchange.getRequestHeaders().getFirst("Authorization"))
                && grant.authorization().get("redirect_uri").equals(form.get("redirect_uri"))
                && grant.authorization()
                        .get("code_challenge")
                        .equals(challenge(form.getOrDefault("code_verifier", "")));
        if (isGood) {
            send(exchange, 200, "{ \"token_type\": \"Bearer\", \"id_token\": \"%s\" }".formatted(grant.idToken()));
        } else {
            send(exchange, 400, "{ \"error\": \"invalid_grant\" }");
        }
    }

    private static String challenge(String verifier) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the parameters of a form or a query. */
    static Map<String, String> parameters(String encoded) {
        return Arrays.stream(encoded.split("&"))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    }

    private void send(HttpExchange exchange, int status, String json) throws IOException {
        if (dripping.contains(exchange.getRequestURI().getPath())) {
            drip(exchange);
            return;
        }
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void drip(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (exchange;
                OutputStream body = exchange.getResponseBody()) {
            while (!closed) {
                body.write(' ');
                body.flush();
                // The pause is the fault: shorter than any timeout between two bytes.
                Thread.sleep(100);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        server.stop(0);
        threads.shutdown();
    }
}
