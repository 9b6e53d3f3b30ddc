package io.millrace.backend.s3;

import io.millrace.backend.spi.object.BucketName;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.awscore.endpoints.AwsEndpointAttribute;
import software.amazon.awssdk.awscore.endpoints.authscheme.SigV4AuthScheme;
import software.amazon.awssdk.endpoints.Endpoint;
import software.amazon.awssdk.endpoints.EndpointUrl;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.endpoints.S3EndpointParams;
import software.amazon.awssdk.services.s3.endpoints.S3EndpointProvider;

/**
 * Resolves and caches the endpoints of buckets by the SDK's endpoint rules, which know partitions and virtual hosts.
 * The rules take longer than the rest of building a request, so their results are cached.
 */
final class BucketEndpoints {
    /** The cache is cleared at this size, since clients may send any number of bucket names. */
    private static final int MAX_CACHED = 10_000;

    private final S3Endpoint origin;
    private final S3EndpointProvider endpointRules = S3EndpointProvider.defaultProvider();
    private final Map<Optional<BucketName>, BucketEndpoint> cached = new ConcurrentHashMap<>();

    /**
     * The resolved endpoint of a bucket.
     *
     * @param url of the bucket; a slash and the key are appended
     * @param signingName the service in the signature's scope
     */
    record BucketEndpoint(EndpointUrl url, String signingName, String signingRegion) {
        /** Returns the raw path of the bucket. */
        String path() {
            return url.encodedPath().isEmpty() ? "/" : url.encodedPath();
        }

        /** Returns the raw path of an object; {@code encodedKey} is appended unchanged. */
        String pathOf(String encodedKey) {
            String path = path();
            return path.endsWith("/") ? path + encodedKey : path + "/" + encodedKey;
        }
    }

    BucketEndpoints(S3Endpoint origin) {
        this.origin = origin;
    }

    /**
     * Returns the endpoint of a bucket, or of the server for none; throws what the SDK throws for a bucket that can
     * have none.
     */
    BucketEndpoint of(Optional<BucketName> bucket) {
        BucketEndpoint existing = cached.get(bucket);
        if (existing != null) {
            return existing;
        }
        if (cached.size() >= MAX_CACHED) {
            cached.clear();
        }
        BucketEndpoint found =
                place(endpointRules.resolveEndpoint(params(bucket)).join());
        cached.put(bucket, found);
        return found;
    }

    private S3EndpointParams params(Optional<BucketName> bucket) {
        S3EndpointParams.Builder params = S3EndpointParams.builder()
                .region(Region.of(origin.region()))
                .forcePathStyle(origin.pathStyle())
                .disableS3ExpressSessionAuth(true);
        bucket.map(BucketName::value).ifPresent(params::bucket);
        origin.endpoint().map(URI::toString).ifPresent(params::endpoint);
        return params.build();
    }

    private BucketEndpoint place(Endpoint endpoint) {
        return endpoint.attribute(AwsEndpointAttribute.AUTH_SCHEMES).stream()
                .filter(SigV4AuthScheme.class::isInstance)
                .map(SigV4AuthScheme.class::cast)
                .map(scheme -> new BucketEndpoint(endpoint.endpointUrl(), scheme.signingName(), scheme.signingRegion()))
                .findFirst()
                .orElseGet(() -> new BucketEndpoint(endpoint.endpointUrl(), "s3", origin.region()));
    }
}
