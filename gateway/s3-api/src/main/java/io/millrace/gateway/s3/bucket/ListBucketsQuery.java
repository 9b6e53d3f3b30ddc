package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestTarget;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The filters, start and size of the page that a ListBuckets request asks for; selects that page from all buckets. All
 * buckets are known before the page is cut, so the name of its last bucket serves as the continuation token.
 *
 * @param after the name after which the page begins; empty for the first page
 */
record ListBucketsQuery(Optional<String> prefix, String after, Optional<String> region, int most) {
    private static final int MOST = 10_000;

    /**
     * The buckets of a page.
     *
     * @param next the continuation token; empty on the last page
     */
    record Found(List<BucketInfo> buckets, Optional<String> next) {}

    /**
     * Reads the parameters of a request.
     *
     * @throws S3Exception InvalidArgument if {@code max-buckets} is not a number from 1 to 10,000
     */
    static ListBucketsQuery of(RequestTarget target) {
        return new ListBucketsQuery(
                target.parameter("prefix"),
                target.parameter("continuation-token").orElse(""),
                target.parameter("bucket-region").filter(region -> !region.isEmpty()),
                most(target.parameter("max-buckets").orElse("")));
    }

    Found of(List<BucketInfo> all) {
        List<BucketInfo> selected = all.stream()
                .filter(bucket -> isSelected(bucket.name().value()))
                .sorted(Comparator.comparing(BucketInfo::name))
                .toList();
        return selected.size() <= most
                ? new Found(selected, Optional.empty())
                : new Found(
                        selected.subList(0, most),
                        Optional.of(selected.get(most - 1).name().value()));
    }

    private boolean isSelected(String name) {
        return prefix.map(name::startsWith).orElse(true)
                && name.compareTo(after) > 0
                && region.map(GatewayRegion.OURS::equals).orElse(true);
    }

    private static int most(String text) {
        if (text.isEmpty()) {
            return MOST;
        }
        try {
            int most = Integer.parseInt(text);
            if (most >= 1 && most <= MOST) {
                return most;
            }
        } catch (NumberFormatException notANumber) {
            // Rejected below, as a number out of range is.
        }
        throw new S3Exception(
                        S3ErrorCode.INVALID_ARGUMENT, "Argument max-buckets must be an integer between 1 and 10000")
                .with("ArgumentName", "max-buckets")
                .with("ArgumentValue", text);
    }
}
