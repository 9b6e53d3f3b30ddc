package io.millrace.gateway.write;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Where copies come from. A source on another backend than its target is opened here, and read through this gateway. */
public final class CopySources {
    /** S3's limit for one copy, as for one write. */
    private static final long MAX_BYTES = 5L << 30;

    private final Buckets buckets;

    public CopySources(Buckets buckets) {
        this.buckets = buckets;
    }

    /** A source that the caller may read, and its bucket. */
    public record Source(BucketView bucket, CopySource what) {
        /** Whether the backend of {@code target} can copy it by itself. */
        public boolean isInside(BucketView target) {
            return bucket.backendName().equals(target.backendName())
                    && target.backend().capabilities().contains(Capability.COPY);
        }
    }

    /**
     * The source a request names.
     *
     * @throws S3Exception if it names none, or one that the caller may not read
     */
    public Source source(Admission admission) {
        CopySourceName name = CopySourceName.of(admission);
        BucketView bucket = buckets.find(name.bucket());
        ObjectRef object = bucket.at(name.key());
        return new Source(
                bucket, new CopySource(object, bucket.versionId(name.versionId()), CopySourceConditions.of(admission)));
    }

    /**
     * Reads the source, and writes it by {@code write}, which takes the source's head and the bytes.
     *
     * @param range which bytes; all if empty
     * @param fields of the request; those that only one backend by itself can heed are refused
     */
    public <T> Mono<T> through(
            Source source, Optional<ByteRange> range, HeaderList fields, Function<Opened, Mono<T>> write) {
        for (HeaderList.Field field : fields.fields()) {
            if (field.name().startsWith("x-amz-copy-source-") || field.name().startsWith("x-amz-source-")) {
                throw new S3Exception(
                                S3ErrorCode.NOT_IMPLEMENTED,
                                "This copy goes from one backend to another, and is not done with this header.")
                        .with("Header", field.name());
            }
        }
        ReadRequest whole =
                ReadRequest.of(source.what().object()).onlyIf(source.what().conditions());
        ReadRequest versioned = source.what().versionId().map(whole::ofVersion).orElse(whole);
        ReadRequest read = range.map(bytes ->
                        versioned.select(new Selection.Range(new RangeSpec.Closed(bytes.first(), bytes.last()))))
                .orElse(versioned);
        return source.bucket()
                .backend()
                .open(read)
                .onErrorMap(BackendException.class, CopySources::ofTheSource)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMap(content -> {
                    if (content.length() > MAX_BYTES) {
                        content.discard();
                        return Mono.error(new S3Exception(
                                S3ErrorCode.INVALID_REQUEST,
                                "The specified copy source is larger than the maximum allowable size for a copy source: "
                                        + MAX_BYTES));
                    }
                    if (range.isPresent() && range.get().length() != content.length()) {
                        content.discard();
                        return Mono.error(new S3Exception(
                                S3ErrorCode.INVALID_ARGUMENT, "Range specified is not valid for the source object"));
                    }
                    return writtenFrom(content, write);
                });
    }

    /** A write may fail before it has looked at the bytes; their source is to be closed then. */
    private static <T> Mono<T> writtenFrom(ObjectContent content, Function<Opened, Mono<T>> write) {
        AtomicBoolean taken = new AtomicBoolean();
        Flux<ByteBuf> body = Flux.defer(() -> taken.compareAndSet(false, true)
                ? content.body()
                : Flux.error(new IllegalStateException("the source of the copy is closed")));
        return Mono.defer(() -> write.apply(new Opened(content.head(), UploadBody.of(content.length(), body))))
                .doFinally(end -> {
                    if (taken.compareAndSet(false, true)) {
                        content.discard();
                    }
                });
    }

    /** A source that is being read; its bytes are the writer's. */
    public record Opened(ObjectHead head, UploadBody body) {}

    /** A source that is as it was is a condition that does not hold. */
    private static Throwable ofTheSource(BackendException failure) {
        return failure.kind() == Kind.NOT_MODIFIED ? new S3Exception(S3ErrorCode.PRECONDITION_FAILED) : failure;
    }
}
