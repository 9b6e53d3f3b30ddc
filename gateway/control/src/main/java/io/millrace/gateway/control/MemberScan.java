package io.millrace.gateway.control;

import java.util.List;
import java.util.Optional;

/**
 * The place of a residency scan that goes through all members, one after another, this one first: so the steps of all
 * are added up as those of one are.
 *
 * @param others the other members, in order
 * @param member the one whose step it is
 * @param from where its own scan goes on; empty at its beginning
 */
record MemberScan(String self, List<String> others, String member, String from) {
    /** No name of a member has it, and no position of a scan. */
    private static final char BETWEEN = '@';

    /** Reads the {@code from} of a request: without a member it is a position here. */
    static MemberScan parse(String from, SharedCacheMembers members) {
        int between = from.indexOf(BETWEEN);
        return between < 0
                ? new MemberScan(members.self(), members.others(), members.self(), from)
                : new MemberScan(
                        members.self(), members.others(), from.substring(0, between), from.substring(between + 1));
    }

    boolean isHere() {
        return member.equals(self);
    }

    /** Returns the step of the member as one of all: with the progress of all, and the member that is next. */
    ResidencyView ofAll(ResidencyView step) {
        if (others.isEmpty()) {
            return step;
        }
        List<String> later = others.stream()
                .filter(other -> isHere() || other.compareTo(member) > 0)
                .toList();
        Optional<String> next = step.next()
                .map(position -> member + BETWEEN + position)
                .or(() -> later.stream().findFirst().map(other -> other + BETWEEN));
        double members = others.size() + 1;
        double before = isHere() ? 0 : Math.max(1, others.size() - later.size());
        return step.with(Math.min(1, (before + step.read()) / members), next);
    }
}
