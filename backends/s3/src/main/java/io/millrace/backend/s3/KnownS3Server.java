package io.millrace.backend.s3;

import static io.millrace.backend.s3.ConditionalOperation.COMPLETE;
import static io.millrace.backend.s3.ConditionalOperation.COPY;
import static io.millrace.backend.s3.ConditionalOperation.DELETE;
import static io.millrace.backend.s3.ConditionalOperation.PUT;

import io.millrace.backend.spi.object.HeaderList;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A known S3 server product and the conditional writes that it evaluates atomically with the write. For these
 * operations it refuses conditions that it does not support; for other writes it may ignore a condition, or check it
 * before the write, not atomically.
 *
 * <p>A new release of a server may honour more. The entries were tested: docs/s3-compatibility.md lists the releases.
 */
enum KnownS3Server {
    /** Documented for all four. S3 responds 501 for buckets that do not support conditions. */
    AMAZON("Amazon S3", PUT, COMPLETE, COPY, DELETE),
    /** Ignores the conditions of copies and deletes. */
    MINIO("MinIO", PUT, COMPLETE),
    /** Ignores the conditions of copies; checks before it deletes, without the lock that writes hold. */
    VERSITYGW("versitygw", PUT, COMPLETE),
    /**
     * Ignores the conditions of copies, refuses those of deletes; checks before it completes an upload, without a lock.
     */
    LOCALSTACK("LocalStack", PUT),
    /** Documented for these; has other headers for copies, and no conditions for deletes. */
    R2("Cloudflare R2", PUT, COMPLETE),
    /** Supports ETags as conditions of reads only; writes use generations. */
    GOOGLE("Google Cloud Storage");

    private final String product;

    @SuppressWarnings("ImmutableEnumChecker") // Made by Set.of, which is immutable.
    private final Set<ConditionalOperation> honoured;

    KnownS3Server(String product, ConditionalOperation... honoured) {
        this.product = product;
        this.honoured = Set.of(honoured);
    }

    /** Returns the server at this endpoint, if the host name identifies it. */
    static Optional<KnownS3Server> ofEndpoint(S3Endpoint origin) {
        return origin.endpoint()
                .map(endpoint -> ofHost(endpoint.getHost().toLowerCase(Locale.ROOT)))
                .orElse(Optional.of(AMAZON));
    }

    /**
     * Returns the server that sent these response headers, if they identify it. A proxy that replaces {@code Server}
     * hides it.
     */
    static Optional<KnownS3Server> ofResponse(HeaderList headers) {
        if (headers.first("x-localstack").isPresent()) {
            return Optional.of(LOCALSTACK);
        }
        return headers.first("server").flatMap(KnownS3Server::ofProduct);
    }

    /** Returns whether the server evaluates the conditions of this operation atomically with the write. */
    boolean honours(ConditionalOperation write) {
        return honoured.contains(write);
    }

    /** Returns the name of the product. */
    String product() {
        return product;
    }

    private static Optional<KnownS3Server> ofHost(String host) {
        if (host.endsWith(".amazonaws.com") || host.endsWith(".amazonaws.com.cn")) {
            // Undocumented for Outposts.
            return host.contains("outposts") ? Optional.empty() : Optional.of(AMAZON);
        }
        if (host.endsWith(".r2.cloudflarestorage.com")) {
            return Optional.of(R2);
        }
        return host.endsWith(".googleapis.com") ? Optional.of(GOOGLE) : Optional.empty();
    }

    private static Optional<KnownS3Server> ofProduct(String server) {
        return switch (server) {
            case "MinIO" -> Optional.of(MINIO);
            case "VERSITYGW" -> Optional.of(VERSITYGW);
            default -> Optional.empty();
        };
    }
}
