package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.AllowRule;
import io.millrace.auth.Principal;
import io.millrace.gateway.control.GatewayStatus.CacheNumbers;
import io.millrace.gateway.control.GatewayStatus.DiskNumbers;
import io.millrace.gateway.control.GatewayStatus.ScrubNumbers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** A disk that is not read is not said to be compared; a lost one is in {@code ApiLostDiskTest} too. */
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
        assertThat(controller("resting").scrub(ADMIN, "0").state()).isEqualTo("resting");
        assertThat(scrubbed).containsExactly(0);
    }

    private DisksController controller(String state) {
        ScrubNumbers scrub = new ScrubNumbers(false, 0, Optional.empty(), 0, 0, 0, Optional.empty());
        DiskNumbers disk = new DiskNumbers(0, "/cache", state, "", 1, 0, 1, 0, 0, 0, scrub);
        CacheNumbers cache = new CacheNumbers(0, 1, 1, 0, 0, List.of(disk), true, List.of());
        GatewayStatus status = new GatewayStatus("1", Instant.EPOCH, 0, 0, List.of(), Optional.of(cache), List.of());
        return new DisksController(
                new Operators(new AccessPolicy(name -> Set.of())), () -> status, Optional.of(new Work()));
    }

    private final class Work implements DiskWork {
        @Override
        public boolean scrub(int disk) {
            return scrubbed.add(disk);
        }

        @Override
        public Mono<Void> takeBack(int disk) {
            return Mono.empty();
        }
    }
}
