package io.millrace.gateway.testkit;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.Secret;
import java.io.IOException;
import java.net.URI;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Somebody who sends requests and signs them, or does not. Each goes over a connection of its own.
 *
 * @param signer none for a caller who does not sign
 * @param clock tells when requests are signed
 */
public record SigningClient(RawClient.Connector connector, Optional<RequestSigner> signer, InstantSource clock) {
    private static final String HOST = "gateway.test";

    /** Signs by the clock of the machine. */
    public SigningClient(RawClient.Connector connector, Optional<RequestSigner> signer) {
        this(connector, signer, InstantSource.system());
    }

    /** Nobody in particular. */
    public static SigningClient anonymous(TestGateway gateway) {
        return new SigningClient(gateway::connect, Optional.empty());
    }

    /** Whoever has this key. */
    public static SigningClient of(TestGateway gateway, String accessKey, String secretKey) {
        return new SigningClient(
                gateway::connect, Optional.of(new RequestSigner(accessKey, Secret.of(secretKey), "us-east-1")));
    }

    /** Returns the same caller with another clock. */
    public SigningClient at(InstantSource time) {
        return new SigningClient(connector, signer, time);
    }

    public RawClient.Response get(String target) throws IOException {
        return ask("GET", target, Map.of());
    }

    public RawClient.Response head(String target) throws IOException {
        return ask("HEAD", target, Map.of());
    }

    /** Sends any request without a body. */
    public RawClient.Response ask(String method, String target, Map<String, String> headers) throws IOException {
        try (RawClient client = connector.connect()) {
            return client.send(request(method, target, headers));
        }
    }

    /** The request as it is sent. */
    public String request(String method, String target, Map<String, String> headers) {
        Map<String, String> all = new LinkedHashMap<>(Map.of("host", HOST));
        all.putAll(headers);
        signer.ifPresent(s -> all.putAll(
                s.sign(URI.create("http://" + HOST + target), method, headers, PayloadType.UNSIGNED, clock.instant())));
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        all.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        return head.append("\r\n").toString();
    }
}
