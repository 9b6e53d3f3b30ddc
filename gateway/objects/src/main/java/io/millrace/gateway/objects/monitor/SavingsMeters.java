package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.BucketSavings;
import io.millrace.gateway.objects.bucket.BucketSavings.SavingsSnapshot;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Registers gauges of the savings of each bucket, by its names for clients and at its backend. The number of series is
 * bounded by the number of buckets in the savings ledger.
 *
 * @param names returns the name for clients of a backend's bucket
 */
public record SavingsMeters(MeterRegistry registry, BiFunction<String, BucketName, String> names)
        implements Consumer<BucketSavings> {
    @Override
    public void accept(BucketSavings account) {
        SavingsSnapshot first = account.statement();
        Tags tags = Tags.of("bucket", name(first), "backend", first.backend(), "backend_bucket", first.bucket());
        gauge(MeterName.SAVED_REQUESTS, account, tags, SavingsSnapshot::requestsSaved);
        gauge(MeterName.SAVED_BYTES, account, tags, SavingsSnapshot::bytesSaved);
        if (first.moneySaved().isPresent()) {
            gauge(
                    MeterName.SAVED_MONEY,
                    account,
                    tags,
                    statement -> statement.moneySaved().orElse(0.0));
        }
    }

    /** Returns the name for clients; empty for the buckets beyond the maximum. */
    private String name(SavingsSnapshot of) {
        return of.bucket().isEmpty() ? "" : names.apply(of.backend(), new BucketName(of.bucket()));
    }

    private void gauge(MeterName meter, BucketSavings account, Tags tags, ToDoubleFunction<SavingsSnapshot> number) {
        Gauge.builder(meter.wireName(), account, one -> number.applyAsDouble(one.statement()))
                .description(meter.description())
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }
}
