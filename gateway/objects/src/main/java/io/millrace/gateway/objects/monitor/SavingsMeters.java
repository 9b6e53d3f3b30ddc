package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.savings.BucketSavings;
import io.millrace.gateway.objects.savings.BucketSavings.Statement;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** Shows what was saved of each bucket, by the names that clients use and by the backend's. As many series as there are accounts, which are bounded. */
public final class SavingsMeters implements Consumer<BucketSavings> {
    private final MeterRegistry registry;
    private final BiFunction<String, BucketName, String> names;

    /** @param names of a bucket of a backend for clients */
    public SavingsMeters(MeterRegistry registry, BiFunction<String, BucketName, String> names) {
        this.registry = registry;
        this.names = names;
    }

    @Override
    public void accept(BucketSavings account) {
        Statement first = account.statement();
        Tags tags = Tags.of("bucket", name(first), "backend", first.backend(), "backend_bucket", first.bucket());
        gauge(MeterName.SAVED_REQUESTS, account, tags, Statement::requestsSaved);
        gauge(MeterName.SAVED_BYTES, account, tags, Statement::bytesSaved);
        if (first.moneySaved().isPresent()) {
            gauge(
                    MeterName.SAVED_MONEY,
                    account,
                    tags,
                    statement -> statement.moneySaved().orElse(0.0));
        }
    }

    /** That for all which are too many to tell apart is empty. */
    private String name(Statement of) {
        return of.bucket().isEmpty() ? "" : names.apply(of.backend(), new BucketName(of.bucket()));
    }

    private void gauge(MeterName meter, BucketSavings account, Tags tags, ToDoubleFunction<Statement> number) {
        Gauge.builder(meter.wireName(), account, one -> number.applyAsDouble(one.statement()))
                .description(meter.description())
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }
}
