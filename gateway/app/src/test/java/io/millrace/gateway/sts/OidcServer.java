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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.concurrent.atomic.AtomicInteger;

/** Identity provider on a local port, with discovery and keys that tests choose. */
final class OidcServer implements AutoCloseable {
    static final String AUDIENCE = "millrace";

    private final HttpServer server;
    private final AtomicInteger keyFetches = new AtomicInteger();
    private volatile JWKSet keys = new JWKSet();
    private volatile String stated;

    OidcServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        stated = url();
        server.createContext(
                "/.well-known/openid-configuration",
                exchange ->
                        send(exchange, "{ \"issuer\": \"%s\", \"jwks_uri\": \"%s/keys\" }".formatted(stated, url())));
        server.createContext("/keys", exchange -> {
            keyFetches.incrementAndGet();
            send(exchange, keys.toString(true));
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    int keyFetches() {
        return keyFetches.get();
    }

    void publish(JWK... published) {
        keys = new JWKSet(Arrays.asList(published));
    }

    /** Sets the issuer that the discovery document states. */
    void state(String issuer) {
        stated = issuer;
    }

    /** Returns valid claims, to be changed. */
    JWTClaimsSet.Builder claims(String subject) {
        Instant now = Instant.now();
        return new JWTClaimsSet.Builder()
                .issuer(url())
                .subject(subject)
                .audience(AUDIENCE)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plusSeconds(600)));
    }

    static String signed(JWK key, JWSAlgorithm algorithm, JWTClaimsSet claims) throws Exception {
        JWSSigner signer = new DefaultJWSSignerFactory().createJWSSigner(key, algorithm);
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), claims);
        token.sign(signer);
        return token.serialize();
    }

    private static void send(HttpExchange exchange, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
