package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import reactor.core.publisher.Mono;

/**
 * Stores an object and streams its bytes to the backend.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html">PutObject</a>
 */
record PutObject(BucketRegistry buckets, FencedWrites writes) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        NewObject object = new NewObject(
                bucket.at(authorized.key()),
                ForwardedHeaders.of(authorized, bucket),
                WriteConditionParser.of(authorized.request().headers()));
        return authorized
                .body()
                .flatMap(body -> writes.put(bucket, object, body))
                .map(written -> S3Response.empty(200, responseHeaders(written)));
    }

    private static HeaderList responseHeaders(WriteResult written) {
        return written.eTag()
                .map(tag -> written.headers().with("etag", tag.toString()))
                .orElse(written.headers());
    }
}
