package io.millrace.gateway.write;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Copies an object: by its backend, or through here if it goes to another one. The caller must be allowed to read the source.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html">CopyObject</a>
 */
public final class CopyObject implements S3Handler {
    private static final Set<String> DIRECTIVES = Set.of("COPY", "REPLACE");

    private final Buckets buckets;
    private final CopySources sources;
    private final ObjectWrites writes;

    public CopyObject(Buckets buckets, CopySources sources, ObjectWrites writes) {
        this.buckets = buckets;
        this.sources = sources;
        this.writes = writes;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.COPY_OBJECT;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        BucketView bucket = buckets.find(admission.bucket());
        CopySources.Source source = sources.source(admission);
        HeaderList fields = BackendFields.of(admission, bucket);
        requireDirective(fields, "x-amz-metadata-directive");
        requireDirective(fields, "x-amz-tagging-directive");
        WriteCondition condition = WriteConditions.of(admission.request().headers());
        NewObject target = new NewObject(bucket.at(admission.key()), fields, condition);
        return LongWork.answer(
                admission,
                writes.fenced(bucket, target.object(), copy(source, bucket, target))
                        .map(CopyObject::answer));
    }

    private Mono<Written> copy(CopySources.Source source, BucketView bucket, NewObject target) {
        if (source.isInside(bucket)) {
            return bucket.backend().copy(source.what(), target);
        }
        StreamedCopy copy = new StreamedCopy(source, target.headers());
        return sources.through(
                source, Optional.empty(), target.headers(), opened -> copy.write(opened, bucket.backend(), target));
    }

    private static S3Answer answer(Written written) {
        return CopyAnswers.of("CopyObjectResult", written.eTag(), written.lastModified(), written.headers());
    }

    private static void requireDirective(HeaderList fields, String name) {
        Optional<String> directive = fields.first(name);
        if (directive.isPresent() && !DIRECTIVES.contains(directive.get())) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "Unknown directive: it is COPY or REPLACE.")
                    .with("ArgumentName", name);
        }
    }
}
