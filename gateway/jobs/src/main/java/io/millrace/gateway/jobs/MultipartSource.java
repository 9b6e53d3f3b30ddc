package io.millrace.gateway.jobs;

import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.plan.ExpectedChecksum;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.PendingUploadStore.Part;
import io.millrace.gateway.objects.bucket.BucketView;
import io.netty.buffer.ByteBuf;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The content of an object that a job uploads in parts, all read from one version of the source. */
interface MultipartSource {
    /** Returns the name of the pending upload, which is unique within the job. */
    String name();

    /** Returns the target bucket. */
    BucketView to();

    /** Returns the target at the backend. */
    ObjectRef target();

    /** Returns the validator of the object version. A pending upload with another validator is not resumed. */
    String validator();

    long size();

    /** Returns the object with its metadata. */
    Mono<NewObject> described();

    /** Returns the counter of its bytes. */
    ObjectAttemptProgress transfer();

    /** Waits until a part of this size may be sent; for parts whose bytes cannot be delayed on their way. */
    default Mono<Void> turn(long bytes) {
        return Mono.empty();
    }

    /**
     * Stores one part; must not be cancelled.
     *
     * @param counter counts its bytes
     */
    Mono<Part> send(MultipartUpload upload, int number, ByteRange range, ObjectAttemptProgress.Part counter);

    /**
     * Stores one part whose bytes pass through the gateway.
     *
     * @param expected the checksums of the object that those of its parts are combined into
     */
    default Mono<Part> put(
            MultipartUpload upload, int number, long length, Flux<ByteBuf> pieces, List<ExpectedChecksum> expected) {
        ContentChecksums sums = new ContentChecksums(expected);
        return to().backend()
                .putPart(upload, number, HeaderList.EMPTY, UploadBody.of(length, pieces.doOnNext(sums::add)))
                .map(part -> new Part(number, part.eTag().toString(), length, sums.values()));
    }

    /** Completes its upload. */
    default Mono<WriteResult> complete(MultipartUpload upload, List<CompletedPart> parts) {
        return to().backend().completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS);
    }

    /** Returns the bytes that move through the gateway for this many bytes of the object. */
    long moved(long bytes);

    /**
     * Checks all parts before the upload is completed.
     *
     * @throws RuntimeException if the content is wrong
     */
    void check(List<Part> parts);
}
