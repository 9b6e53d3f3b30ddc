package io.millrace.backend.azure;

import io.millrace.backend.http.BodyFramer;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.http.HttpRequestHead;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.StreamingRequestBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.HttpDate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** The client of one Blob service: authorizes requests, sends each once, and checks the status of the response. */
final class BlobClient {
    /** The version of the REST API: block blobs of 5,000 MiB in one request, names in listings that XML cannot hold. */
    static final String API_VERSION = "2021-12-02";

    /** The header that every response of the service has. */
    static final String REQUEST_ID = "x-ms-request-id";

    /** The largest accepted response: 5,000 entries of a listing with long names, or 100,000 blocks. */
    private static final int MAX_BYTES = 32 << 20;

    private static final int MAX_ERROR_BYTES = 1 << 20;

    private final BlobEndpoint endpoint;
    private final RequestAuthorizer authorizer;
    private final HttpConnectionPool connections;
    private final HttpRequestSender sender;
    private final HttpTimeouts timeouts;
    private final InstantSource clock;
    private final BlobFailureMapper failures;

    private BlobClient(
            BlobEndpoint endpoint, RequestAuthorizer authorizer, AzureBackendSettings settings, InstantSource clock) {
        this.endpoint = endpoint;
        this.authorizer = authorizer;
        this.clock = clock;
        this.failures = new BlobFailureMapper(endpoint.toString());
        this.timeouts = settings.connections().timeouts();
        this.connections = new HttpConnectionPool(settings.connections().pool("azure-" + endpoint.backend()));
        this.sender = new HttpRequestSender(connections.client(endpoint.isSecured()));
    }

    /**
     * Creates a client without opening a connection.
     *
     * @param backend its name in the settings
     * @param environment variables that name the identity, if the settings have no credentials
     */
    static BlobClient create(
            String backend, AzureBackendSettings settings, Map<String, String> environment, InstantSource clock) {
        StorageAccount account = StorageAccount.of(settings);
        return new BlobClient(
                BlobEndpoint.of(backend, account),
                RequestAuthorizerFactory.of(backend, settings, account, environment, clock),
                settings,
                clock);
    }

    /** Returns what maps failures of this service. */
    BlobFailureMapper failures() {
        return failures;
    }

    /**
     * Sends a request and returns the successful response, whose body the subscriber owns; fails with a {@link
     * BlobErrorException}.
     */
    Mono<StreamingResponse> open(BlobRequest request) {
        return successful(request, 0, OutgoingRequestBody.EMPTY, timeouts);
    }

    /**
     * Sends a request with its own body and returns the successful response whole; fails with a {@link
     * BlobErrorException}.
     */
    Mono<BufferedResponse> exchange(BlobRequest request) {
        return exchange(request, timeouts);
    }

    /** Sends a request on which the service may work for minutes. */
    Mono<BufferedResponse> exchangeLong(BlobRequest request) {
        return exchange(request, timeouts.forLongOperation());
    }

    /**
     * Sends a request with a streamed body, once. Fails with the failure of the body's publisher if that fails.
     *
     * @param failure maps all other failures
     */
    Mono<BufferedResponse> upload(BlobRequest request, UploadBody body, UnaryOperator<Throwable> failure) {
        return Mono.defer(() -> body.length() == 0
                ? LengthCheckedBody.untilEndOfEmpty(body).then(exchange(request).onErrorMap(failure))
                : stream(request, body, failure));
    }

    /** Returns what lets the service itself read the source of a copy. */
    Mono<CopySourceAccess> grantRead(ObjectRef source) {
        return Mono.defer(() -> authorizer.grantRead(source, endpoint.url(source)));
    }

    Mono<Void> close() {
        return connections.close().then(Mono.defer(authorizer::close));
    }

    private Mono<BufferedResponse> exchange(BlobRequest request, HttpTimeouts times) {
        return successful(
                        request,
                        request.body().remaining(),
                        OutgoingRequestBody.of(request.body().duplicate()),
                        times)
                .flatMap(response -> BufferedResponse.of(response, MAX_BYTES, "the response"));
    }

    private Mono<BufferedResponse> stream(BlobRequest request, UploadBody body, UnaryOperator<Throwable> failure) {
        StreamingRequestBody streamed =
                new StreamingRequestBody(body, new BodyFramer.Unframed(body.length()), timeouts);
        return successful(request, body.length(), streamed, timeouts)
                .flatMap(streamed::requireFullySent)
                .flatMap(response -> BufferedResponse.of(response, MAX_BYTES, "the response"))
                .onErrorMap(cause -> streamed.failure().orElseGet(() -> failure.apply(cause)));
    }

    private Mono<StreamingResponse> successful(
            BlobRequest request, long length, OutgoingRequestBody body, HttpTimeouts times) {
        return Mono.defer(() -> {
            connections.requireOpen();
            return authorizer
                    .authorize(signable(request, length))
                    .flatMap(authorized -> sender.send(head(authorized), body, times))
                    .flatMap(response -> response.isSuccessful() ? acknowledged(request, response) : refused(response));
        });
    }

    /**
     * Returns a success of the service: it has the status that the service sends for the request, and the id that it
     * gives each request. Other responses of 2xx are of something in front of it, and acknowledge nothing.
     */
    private static Mono<StreamingResponse> acknowledged(BlobRequest request, StreamingResponse response) {
        boolean expected = request.isSuccess(response.status());
        if (expected && response.headers().contains(REQUEST_ID)) {
            return Mono.just(response);
        }
        response.body().discard();
        return Mono.error(new BackendException(
                FailureKind.INVALID_RESPONSE,
                expected
                        ? "status %d without %s: something in front of the service has sent it"
                                .formatted(response.status(), REQUEST_ID)
                        : "status %d, which is no success of this request".formatted(response.status())));
    }

    private SignableRequest signable(BlobRequest request, long length) {
        List<HeaderField> fields = new ArrayList<>(request.headers().size() + 3);
        fields.addAll(request.headers());
        fields.add(new HeaderField("x-ms-date", HttpDate.format(clock.instant())));
        fields.add(new HeaderField("x-ms-version", API_VERSION));
        if (request.method().equals("PUT")) {
            fields.add(new HeaderField("content-length", String.valueOf(length)));
        }
        return new SignableRequest(
                request.method(),
                endpoint.path(request.container(), request.blob()),
                request.query(),
                new HeaderList(fields));
    }

    private HttpRequestHead head(SignableRequest request) {
        return new HttpRequestHead(
                request.method(),
                endpoint.address(),
                request.target(),
                request.headers().with("host", endpoint.authority()));
    }

    private Mono<StreamingResponse> refused(StreamingResponse response) {
        return BufferedResponse.of(response, MAX_ERROR_BYTES, "the error response")
                .flatMap(reply -> {
                    BlobErrorException refused = BlobErrorException.of(reply);
                    if (refused.status() == 401) {
                        authorizer.rejected();
                    }
                    return Mono.error(refused);
                });
    }
}
