package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendProvider;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.TierRequest;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** Creates backends of type {@code s3}: objects on an S3 server. */
public final class S3BackendProvider implements BackendProvider<S3BackendSettings> {
    /** Amazon's, in whichever region. */
    private static final URI AMAZON = URI.create("https://s3.amazonaws.com/");

    /** The header of S3 servers' responses. */
    private static final String REQUEST_ID = "x-amz-request-id";

    @Override
    public String type() {
        return "s3";
    }

    @Override
    public Class<S3BackendSettings> settingsType() {
        return S3BackendSettings.class;
    }

    @Override
    public Optional<URI> endpoint(S3BackendSettings settings) {
        return settings.connections().proxy().isPresent()
                ? Optional.empty()
                : settings.endpoint().or(() -> Optional.of(AMAZON));
    }

    @Override
    public boolean hasCredentials(S3BackendSettings settings) {
        return !settings.anonymous();
    }

    @Override
    public OptionalInt maxConnections(S3BackendSettings settings) {
        return OptionalInt.of(settings.connections().maxConnections());
    }

    @Override
    public Backend create(String name, S3BackendSettings settings) {
        return backend(S3Client.create(name, settings, S3BackendProvider::addHops), settings);
    }

    /**
     * Creates a backend whose server speaks S3 and more, and refuses conditional writes that it cannot honour.
     *
     * @param network customizes the HTTP client
     * @param description completes an object's metadata from the headers of its response, or fails if that is not the
     *     server's
     */
    public static Backend create(
            String name,
            S3BackendSettings settings,
            UnaryOperator<HttpClient> network,
            BiFunction<ObjectHead, HttpHeaders, ObjectHead> description) {
        return backend(S3Client.create(name, settings, network), ConditionalWritePolicy.DECIDED_BY_SERVER, description);
    }

    /** Returns a backend over this client. */
    static Backend backend(S3Client client, S3BackendSettings settings) {
        S3ServerDetector server = new S3ServerDetector(client, System::nanoTime);
        return backend(
                client,
                new ConditionalWritePolicy(settings.conditionalWrites(), server),
                S3BackendProvider::requireServer);
    }

    /**
     * Returns a client that adds by which gateway a request is sent, so that this one refuses what comes back because
     * the server is itself. The header is not signed, and other servers ignore it, as they do what proxies add.
     */
    private static HttpClient addHops(HttpClient client) {
        return client.headersWhen(headers -> Mono.deferContextual(context -> {
            GatewayHops hops = TierRequest.from(context).hops().forStores();
            return Mono.just(hops.ids().isEmpty() ? headers : headers.set(GatewayHops.HEADER, hops.toHeader()));
        }));
    }

    /** Requires what no page of something in front of the server has. Servers over folders know files without a tag. */
    private static ObjectHead requireServer(ObjectHead head, HttpHeaders headers) {
        if (head.eTag().isEmpty() && !headers.contains(REQUEST_ID)) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE,
                    "the response has neither an ETag nor %s: something in front of the server has sent it"
                            .formatted(REQUEST_ID));
        }
        return head;
    }

    private static Backend backend(
            S3Client client,
            ConditionalWritePolicy conditions,
            BiFunction<ObjectHead, HttpHeaders, ObjectHead> description) {
        return S3Backend.create(client, conditions, new S3ObjectReader(client, description));
    }
}
