package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.BucketSavings;
import io.millrace.gateway.objects.bucket.LazyBucketSavings;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** Counts, per bucket, the reads that the gateway served and for which a backend would have charged. */
public final class SavingsRecorder implements RequestRecorder {
    /** The limit of cached bucket names; others are looked up each time. */
    private static final int MOST = 1000;

    private final Function<BucketName, Optional<LazyBucketSavings>> accounts;
    private final ConcurrentMap<String, BucketSavings> byName = new ConcurrentHashMap<>();

    /** @param accounts the savings of a bucket, by the name that clients use */
    public SavingsRecorder(Function<BucketName, Optional<LazyBucketSavings>> accounts) {
        this.accounts = accounts;
    }

    @Override
    public void started() {}

    @Override
    public void ended(RequestRecord request) {
        if (isRead(request) && isServed(request.status())) {
            request.bucket()
                    .flatMap(bucket -> account(bucket, request.status()))
                    .ifPresent(account -> account.served(request.status() < 300 ? request.bytesOut() : 0));
        }
    }

    private Optional<BucketSavings> account(BucketName bucket, int status) {
        BucketSavings existing = byName.get(bucket.value());
        if (existing != null) {
            return Optional.of(existing);
        }
        // A 404 may mean that the bucket is missing, and clients can name any number of those.
        Optional<BucketSavings> account =
                accounts.apply(bucket).flatMap(one -> status < 400 ? Optional.of(one.create()) : one.find());
        if (byName.size() < MOST) {
            account.ifPresent(found -> byName.put(bucket.value(), found));
        }
        return account;
    }

    private static boolean isRead(RequestRecord request) {
        RequestOperation operation = request.operation().orElse(null);
        return operation == S3Operation.GET_OBJECT || operation == S3Operation.HEAD_OBJECT;
    }

    /** Returns whether a backend would charge for the response; errors such as 404 and 416 count too. */
    private static boolean isServed(int status) {
        return switch (status) {
            case 200, 206, 304, 404, 412, 416 -> true;
            default -> false;
        };
    }
}
