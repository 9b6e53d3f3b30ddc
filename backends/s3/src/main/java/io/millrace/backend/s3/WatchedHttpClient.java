package io.millrace.backend.s3;

import io.netty.util.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/**
 * The SDK's HTTP client with deadlines that tell a silent server from a slow reader, and bodies that always end with a
 * signal. Threads as the client below has them.
 */
final class WatchedHttpClient implements SdkAsyncHttpClient {
    private final SdkAsyncHttpClient client;
    private final Limits limits;
    private final Timer timer;

    /**
     * How long a server is waited for.
     *
     * @param firstByte from the request to the head of its answer, the wait for a connection included
     * @param idle between two pieces of a body, while a reader wants one
     */
    record Limits(Duration firstByte, Duration idle) {}

    /** Closing this closes {@code client}, and leaves {@code timer} to its owner. */
    WatchedHttpClient(SdkAsyncHttpClient client, Limits limits, Timer timer) {
        this.client = client;
        this.limits = limits;
        this.timer = timer;
    }

    @Override
    public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
        Exchange exchange = new Exchange(request.responseHandler(), limits, timer);
        CompletableFuture<Void> answered = client.execute(AsyncExecuteRequest.builder()
                .request(plain(request.request()))
                .requestContentPublisher(request.requestContentPublisher())
                .responseHandler(exchange)
                .metricCollector(request.metricCollector().orElse(null))
                .fullDuplex(request.fullDuplex())
                .httpExecutionAttributes(request.httpExecutionAttributes())
                .build());
        exchange.watch(answered);
        return answered;
    }

    @Override
    public String clientName() {
        return client.clientName();
    }

    @Override
    public void close() {
        client.close();
    }

    /** Asks for the bytes as they are. Behind the signature, because there are proxies that rewrite this field. */
    private static SdkHttpRequest plain(SdkHttpRequest request) {
        return request.toBuilder().putHeader("Accept-Encoding", "identity").build();
    }
}
