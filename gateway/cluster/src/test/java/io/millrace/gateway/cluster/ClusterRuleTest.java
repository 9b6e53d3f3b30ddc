package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every rule of the protocol is needed: without it a fixed schedule breaks a promise, which random faults need many
 * seeds for, or never do. The rules of which single messages decide are in {@code AnnouncedWritesTest}.
 */
class ClusterRuleTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void promisesBreakWithoutARule(Alteration alteration) {
        assertThat(FixedSchedule.values())
                .anySatisfy(schedule ->
                        assertThat(schedule.run(alteration).violations).isNotEmpty());
    }
}
