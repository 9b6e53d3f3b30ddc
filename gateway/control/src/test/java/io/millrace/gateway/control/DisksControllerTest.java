package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.GatewayStatus.CacheUsage;
import io.millrace.gateway.control.GatewayStatus.DiskStatus;
import io.millrace.gateway.control.GatewayStatus.ReadCounts;
import io.millrace.gateway.control.GatewayStatus.ScrubStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** Tests that a scrub of a disk that cannot be read is refused; {@code ApiLostDiskTest} covers lost disks. */
class DisksControllerTest {
    private static final Principal ADMIN = new Principal("admin", List.of(AllowRule.parse("*")));

    private final List<Integer> scrubbed = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"failing, cannot be read now", "lost, is lost"})
    void diskThatCannotBeReadIsNotScrubbed(String state, String why) {
        assertThatThrownBy(() -> controller(state).scrub(ADMIN, "0"))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.problem().status()).isEqualTo(409))
                .hasMessageContaining("The cache folder /cache " + why);
        assertThat(scrubbed).isEmpty();
    }

    @Test
    void diskThatIsReadIsScrubbed() {
        assertThat(controller("paused").scrub(ADMIN, "0").state()).isEqualTo("paused");
        assertThat(scrubbed).containsExactly(0);
    }

    private DisksController controller(String state) {
        ScrubStatus scrub = new ScrubStatus(false, 0, Optional.empty(), 0, 0, 0, Optional.empty(), Optional.empty());
        DiskStatus disk = new DiskStatus(
                0, "/cache", state, Instant.EPOCH, "", 1, 0, 1, 0, 0, 0, Optional.empty(), Optional.empty(), scrub);
        CacheUsage cache = new CacheUsage(0, 1, 1, 0, 0, List.of(disk), true, List.of());
        GatewayStatus status = new GatewayStatus(
                "1",
                Instant.EPOCH,
                0,
                0,
                List.of(),
                List.of(),
                Optional.of(cache),
                new ReadCounts(0, 0, 0, 0),
                List.of());
        return new DisksController(
                new ControlAuthorizer(new Authorizer(name -> BucketPolicy.NONE)),
                () -> status,
                Optional.of(new Work()));
    }

    private final class Work implements DiskOperations {
        @Override
        public boolean scrub(int disk) {
            return scrubbed.add(disk);
        }

        @Override
        public Mono<Void> reattach(int disk) {
            return Mono.empty();
        }
    }
}
