package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlWriter;
import reactor.core.publisher.Mono;

/**
 * Returns the region of a bucket; an empty element means {@link GatewayRegion#OURS}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html">GetBucketLocation</a>
 */
record GetBucketLocation(BucketRegistry buckets) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        return bucket.backend()
                .headBucket(bucket.backendBucket())
                .map(info -> S3Response.xml(
                        200,
                        HeaderList.EMPTY,
                        XmlWriter.of("LocationConstraint").bytes()));
    }
}
