package io.millrace.gateway.job.plan;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.gateway.bucket.BucketView;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.function.Tuple2;
import reactor.util.retry.Retry;

/**
 * Names that an object lists: a key a line, gzipped if its name ends in {@code .gz}; or an S3 Inventory, if its name ends in
 * {@code manifest.json}. A position is the number of the next line, counted through all files.
 */
final class ManifestPlan implements Plan {
    private static final int LARGEST_INVENTORY = 8 << 20;

    private final BucketView bucket;
    private final ObjectKey manifest;
    private final String listedBucket;
    private final Retry retry;

    /**
     * @param bucket where the manifest is
     * @param listedBucket the backend's name of the bucket whose objects are meant
     */
    ManifestPlan(BucketView bucket, ObjectKey manifest, String listedBucket, Retry retry) {
        this.bucket = bucket;
        this.manifest = manifest;
        this.listedBucket = listedBucket;
        this.retry = retry;
    }

    @Override
    public Flux<Item> from(Optional<String> position) {
        long begin = Plans.number(position);
        return keys().index().skip(begin).map(ManifestPlan::item);
    }

    private static Item item(Tuple2<Long, String> line) {
        long number = line.getT1() + 1;
        try {
            return new Item(new ObjectKey(line.getT2()), Optional.empty(), Long.toString(number));
        } catch (IllegalArgumentException noKey) {
            throw new PlanException("line %d of the manifest is no key".formatted(number));
        }
    }

    private Flux<String> keys() {
        if (!manifest.value().endsWith("manifest.json")) {
            return Lines.of(body(manifest)).filter(line -> !line.isEmpty());
        }
        return whole(manifest).map(Inventory::parse).flatMapMany(this::keys);
    }

    private Flux<String> keys(Inventory inventory) {
        if (!inventory.sourceBucket().equals(listedBucket)) {
            throw new PlanException("the inventory is of bucket '%s', and not of '%s'"
                    .formatted(inventory.sourceBucket(), listedBucket));
        }
        return Flux.fromIterable(inventory.files())
                .concatMap(file -> Lines.of(body(new ObjectKey(file))).filter(line -> !line.isEmpty()), 1)
                .map(inventory::key);
    }

    private Flux<ByteBuf> body(ObjectKey key) {
        Flux<ByteBuf> bytes = open(key).flatMapMany(ObjectContent::body);
        return key.value().endsWith(".gz") ? Lines.unzipped(bytes) : bytes;
    }

    private Mono<byte[]> whole(ObjectKey key) {
        return open(key).flatMap(content -> {
            if (content.length() > LARGEST_INVENTORY) {
                content.discard();
                return Mono.error(new PlanException("the manifest is larger than any of an S3 Inventory"));
            }
            return content.body()
                    .collect(ByteArrayOutputStream::new, ManifestPlan::append)
                    .map(ByteArrayOutputStream::toByteArray);
        });
    }

    private static void append(ByteArrayOutputStream all, ByteBuf piece) {
        byte[] bytes = new byte[piece.readableBytes()];
        piece.readBytes(bytes);
        piece.release();
        all.writeBytes(bytes);
    }

    private Mono<ObjectContent> open(ObjectKey key) {
        return Mono.defer(() -> bucket.backend().open(ReadRequest.of(bucket.at(key))))
                .retryWhen(retry)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard);
    }
}
