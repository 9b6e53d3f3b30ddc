package io.millrace.backend.s3;

import static io.millrace.backend.s3.ConditionalWrite.COMPLETE;
import static io.millrace.backend.s3.ConditionalWrite.COPY;
import static io.millrace.backend.s3.ConditionalWrite.DELETE;
import static io.millrace.backend.s3.ConditionalWrite.PUT;

import io.millrace.backend.spi.HeaderList;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Servers of which it is known on which writes they decide conditions in one step with the write. On these, what they do not
 * know of conditions they refuse; on other writes they may pass over a condition, or look first and write afterwards.
 *
 * <p>A new release of a server may honour more. What stands here was seen: docs/s3-compatibility.md says of which release.
 */
enum KnownServer {
    /** Documented for all four. Where a kind of bucket has no conditions, S3 answers 501. */
    AMAZON("Amazon S3", PUT, COMPLETE, COPY, DELETE),
    /** Passes over the conditions of copies and deletes. */
    MINIO("MinIO", PUT, COMPLETE),
    /** Passes over the conditions of copies; looks before it deletes, without the lock that writes hold. */
    VERSITYGW("versitygw", PUT, COMPLETE),
    /** Passes over the conditions of copies, refuses those of deletes; looks before it completes an upload, without a lock. */
    LOCALSTACK("LocalStack", PUT),
    /** Documented for these; has other fields for copies, and no conditions of deletes. */
    R2("Cloudflare R2", PUT, COMPLETE),
    /** Has ETags as conditions of reads only; generations are what writes are held against. */
    GOOGLE("Google Cloud Storage");

    private final String product;

    @SuppressWarnings("ImmutableEnumChecker") // Made by Set.of, which nobody changes.
    private final Set<ConditionalWrite> honoured;

    KnownServer(String product, ConditionalWrite... honoured) {
        this.product = product;
        this.honoured = Set.of(honoured);
    }

    /** The server at this place, if its host says so. */
    static Optional<KnownServer> at(Origin origin) {
        return origin.endpoint()
                .map(endpoint -> ofHost(endpoint.getHost().toLowerCase(Locale.ROOT)))
                .orElse(Optional.of(AMAZON));
    }

    /** The server that answered with these fields, if they say so. A proxy that replaces {@code Server} hides it. */
    static Optional<KnownServer> of(HeaderList answer) {
        if (answer.first("x-localstack").isPresent()) {
            return Optional.of(LOCALSTACK);
        }
        return answer.first("server").flatMap(KnownServer::ofProduct);
    }

    /** Tells if the server decides the conditions of such writes in one step with the write. */
    boolean honours(ConditionalWrite write) {
        return honoured.contains(write);
    }

    /** As it is called. */
    String product() {
        return product;
    }

    private static Optional<KnownServer> ofHost(String host) {
        if (host.endsWith(".amazonaws.com") || host.endsWith(".amazonaws.com.cn")) {
            // Nothing says what Outposts do.
            return host.contains("outposts") ? Optional.empty() : Optional.of(AMAZON);
        }
        if (host.endsWith(".r2.cloudflarestorage.com")) {
            return Optional.of(R2);
        }
        return host.endsWith(".googleapis.com") ? Optional.of(GOOGLE) : Optional.empty();
    }

    private static Optional<KnownServer> ofProduct(String server) {
        return switch (server) {
            case "MinIO" -> Optional.of(MINIO);
            case "VERSITYGW" -> Optional.of(VERSITYGW);
            default -> Optional.empty();
        };
    }
}
