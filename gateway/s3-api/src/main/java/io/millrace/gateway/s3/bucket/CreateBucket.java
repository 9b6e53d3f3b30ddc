package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.BucketManager.BucketTag;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Serves CreateBucket: creates a bucket on the backend that the settings give it. The requested region is ignored.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html">CreateBucket</a>
 */
record CreateBucket(BucketRegistry buckets) implements S3Handler {
    private static final int MAX_DOCUMENT = 64 << 10;

    private static final Set<String> UNDERSTOOD = Set.of("LocationConstraint", "Tags");

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        NewBucketName.require(authorized.bucket());
        BucketView bucket = buckets.viewForCreation(authorized.bucket());
        if (!bucket.prefix().isEmpty()) {
            throw new S3Exception(S3ErrorCode.BUCKET_ALREADY_OWNED_BY_YOU)
                    .with("BucketName", bucket.name().value());
        }
        HeaderList fields = ForwardedHeaders.amzOfDocument(authorized, bucket);
        return authorized
                .withDocument(
                        MAX_DOCUMENT,
                        document -> bucket.backend()
                                .createBucket(new NewBucket(bucket.backendBucket(), fields, tags(document))))
                .thenReturn(made(bucket.name().value()));
    }

    private static S3Response made(String name) {
        return S3Response.empty(
                200, HeaderList.EMPTY.with("location", "/" + name).with("x-amz-bucket-arn", "arn:aws:s3:::" + name));
    }

    private static List<BucketTag> tags(byte[] document) {
        if (document.length == 0) {
            return List.of();
        }
        XmlElement configuration = XmlParser.parse(document, "CreateBucketConfiguration");
        for (XmlElement requested : configuration.children()) {
            if (!UNDERSTOOD.contains(requested.name())) {
                throw new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED, "Buckets are not made with a " + requested.name() + " here");
            }
        }
        return configuration
                .all("Tags")
                .flatMap(tags -> tags.all("Tag"))
                .map(tag -> new BucketTag(
                        tag.textOf("Key").orElse(""), tag.textOf("Value").orElse("")))
                .toList();
    }
}
