package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A scan of residency goes through all members, each from its beginning to its end, and its progress only grows. */
class MemberScanTest {
    private final FakeMembers members =
            new FakeMembers().withSilent("gw-0").withSilent("gw-2").withSilent("gw-3");

    @Test
    void stepsGoThroughAllMembersThisOneFirst() {
        List<String> asked = new ArrayList<>();
        List<Double> progress = new ArrayList<>();
        Optional<String> from = Optional.of("");
        while (from.isPresent()) {
            MemberScan scan = MemberScan.parse(from.get(), members);
            asked.add(scan.member() + " from " + scan.from());
            boolean isFirst = scan.from().isEmpty();
            Optional<String> more = isFirst ? Optional.of("k%40y/") : Optional.empty();
            ResidencyView step = scan.ofAll(step(isFirst ? 0.5 : 1, more));
            progress.add(step.read());
            from = step.next();
        }

        assertThat(asked)
                .containsExactly(
                        "gw-1 from ",
                        "gw-1 from k%40y/",
                        "gw-0 from ",
                        "gw-0 from k%40y/",
                        "gw-2 from ",
                        "gw-2 from k%40y/",
                        "gw-3 from ",
                        "gw-3 from k%40y/");
        assertThat(progress).isSorted().endsWith(1.0).doesNotHaveDuplicates();
    }

    @Test
    void memberThatWasTakenOffTheListIsPassed() {
        MemberScan scan = MemberScan.parse("gw-1a@key/", members);

        assertThat(scan.isHere()).isFalse();
        assertThat(scan.ofAll(step(1, Optional.empty())).next()).contains("gw-2@");
    }

    @Test
    void stepsOfAGatewayAloneAreItsOwn() {
        MemberScan scan = MemberScan.parse("key/", SharedCacheMembers.NONE);

        assertThat(scan.isHere()).isTrue();
        assertThat(scan.from()).isEqualTo("key/");
        assertThat(scan.ofAll(step(0.5, Optional.of("later/"))).next()).contains("later/");
    }

    private static ResidencyView step(double read, Optional<String> next) {
        return new ResidencyView(
                "data",
                Optional.empty(),
                "",
                1,
                1,
                1,
                1,
                Optional.empty(),
                Optional.empty(),
                read,
                next,
                Optional.empty());
    }
}
