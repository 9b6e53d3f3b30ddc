package io.millrace.backend.s3;

import io.millrace.backend.spi.BucketName;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.awscore.endpoints.AwsEndpointAttribute;
import software.amazon.awssdk.awscore.endpoints.authscheme.SigV4AuthScheme;
import software.amazon.awssdk.endpoints.Endpoint;
import software.amazon.awssdk.endpoints.EndpointUrl;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.endpoints.S3EndpointParams;
import software.amazon.awssdk.services.s3.endpoints.S3EndpointProvider;

/**
 * Where the objects of a bucket are: by the SDK's own rules, which know partitions, hosts of buckets and which names can be
 * one. They take longer than all the rest of a request, so what they said is kept.
 */
final class Places {
    /** Of buckets that clients made up there may be any number; then the real ones are asked for again. */
    private static final int MAX_KEPT = 10_000;

    private final Origin origin;
    private final S3EndpointProvider rules = S3EndpointProvider.defaultProvider();
    private final Map<BucketName, Place> kept = new ConcurrentHashMap<>();

    /**
     * @param url of the bucket; a key comes behind it and a slash
     * @param signingName the service that requests are signed for
     */
    record Place(EndpointUrl url, String signingName, String signingRegion) {
        /** The raw path of an object, as {@code encodedKey} has it and with nothing done to it. */
        String pathOf(String encodedKey) {
            String path = url.encodedPath();
            return path.endsWith("/") ? path + encodedKey : path + "/" + encodedKey;
        }
    }

    Places(Origin origin) {
        this.origin = origin;
    }

    /** Throws what the SDK throws for a bucket that can have no place. */
    Place of(BucketName bucket) {
        Place known = kept.get(bucket);
        if (known != null) {
            return known;
        }
        if (kept.size() >= MAX_KEPT) {
            kept.clear();
        }
        Place found = place(rules.resolveEndpoint(params(bucket)).join());
        kept.put(bucket, found);
        return found;
    }

    private S3EndpointParams params(BucketName bucket) {
        S3EndpointParams.Builder params = S3EndpointParams.builder()
                .bucket(bucket.value())
                .region(Region.of(origin.region()))
                .forcePathStyle(origin.pathStyle())
                .disableS3ExpressSessionAuth(true);
        origin.endpoint().map(URI::toString).ifPresent(params::endpoint);
        return params.build();
    }

    private Place place(Endpoint endpoint) {
        return endpoint.attribute(AwsEndpointAttribute.AUTH_SCHEMES).stream()
                .filter(SigV4AuthScheme.class::isInstance)
                .map(SigV4AuthScheme.class::cast)
                .map(scheme -> new Place(endpoint.endpointUrl(), scheme.signingName(), scheme.signingRegion()))
                .findFirst()
                .orElseGet(() -> new Place(endpoint.endpointUrl(), "s3", origin.region()));
    }
}
