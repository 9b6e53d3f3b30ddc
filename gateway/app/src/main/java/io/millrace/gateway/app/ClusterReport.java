package io.millrace.gateway.app;

import io.millrace.gateway.cluster.ClusterStatus;
import io.millrace.gateway.cluster.ClusterStatus.Homes;
import io.millrace.gateway.control.ClusterView;
import io.millrace.gateway.control.ClusterView.MemberState;
import io.millrace.gateway.control.ClusterView.MemberView;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The state of a cluster in an operator's words: of each member, what is wrong and what to do. */
final class ClusterReport {
    /** After this silence a member is away: it asks for leases several times in it. */
    private static final Duration AWAY = Duration.ofSeconds(5);

    private ClusterReport() {}

    /**
     * @param homes what is at home where; empty if objects have no homes here
     * @param copied the bytes that are stored here beside their homes
     */
    static ClusterView of(ClusterStatus status, Duration lease, Optional<Homes> homes, long copied) {
        List<MemberView> members = status.members().stream()
                .map(member -> view(member, status.node(), lease, homes))
                .toList();
        return new ClusterView(
                status.cluster(),
                status.node(),
                status.ready(),
                status.leaseHeld(),
                (homes.isPresent() ? ClusterSettings.Placement.SHARED : ClusterSettings.Placement.BALANCER)
                        .name()
                        .toLowerCase(Locale.ROOT),
                homes.map(of -> homePercent(of, status.node())),
                homes.map(of -> copied),
                status.ready() ? "" : whyUnready(status),
                homes.map(Homes::advice).orElse(""),
                members);
    }

    /** Returns tenths of a percent: the share is one of a sample. */
    private static double homePercent(Homes homes, String member) {
        return Math.round(1000 * homes.shares().getOrDefault(member, 0.0)) / 10.0;
    }

    private static MemberView view(ClusterStatus.Member member, String self, Duration lease, Optional<Homes> homes) {
        MemberState state = state(member, lease);
        return new MemberView(
                member.name(),
                member.address(),
                state.text(),
                member.confirmed(),
                member.leaseHeld(),
                member.silence().map(Duration::toMillis),
                member.unacknowledged(),
                member.missed(),
                homes.map(of -> homePercent(of, member.name())),
                homes.map(of -> of.relayed().getOrDefault(member.name(), 0L)),
                homes.map(of -> of.fallbacks().getOrDefault(member.name(), 0L)),
                message(state, member, self, homes.isPresent()));
    }

    private static MemberState state(ClusterStatus.Member member, Duration lease) {
        if (member.refusal().isPresent()) {
            return MemberState.REFUSES;
        }
        // What it last said of its list may be long over.
        if (member.silence().isEmpty() || member.silence().get().compareTo(longest(lease)) > 0) {
            return MemberState.AWAY;
        }
        if (member.listed().equals(Optional.of(false))) {
            return MemberState.LISTS_DIFFER;
        }
        return member.paused().isZero() ? MemberState.HEARD : MemberState.PAUSED;
    }

    private static Duration longest(Duration lease) {
        return lease.compareTo(AWAY) > 0 ? lease : AWAY;
    }

    private static String message(MemberState state, ClusterStatus.Member member, String self, boolean shared) {
        return switch (state) {
            case HEARD -> "";
            case REFUSES ->
                "%s %s.".formatted(member.name(), member.refusal().orElseThrow().text());
            case LISTS_DIFFER ->
                ("%1$s does not have %2$s on its list: write the same cluster.members at all members, and reload them."
                                + " To remove %2$s, stop it first.")
                        .formatted(member.name(), self);
            case AWAY ->
                ("%s at %s does not respond%s: start it, and check the network between the two. While it is away,"
                                + " strong buckets revalidate%s; if it does not come back, take it off"
                                + " cluster.members.")
                        .formatted(
                                member.name(),
                                member.address(),
                                member.problem().map(" (%s)"::formatted).orElse(""),
                                shared
                                        ? ", and the objects whose home it is have another one, which fetches them"
                                                + " from the backend"
                                        : "");
            case PAUSED ->
                "%s was slow to acknowledge writes, and gets no lease for another %d s: check its disks and its load."
                        .formatted(member.name(), member.paused().toSeconds() + 1);
        };
    }

    /** Returns which members have not confirmed this one, in a sentence. */
    static String whyUnready(ClusterStatus status) {
        String missing = status.members().stream()
                .filter(member -> !member.confirmed())
                .map(ClusterStatus.Member::name)
                .collect(Collectors.joining(", "));
        return ("Not yet confirmed by %s: this gateway takes no writes until each member of its list has it on its own"
                        + " list, and has said so. See 'millrace cluster status'.")
                .formatted(missing.isEmpty() ? "all members" : missing);
    }
}
