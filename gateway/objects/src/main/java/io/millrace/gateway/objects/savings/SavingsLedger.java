package io.millrace.gateway.objects.savings;

import io.millrace.backend.spi.object.BucketName;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The accounts of all buckets, each begun when something of the bucket is first seen. Safe for use by any number of threads. */
public final class SavingsLedger {
    /** So many are told apart; all further ones of a backend are one, whose bucket has no name. */
    static final int MOST = 1000;

    private final BiFunction<String, BucketName, Optional<PriceSettings>> prices;
    private final Consumer<BucketSavings> begun;
    private final ConcurrentMap<Key, BucketSavings> accounts = new ConcurrentHashMap<>();

    private record Key(String backend, String bucket) {
        // Written out, because what a record is given is slow, and this is looked up for every request.
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
     * @param prices of a bucket on a backend; none if nothing is known
     * @param begun told of each account
     */
    public SavingsLedger(
            BiFunction<String, BucketName, Optional<PriceSettings>> prices, Consumer<BucketSavings> begun) {
        this.prices = prices;
        this.begun = begun;
    }

    /** Without prices, told to nobody. */
    public static SavingsLedger free() {
        return new SavingsLedger((backend, bucket) -> Optional.empty(), account -> {});
    }

    /** The way to the account of a bucket, by its backend's name in the file and its own name there; begins none. */
    public BucketSavingsHandle of(String backend, BucketName bucket) {
        return new BucketSavingsHandle(this, backend, bucket);
    }

    /** The account in which a bucket is counted, if there is one. */
    Optional<BucketSavings> find(String backend, BucketName bucket) {
        BucketSavings own = accounts.get(new Key(backend, bucket.value()));
        return own != null || accounts.size() < MOST
                ? Optional.ofNullable(own)
                : Optional.ofNullable(accounts.get(new Key(backend, "")));
    }

    /** The same; begins it if there is none. */
    BucketSavings begin(String backend, BucketName bucket) {
        return find(backend, bucket).orElseGet(() -> add(backend, bucket));
    }

    private BucketSavings add(String backend, BucketName bucket) {
        boolean isOne = accounts.size() < MOST;
        PriceSettings price = prices.apply(backend, bucket).orElse(PriceSettings.FREE);
        Key key = new Key(backend, isOne ? bucket.value() : "");
        return accounts.computeIfAbsent(key, absent -> {
            BucketSavings account = new BucketSavings(backend, key.bucket(), price);
            begun.accept(account);
            return account;
        });
    }

    /** All of them, by backend and bucket. */
    public List<BucketSavings.Statement> statements() {
        return accounts.values().stream()
                .map(BucketSavings::statement)
                .sorted(Comparator.comparing(BucketSavings.Statement::backend)
                        .thenComparing(BucketSavings.Statement::bucket))
                .toList();
    }
}
