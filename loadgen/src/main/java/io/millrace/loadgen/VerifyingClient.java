package io.millrace.loadgen;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.resources.ConnectionProvider;

/** An HTTP client that reads objects and compares every byte with the expected one. Thread-safe. */
final class VerifyingClient {
    private static final Duration STALLED = Duration.ofMinutes(2);

    private final URI bucket;
    private final Optional<RequestSigner> signer;
    private final HttpClient http;

    /** Creates a client with at most this many connections. */
    VerifyingClient(URI bucket, Optional<RequestSigner> signer, int connections) {
        this.bucket = bucket;
        this.signer = signer;
        this.http = HttpClient.create(ConnectionProvider.builder("loadgen")
                        .maxConnections(connections)
                        .pendingAcquireMaxCount(-1)
                        .build())
                .responseTimeout(STALLED)
                .disableRetry(true);
    }

    /** Reads a target. The result reports failures; the publisher never fails. */
    Mono<GetResult> get(GetTarget target) {
        return Mono.defer(() -> {
            Check check = new Check(target);
            URI uri = URI.create(bucket + "/" + target.object().key());
            return http.headers(headers -> fill(headers, uri, target))
                    .get()
                    .uri(uri)
                    .response((response, body) -> {
                        check.head(response);
                        return body.doOnNext(check::piece);
                    })
                    .then(Mono.fromSupplier(check::end))
                    .onErrorResume(failure -> Mono.just(check.broken(failure)));
        });
    }

    private void fill(HttpHeaders headers, URI uri, GetTarget target) {
        Map<String, String> signed = new HashMap<>();
        if (!target.isWhole()) {
            signed.put("range", target.span().requested());
        }
        signed.forEach(headers::set);
        signer.ifPresent(s ->
                s.sign(uri, "GET", signed, PayloadType.UNSIGNED, Instant.now()).forEach(headers::set));
    }

    /** Checks one response. */
    private static final class Check {
        private final GetTarget target;
        private final long started = System.nanoTime();
        private long firstByte;
        private long received;
        private int status;
        private boolean hit;
        private boolean wrong;

        Check(GetTarget target) {
            this.target = target;
        }

        void head(HttpClientResponse response) {
            status = response.status().code();
            hit = response.responseHeaders().get("Cache-Status", "").contains("; hit");
            if (isServed()
                    && !Long.toString(target.span().length())
                            .equals(response.responseHeaders().get(HttpHeaderNames.CONTENT_LENGTH))) {
                wrong = true;
            }
        }

        void piece(ByteBuf piece) {
            if (received == 0) {
                firstByte = System.nanoTime();
            }
            if (isServed()) {
                wrong |= !target.object().matches(target.span().from() + received, piece);
            }
            received += piece.readableBytes();
        }

        private boolean isServed() {
            return status == 200 || status == 206;
        }

        GetResult end() {
            if (!isServed()) {
                return result(GetResult.End.FAILED, "status " + status);
            }
            return received == target.span().length()
                    ? result(GetResult.End.RIGHT, "")
                    : result(GetResult.End.FAILED, "received %d bytes".formatted(received));
        }

        GetResult broken(Throwable failure) {
            return result(GetResult.End.FAILED, failure.toString());
        }

        private GetResult result(GetResult.End end, String fault) {
            long now = System.nanoTime();
            return new GetResult(
                    target,
                    wrong ? GetResult.End.WRONG : end,
                    hit,
                    received,
                    (firstByte == 0 ? now : firstByte) - started,
                    now - started,
                    System.currentTimeMillis(),
                    wrong ? "not the bytes of the object" : fault);
        }
    }
}
