package io.millrace.gateway.observe;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.gateway.saving.Account;
import io.millrace.gateway.saving.Account.Statement;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** Shows what was saved of each bucket. As many series as there are accounts, which are bounded. */
public final class SavingMeters implements Consumer<Account> {
    private final MeterRegistry registry;

    public SavingMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void accept(Account account) {
        Statement first = account.statement();
        Tags tags = Tags.of("backend", first.backend(), "bucket", first.bucket());
        gauge(Meter.SAVED_REQUESTS, account, tags, Statement::requestsSaved);
        gauge(Meter.SAVED_BYTES, account, tags, Statement::bytesSaved);
        if (first.moneySaved().isPresent()) {
            gauge(
                    Meter.SAVED_MONEY,
                    account,
                    tags,
                    statement -> statement.moneySaved().orElse(0.0));
        }
    }

    private void gauge(Meter meter, Account account, Tags tags, ToDoubleFunction<Statement> number) {
        Gauge.builder(meter.wireName(), account, one -> number.applyAsDouble(one.statement()))
                .description(meter.description())
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }
}
