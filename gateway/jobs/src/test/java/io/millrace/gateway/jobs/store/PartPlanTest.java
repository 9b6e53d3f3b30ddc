package io.millrace.gateway.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ByteRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how objects are divided into parts. */
class PartPlanTest {
    private static final long MIB = 1 << 20;

    @ParameterizedTest
    @CsvSource({"129, 8, 17", "256, 8, 32", "300, 8, 38", "2048, 32, 64", "10240, 64, 160", "640000, 64, 10000"})
    void partsAreShareWithinBounds(long size, long part, int count) {
        PartPlan plan = PartPlan.of(size * MIB);

        assertThat(plan.partBytes()).isEqualTo(part * MIB);
        assertThat(plan.count()).isEqualTo(count);
        assertThat(plan.range(count)).isEqualTo(new ByteRange((count - 1) * part * MIB, size * MIB - 1));
    }

    @ParameterizedTest
    @CsvSource({"640001", "5242880"})
    void largestObjectsHaveTenThousandParts(long size) {
        PartPlan plan = PartPlan.of(size * MIB);

        assertThat(plan.count()).isLessThanOrEqualTo(10_000);
        assertThat(plan.range(plan.count()).last()).isEqualTo(size * MIB - 1);
    }
}
