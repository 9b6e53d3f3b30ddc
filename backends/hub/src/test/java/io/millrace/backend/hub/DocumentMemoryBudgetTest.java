package io.millrace.backend.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Documents in memory have a bound together, and give back all they took. */
class DocumentMemoryBudgetTest {
    @Test
    void documentsBeyondTheLimitAreRefused() {
        DocumentMemoryBudget memory = new DocumentMemoryBudget(100);
        DocumentMemoryBudget.Reservation one = memory.begin();
        DocumentMemoryBudget.Reservation other = memory.begin();
        one.add(60);
        one.add(20);
        other.add(20);

        BackendException refusal = Assertions.assertThrows(BackendException.class, () -> other.add(1));

        assertThat(refusal.kind()).as("of the gateway, not of the Hub").isEqualTo(FailureKind.BUSY);
        assertThat(memory.used()).as("the refused one has given back").isEqualTo(80);
        one.release();
        one.release();
        other.release();
        assertThat(memory.used()).isZero();
    }

    @Test
    void pageCountsAsAUsualOneUntilItIsLarger() {
        DocumentMemoryBudget memory = new DocumentMemoryBudget(1 << 20);
        DocumentMemoryBudget.Reservation document = memory.begin();

        IntConsumer page = document.page();
        long before = memory.used();
        page.accept(1000);
        assertThat(memory.used()).isEqualTo(before).isPositive();
        page.accept((int) before + 10);
        page.accept((int) before + 30);
        assertThat(memory.used()).isEqualTo(before + 30);

        BackendException refusal = Assertions.assertThrows(BackendException.class, () -> page.accept(2 << 20));
        assertThat(refusal.kind()).isEqualTo(FailureKind.BUSY);
        assertThat(memory.used()).isZero();
    }

    @Test
    void bytesAfterTheReleaseAreNotCounted() {
        DocumentMemoryBudget memory = new DocumentMemoryBudget(100);
        DocumentMemoryBudget.Reservation document = memory.begin();
        document.release();

        document.add(50);

        assertThat(memory.used()).isZero();
    }
}
