package io.millrace.gateway.observe;

import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.saving.Account;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** Tells accounts of the reads that were answered: what a backend would have charged for. */
public final class SavingRecorder implements S3Recorder {
    /** Names that are remembered; further ones are looked up each time. */
    private static final int MOST = 1000;

    private final Function<BucketName, Optional<Account>> accounts;
    private final ConcurrentMap<String, Account> byName = new ConcurrentHashMap<>();

    /** @param accounts by the names that clients use */
    public SavingRecorder(Function<BucketName, Optional<Account>> accounts) {
        this.accounts = accounts;
    }

    @Override
    public void started() {}

    @Override
    public void ended(RequestRecord request) {
        if (isRead(request) && isAnswered(request.status())) {
            request.bucket().ifPresent(bucket -> served(bucket, request.status() < 300 ? request.bytesOut() : 0));
        }
    }

    private void served(BucketName bucket, long bytes) {
        Account known = byName.get(bucket.value());
        if (known != null) {
            known.served(bytes);
            return;
        }
        accounts.apply(bucket).ifPresent(account -> {
            account.served(bytes);
            if (byName.size() < MOST) {
                byName.put(bucket.value(), account);
            }
        });
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
