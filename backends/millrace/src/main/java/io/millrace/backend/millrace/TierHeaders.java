package io.millrace.backend.millrace;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.TierResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/**
 * Converts between headers and what gateways tell each other. The headers of requests are not signed, because they
 * differ for each client.
 */
final class TierHeaders {
    private static final String CACHE_STATUS = "cache-status";
    private static final Pattern STATUSES = Pattern.compile("[ -~]{1,1024}");
    private static final Pattern MILLIS = Pattern.compile("[0-9]{1,13}");
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,10}");

    private TierHeaders() {}

    /** Returns a client that adds what the context tells of each request. */
    static HttpClient addToRequests(HttpClient client) {
        return client.headersWhen(headers -> Mono.deferContextual(context -> {
            TierRequest request = TierRequest.from(context);
            if (!request.hops().ids().isEmpty()) {
                headers.set(GatewayHops.HEADER, request.hops().toHeader());
            }
            if (request.revalidate()) {
                headers.set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
            }
            return Mono.just(headers);
        }));
    }

    /**
     * Returns an object's metadata with the report in a response's headers.
     *
     * @throws BackendException of kind INVALID_RESPONSE if there is none, which a gateway never leaves out: an ETag it
     *     may, where its own backend is a web server
     */
    static ObjectHead describe(ObjectHead head, HttpHeaders headers) {
        String statuses = String.join(", ", headers.getAll(CACHE_STATUS));
        if (!statuses.contains("millrace")) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE,
                    "the response has no Cache-Status of a Millrace: something else has sent it");
        }
        return head.through(new TierResponse(STATUSES.matcher(statuses).matches() ? statuses : "", age(headers)));
    }

    private static Duration age(HttpHeaders headers) {
        String millis = headers.get(TierResponse.AGE_HEADER, "").strip();
        if (MILLIS.matcher(millis).matches()) {
            return Duration.ofMillis(Long.parseLong(millis));
        }
        // Of a release that does not tell milliseconds.
        String seconds = headers.get(HttpHeaderNames.AGE, "").strip();
        return SECONDS.matcher(seconds).matches() ? Duration.ofSeconds(Long.parseLong(seconds)) : Duration.ZERO;
    }
}
