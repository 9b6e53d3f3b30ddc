package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3Exception;
import java.util.List;

/** The document of a batch as its handler understands it, for tests of other modules. */
public record ParsedBatch(List<Item> items, boolean goesOn, boolean hidesBuckets, boolean wantsHeads) {
    /** An item; what it has not is an empty text. */
    public record Item(String bucket, String key, String member, boolean isSample, String range) {}

    /**
     * Parses a document.
     *
     * @param bucket of the items that name none
     * @throws S3Exception if it is none of a batch
     */
    public static ParsedBatch of(byte[] document, String bucket) {
        BatchRequest batch = BatchRequest.parse(document, new BucketName(bucket));
        List<Item> items = batch.items().stream()
                .map(item -> new Item(
                        item.bucket().value(),
                        item.key().value(),
                        item.member().map(ObjectKey::value).orElse(""),
                        item.isSample(),
                        item.range().orElse("")))
                .toList();
        return new ParsedBatch(items, batch.goesOn(), batch.hidesBuckets(), batch.wantsHeads());
    }
}
