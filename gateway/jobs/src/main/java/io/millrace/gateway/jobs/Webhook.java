package io.millrace.gateway.jobs;

import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.OutboundSettings;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.HeaderList;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import reactor.core.publisher.Mono;

/** The client of one receiver of messages, which are signed as Standard Webhooks says. Thread-safe. */
final class Webhook {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int CONNECTIONS = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final HttpTimeouts TIMEOUTS = new HttpTimeouts(TIMEOUT, TIMEOUT, TIMEOUT);

    /** With growing pauses, three minutes or four. */
    private static final int ATTEMPTS = 16;

    private final WebhookSettings settings;
    private final HttpConnectionPool connections;
    private final HttpRequestSender sender;
    private final InstantSource clock;

    Webhook(String name, WebhookSettings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
        this.connections = new HttpConnectionPool(new HttpPoolSettings(
                "webhook-" + name,
                CONNECTIONS,
                TIMEOUT,
                TIMEOUT,
                new OutboundSettings(settings.tls(), Optional.empty())));
        this.sender = new HttpRequestSender(connections.client(settings.url().isSecure()));
    }

    /** Sends a message until it is accepted; fails if the receiver refuses it, or does not answer for minutes. */
    Mono<Void> send(String id, byte[] json) {
        return Mono.defer(() -> attempt(id, json))
                .onErrorMap(failure -> DownloadFailureText.explained(settings.url(), failure))
                .retryWhen(FailureClassifier.retry(ATTEMPTS, new RetryReason()));
    }

    Mono<Void> close() {
        return connections.close();
    }

    private Mono<Void> attempt(String id, byte[] json) {
        WebUrl url = settings.url();
        String time = Long.toString(clock.instant().getEpochSecond());
        HeaderList headers = HeaderList.EMPTY
                .with("host", url.authority())
                .with("user-agent", "millrace")
                .with("content-type", "application/json")
                .with("content-length", Integer.toString(json.length))
                .with("webhook-id", id)
                .with("webhook-timestamp", time)
                .with("webhook-signature", "v1," + signature(id + '.' + time + '.', json));
        return sender.send(
                        new HttpRequestHead("POST", url.address(), url.target(), headers),
                        OutgoingRequestBody.of(ByteBuffer.wrap(json)),
                        TIMEOUTS)
                .flatMap(response -> {
                    response.body().discard();
                    return accepted(response.status());
                });
    }

    private static Mono<Void> accepted(int status) {
        if (status / 100 == 2) {
            return Mono.empty();
        }
        String text = "it responds with " + status;
        boolean isPassing = status == 408 || status == 425 || status == 429 || status >= 500;
        String hint = status / 100 == 3 ? ", a redirect, which is not followed: correct the url" : "";
        return Mono.error(isPassing ? FetchException.passing(text) : FetchException.lasting(text + hint));
    }

    private String signature(String head, byte[] json) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(settings.keyBytes(), ALGORITHM));
            mac.update(head.getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(mac.doFinal(json));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256 and takes any key for it", e);
        }
    }
}
