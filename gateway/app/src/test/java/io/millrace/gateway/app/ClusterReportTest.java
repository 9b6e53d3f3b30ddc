package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.cluster.ClusterStatus;
import io.millrace.gateway.cluster.ClusterStatus.Homes;
import io.millrace.gateway.control.ClusterView;
import io.millrace.gateway.control.ClusterView.MemberState;
import io.millrace.gateway.control.ClusterView.MemberView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that each member's state is the one that an operator must do something about now. */
class ClusterReportTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Homes HOMES = new Homes(
            Map.of("gw-0", 0.3333, "gw-1", 0.6667), Map.of("gw-1", 5L), Map.of("gw-1", 2L), "another placement");

    /** It was stopped after it had been told to take this one off, or before it was reloaded. */
    @Test
    void memberThatIsAwayIsAwayWhateverItLastSaid() {
        MemberView away = view(Duration.ofSeconds(6), false);

        assertThat(away.state()).isEqualTo(MemberState.AWAY.text());
        assertThat(away.message()).contains("does not respond");
    }

    @Test
    void homesOfAMemberThatIsAwayAreNamedWhereThereAreSome() {
        assertThat(view(Duration.ofSeconds(6), true, true).message()).contains("whose home it is have another one");
        assertThat(view(Duration.ofSeconds(6), true, false).message()).doesNotContain("home");
    }

    @Test
    void placementIsShown() {
        ClusterStatus alone = new ClusterStatus("prod", "gw-0", true, true, List.of());

        assertThat(ClusterReport.of(alone, LEASE, Optional.of(HOMES), 0).placement())
                .isEqualTo("shared");
        assertThat(ClusterReport.of(alone, LEASE, Optional.empty(), 0).placement())
                .isEqualTo("balancer");
    }

    @Test
    void homesAreCountedByMemberWhereThereAreSome() {
        ClusterStatus status = new ClusterStatus("prod", "gw-0", true, true, List.of(member(Duration.ZERO, true)));

        ClusterView shown = ClusterReport.of(status, LEASE, Optional.of(HOMES), 4096);
        ClusterView without = ClusterReport.of(status, LEASE, Optional.empty(), 0);

        assertThat(shown.homePercent()).contains(33.3);
        assertThat(shown.copiedBytes()).contains(4096L);
        assertThat(shown.advice()).isEqualTo("another placement");
        assertThat(shown.members().get(0).homePercent()).contains(66.7);
        assertThat(shown.members().get(0).relayedReads()).contains(5L);
        assertThat(shown.members().get(0).fallbacks()).contains(2L);
        assertThat(without.homePercent()).isEmpty();
        assertThat(without.members().get(0).relayedReads()).isEmpty();
    }

    @Test
    void memberThatIsNotHeardIsHomeOfNothing() {
        ClusterStatus status = new ClusterStatus("prod", "gw-0", true, true, List.of(member(Duration.ZERO, true)));
        Homes alone = new Homes(Map.of("gw-0", 1.0), Map.of(), Map.of(), "");

        assertThat(ClusterReport.of(status, LEASE, Optional.of(alone), 0)
                        .members()
                        .get(0)
                        .homePercent())
                .contains(0.0);
    }

    @Test
    void memberThatRespondsAndDoesNotListThisOneDiffers() {
        assertThat(view(Duration.ofSeconds(1), false).state()).isEqualTo(MemberState.LISTS_DIFFER.text());
        assertThat(view(Duration.ofSeconds(1), true).state()).isEqualTo(MemberState.HEARD.text());
    }

    private static MemberView view(Duration silence, boolean listed) {
        return view(silence, listed, false);
    }

    private static MemberView view(Duration silence, boolean listed, boolean shared) {
        ClusterStatus status = new ClusterStatus("prod", "gw-0", false, false, List.of(member(silence, listed)));
        return ClusterReport.of(status, LEASE, shared ? Optional.of(HOMES) : Optional.empty(), 0)
                .members()
                .get(0);
    }

    private static ClusterStatus.Member member(Duration silence, boolean listed) {
        return new ClusterStatus.Member(
                "gw-1",
                "gw-1:7800",
                Optional.of(silence),
                false,
                Optional.of(listed),
                false,
                false,
                false,
                0,
                Optional.empty(),
                Duration.ZERO,
                0,
                Optional.empty(),
                Optional.empty());
    }
}
