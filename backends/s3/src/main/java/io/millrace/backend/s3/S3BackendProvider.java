package io.millrace.backend.s3;

import io.millrace.backend.s3.client.S3Client;
import io.millrace.backend.s3.settings.S3BackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;
import io.millrace.backend.spi.ObjectHead;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import reactor.netty.http.client.HttpClient;

/** Creates backends of type {@code s3}: objects on an S3 server. */
public final class S3BackendProvider implements BackendProvider<S3BackendSettings> {
    /** Amazon's, in whichever region. */
    private static final URI AMAZON = URI.create("https://s3.amazonaws.com/");

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
        return settings.proxy().isPresent()
                ? Optional.empty()
                : settings.endpoint().or(() -> Optional.of(AMAZON));
    }

    @Override
    public OptionalInt maxConnections(S3BackendSettings settings) {
        return OptionalInt.of(settings.maxConnections());
    }

    @Override
    public Backend create(String name, S3BackendSettings settings) {
        return backend(S3Client.create(name, settings), settings);
    }

    /**
     * Creates a backend whose server speaks S3 and more, and refuses conditional writes that it cannot honour.
     *
     * @param network customizes the HTTP client
     * @param description completes the metadata of an object from the headers of its response
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
                client, new ConditionalWritePolicy(settings.conditionalWrites(), server), (head, headers) -> head);
    }

    private static Backend backend(
            S3Client client,
            ConditionalWritePolicy conditions,
            BiFunction<ObjectHead, HttpHeaders, ObjectHead> description) {
        return S3Backend.create(client, conditions, new S3ObjectReader(client, description));
    }
}
