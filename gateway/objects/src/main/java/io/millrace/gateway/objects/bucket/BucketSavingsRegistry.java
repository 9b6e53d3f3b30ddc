package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.object.BucketName;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Holds the savings counters of all buckets; those of a bucket are created when it is first seen. Thread-safe. */
public final class BucketSavingsRegistry {
    /**
     * The maximum number of buckets counted separately; further ones of a backend share one entry without a bucket
     * name.
     */
    static final int MAX_BUCKETS = 1000;

    private final BiFunction<String, BucketName, Optional<PriceSettings>> prices;
    private final Consumer<BucketSavings> onCreate;
    private final ConcurrentMap<Key, BucketSavings> accounts = new ConcurrentHashMap<>();

    private record Key(String backend, String bucket) {
        // Written out, because a record's generated methods are slow and this is looked up for every request.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that && bucket.equals(that.bucket) && backend.equals(that.backend);
        }

        @Override
        public int hashCode() {
            return 31 * bucket.hashCode() + backend.hashCode();
        }
    }

    /**
     * @param prices the prices of a bucket on a backend; empty if there are none
     * @param begun called with each new entry
     */
    public BucketSavingsRegistry(
            BiFunction<String, BucketName, Optional<PriceSettings>> prices, Consumer<BucketSavings> begun) {
        this.prices = prices;
        this.onCreate = begun;
    }

    /** Returns a ledger without prices and without meters. */
    public static BucketSavingsRegistry free() {
        return new BucketSavingsRegistry((backend, bucket) -> Optional.empty(), account -> {});
    }

    /**
     * Returns a handle to a bucket's savings, by its backend's name in the settings and its name there; creates no
     * entry.
     */
    public LazyBucketSavings of(String backend, BucketName bucket) {
        return new LazyBucketSavings(this, backend, bucket);
    }

    /** Returns the entry in which a bucket is counted, if there is one. */
    Optional<BucketSavings> find(String backend, BucketName bucket) {
        BucketSavings own = accounts.get(new Key(backend, bucket.value()));
        return own != null || accounts.size() < MAX_BUCKETS
                ? Optional.ofNullable(own)
                : Optional.ofNullable(accounts.get(new Key(backend, "")));
    }

    /** Returns the entry in which a bucket is counted; creates it if necessary. */
    BucketSavings create(String backend, BucketName bucket) {
        return find(backend, bucket).orElseGet(() -> add(backend, bucket));
    }

    private BucketSavings add(String backend, BucketName bucket) {
        boolean isSeparate = accounts.size() < MAX_BUCKETS;
        PriceSettings price = prices.apply(backend, bucket).orElse(PriceSettings.FREE);
        Key key = new Key(backend, isSeparate ? bucket.value() : "");
        return accounts.computeIfAbsent(key, absent -> {
            BucketSavings account = new BucketSavings(backend, key.bucket(), price);
            onCreate.accept(account);
            return account;
        });
    }

    /** Returns snapshots of all entries, ordered by backend and bucket. */
    public List<BucketSavings.SavingsSnapshot> statements() {
        return accounts.values().stream()
                .map(BucketSavings::statement)
                .sorted(Comparator.comparing(BucketSavings.SavingsSnapshot::backend)
                        .thenComparing(BucketSavings.SavingsSnapshot::bucket))
                .toList();
    }
}
