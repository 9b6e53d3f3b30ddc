package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.kit.async.DiscardedBuffers;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * A manifest stored in a bucket: an object that lists the keys or URLs of a job, one per line, or the manifest.json of
 * an S3 Inventory; gzipped if its key ends in .gz.
 */
record ManifestFile(BucketView bucket, ObjectKey key, Retry retry) {
    /** Returns another object of the same bucket. */
    ManifestFile beside(ObjectKey other) {
        return new ManifestFile(bucket, other, retry);
    }

    /** Streams its lines. */
    Flux<String> lines() {
        Flux<ByteBuf> bytes = open().flatMapMany(ObjectContent::body);
        return TextLineReader.of(key.value().endsWith(".gz") ? TextLineReader.unzipped(bytes) : bytes);
    }

    /** Reads the whole object, which must not be larger than {@code largest} bytes. */
    Mono<byte[]> whole(int largest) {
        return open().flatMap(content -> {
            if (content.length() > largest) {
                content.discard();
                return Mono.error(new PlanException("the manifest is larger than any of an S3 Inventory"));
            }
            return content.body()
                    .collect(ByteArrayOutputStream::new, ManifestFile::append)
                    // One that comes while another thread cancels.
                    .contextWrite(DiscardedBuffers.RELEASED)
                    .map(ByteArrayOutputStream::toByteArray);
        });
    }

    private static void append(ByteArrayOutputStream all, ByteBuf piece) {
        byte[] bytes = new byte[piece.readableBytes()];
        piece.readBytes(bytes);
        piece.release();
        all.writeBytes(bytes);
    }

    private Mono<ObjectContent> open() {
        return Mono.defer(() -> bucket.backend().open(ReadRequest.of(bucket.at(key))))
                .retryWhen(retry)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard);
    }
}
