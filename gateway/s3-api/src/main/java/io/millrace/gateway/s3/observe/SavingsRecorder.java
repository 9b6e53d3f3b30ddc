package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.savings.BucketSavings;
import io.millrace.gateway.objects.savings.BucketSavingsHandle;
import io.millrace.gateway.s3.routing.S3Operation;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** Tells accounts of the reads that were answered: what a backend would have charged for. */
public final class SavingsRecorder implements RequestRecorder {
    /** Names that are remembered; further ones are looked up each time. */
    private static final int MOST = 1000;

    private final Function<BucketName, Optional<BucketSavingsHandle>> accounts;
    private final ConcurrentMap<String, BucketSavings> byName = new ConcurrentHashMap<>();

    /** @param accounts by the names that clients use */
    public SavingsRecorder(Function<BucketName, Optional<BucketSavingsHandle>> accounts) {
        this.accounts = accounts;
    }

    @Override
    public void started() {}

    @Override
    public void ended(RequestRecord request) {
        if (isRead(request) && isAnswered(request.status())) {
            request.bucket()
                    .flatMap(bucket -> account(bucket, request.status()))
                    .ifPresent(account -> account.served(request.status() < 300 ? request.bytesOut() : 0));
        }
    }

    private Optional<BucketSavings> account(BucketName bucket, int status) {
        BucketSavings known = byName.get(bucket.value());
        if (known != null) {
            return Optional.of(known);
        }
        // What is not there may be the bucket, and as many of those as anybody likes to name.
        Optional<BucketSavings> account =
                accounts.apply(bucket).flatMap(one -> status < 400 ? Optional.of(one.begin()) : one.find());
        if (byName.size() < MOST) {
            account.ifPresent(found -> byName.put(bucket.value(), found));
        }
        return account;
    }

    private static boolean isRead(RequestRecord request) {
        S3Operation operation = request.operation().orElse(null);
        return operation == S3Operation.GET_OBJECT || operation == S3Operation.HEAD_OBJECT;
    }

    /** What is not there, or not as asked for, is an answer too. */
    private static boolean isAnswered(int status) {
        return switch (status) {
            case 200, 206, 304, 404, 412, 416 -> true;
            default -> false;
        };
    }
}
