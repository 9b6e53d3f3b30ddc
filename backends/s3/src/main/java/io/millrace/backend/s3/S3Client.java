package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BodyFramer;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.StreamingRequestBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.UploadBody;
import java.net.URI;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;

/** The client of one S3 server: its connections, its credentials and the {@link S3RequestExecutor} over both. */
final class S3Client {
    private final S3Endpoint endpoint;
    private final BackendExceptionMapper failures;
    private final S3CredentialsSource credentials;
    private final HttpConnectionPool connections;
    private final S3RequestExecutor executor;
    private final HttpTimeouts deadlines;

    private S3Client(String name, S3BackendSettings settings, UnaryOperator<HttpClient> network) {
        endpoint = S3Endpoint.of(name, settings);
        failures = new BackendExceptionMapper(endpoint);
        credentials = S3CredentialsSource.of(name, settings);
        connections = new HttpConnectionPool(settings.connections().pool("s3-" + name));
        deadlines = settings.connections().timeouts();
        boolean tls =
                settings.endpoint().map(URI::getScheme).map("https"::equals).orElse(true);
        HttpRequestSender sender = new HttpRequestSender(network.apply(connections.client(tls)));
        executor = new S3RequestExecutor(endpoint, credentials, sender, deadlines);
    }

    /** Creates a client without opening a connection. */
    static S3Client create(String name, S3BackendSettings settings) {
        return create(name, settings, UnaryOperator.identity());
    }

    /** Creates a client with a customized HTTP client. */
    static S3Client create(String name, S3BackendSettings settings, UnaryOperator<HttpClient> network) {
        return new S3Client(name, settings, network);
    }

    S3Endpoint endpoint() {
        return endpoint;
    }

    /** Returns what maps failures of this server. */
    BackendExceptionMapper failures() {
        return failures;
    }

    /** See {@link S3RequestExecutor#open}. */
    Mono<StreamingResponse> open(UnsignedRequest request) {
        return connections.whileOpen(executor.open(request));
    }

    /** See {@link S3RequestExecutor#exchange}. */
    Mono<BufferedResponse> exchange(UnsignedRequest request, ProcessingTime time) {
        return exchange(request, time, S3RequestExecutor.MAX_BYTES);
    }

    Mono<BufferedResponse> exchange(UnsignedRequest request, ProcessingTime time, int maxBytes) {
        return connections.whileOpen(executor.exchange(request, time, maxBytes));
    }

    /**
     * Sends the request with {@code body} in the framing that it needs. See {@link S3RequestExecutor#upload}; fails
     * with the failure of the body's publisher.
     */
    Mono<BufferedResponse> upload(UnsignedRequest request, UploadBody body, UnaryOperator<Throwable> failure) {
        return Mono.defer(() -> {
            BodyFramer framing = AwsChunkedFraming.of(body);
            return framing.wireLength() == 0
                    ? LengthCheckedBody.untilEndOfEmpty(body)
                            .then(exchange(request, ProcessingTime.SHORT)
                                    .map(AcknowledgementCheck::requireNoPage)
                                    .onErrorMap(failure))
                    : upload(request, new StreamingRequestBody(body, framing, deadlines), failure);
        });
    }

    private Mono<BufferedResponse> upload(
            UnsignedRequest request, StreamingRequestBody body, UnaryOperator<Throwable> failure) {
        UnsignedRequest streaming = request.with(new UnsignedRequest.RequestPayload.StreamPayload(body.framing()));
        return connections
                .whileOpen(executor.upload(streaming, body))
                .onErrorMap(cause -> body.failure().orElseGet(() -> failure.apply(cause)));
    }

    Mono<Void> close() {
        return Mono.whenDelayError(
                connections.close(), Mono.fromRunnable(credentials::close).subscribeOn(Schedulers.boundedElastic()));
    }
}
