package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.CopyOrigin;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.objects.write.StreamedCopy;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Copies an object. The backend copies, or the gateway streams the bytes to another backend. The caller needs the right
 * to read the source.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html">CopyObject</a>
 */
record CopyObject(BucketRegistry buckets, CopySourceResolver sources, FencedWrites writes) implements S3Handler {
    private static final Set<String> DIRECTIVES = Set.of("COPY", "REPLACE");

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        BucketView bucket = buckets.find(authorized.bucket());
        CopyOrigin source = sources.source(authorized);
        HeaderList fields = ForwardedHeaders.of(authorized, bucket);
        requireDirective(fields, "x-amz-metadata-directive");
        requireDirective(fields, "x-amz-tagging-directive");
        WriteCondition condition = WriteConditionParser.of(authorized.request().headers());
        NewObject target = new NewObject(bucket.at(authorized.key()), fields, condition);
        return WhitespaceKeepAliveResponse.response(
                authorized,
                writes.fenced(bucket, target.object(), copy(source, bucket, target))
                        .map(CopyObject::response));
    }

    private Mono<WriteResult> copy(CopyOrigin source, BucketView bucket, NewObject target) {
        if (source.isInside(bucket)) {
            return bucket.backend().copy(source.what(), target);
        }
        StreamedCopy copy = new StreamedCopy(source, target.headers());
        return sources.through(
                source, Optional.empty(), target.headers(), opened -> copy.write(opened, bucket.backend(), target));
    }

    private static S3Response response(WriteResult written) {
        return CopyResponses.of("CopyObjectResult", written.eTag(), written.lastModified(), written.headers());
    }

    private static void requireDirective(HeaderList fields, String name) {
        Optional<String> directive = fields.first(name);
        if (directive.isPresent() && !DIRECTIVES.contains(directive.get())) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "Unknown directive: it is COPY or REPLACE.")
                    .with("ArgumentName", name);
        }
    }
}
