package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.cluster.ClusterStatus;
import io.millrace.gateway.control.ClusterView.MemberState;
import io.millrace.gateway.control.ClusterView.MemberView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that each member's state is the one that an operator must do something about now. */
class ClusterReportTest {
    private static final Duration LEASE = Duration.ofSeconds(3);

    /** It was stopped after it had been told to take this one off, or before it was reloaded. */
    @Test
    void memberThatIsAwayIsAwayWhateverItLastSaid() {
        MemberView away = view(Duration.ofSeconds(6), false);

        assertThat(away.state()).isEqualTo(MemberState.AWAY.text());
        assertThat(away.message()).contains("does not respond");
    }

    @Test
    void memberThatRespondsAndDoesNotListThisOneDiffers() {
        assertThat(view(Duration.ofSeconds(1), false).state()).isEqualTo(MemberState.LISTS_DIFFER.text());
        assertThat(view(Duration.ofSeconds(1), true).state()).isEqualTo(MemberState.HEARD.text());
    }

    private static MemberView view(Duration silence, boolean listed) {
        ClusterStatus.Member member = new ClusterStatus.Member(
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
        return ClusterReport.of(new ClusterStatus("prod", "gw-0", false, false, List.of(member)), LEASE)
                .members()
                .get(0);
    }
}
