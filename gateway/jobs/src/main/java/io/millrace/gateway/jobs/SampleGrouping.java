package io.millrace.gateway.jobs;

import io.millrace.gateway.archive.SampleName;
import io.millrace.gateway.jobs.plan.PlanException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Groups the members of a listing into samples by WebDataset's rule ({@link SampleName}). In the order of keys those of
 * a sample are neighbours, unless a folder's name begins like them. Used by one thread at a time.
 */
final class SampleGrouping {
    /** The samples of the folders around the current one: their members may go on after it. */
    private final Deque<String> around = new ArrayDeque<>();

    private String sample = "";
    private List<PackedMember> members = new ArrayList<>();

    /**
     * Adds a member, and returns the members of the sample that is complete by that; mostly none.
     *
     * @throws PlanException if a sample has too many members, or they are not neighbours
     */
    List<PackedMember> add(String name, PackedMember member) {
        String of = SampleName.of(name);
        List<PackedMember> complete = List.of();
        if (!of.equals(sample)) {
            complete = end();
            begin(of);
        }
        if (members.size() == SampleName.MOST_MEMBERS) {
            throw new PlanException(
                    "sample '%s' has more than %d files: give samples names that differ before their first dot"
                            .formatted(sample, SampleName.MOST_MEMBERS));
        }
        members.add(member);
        return complete;
    }

    /** Returns the members of the last sample. */
    List<PackedMember> end() {
        List<PackedMember> complete = members;
        members = new ArrayList<>();
        return complete;
    }

    private void begin(String next) {
        if (sample.endsWith(".") && next.startsWith(sample)) {
            around.push(sample);
        }
        while (!around.isEmpty() && !next.startsWith(around.element())) {
            around.pop();
        }
        if (next.equals(around.peek())) {
            throw new PlanException(
                    "the files of sample '%s' are listed before and behind a folder whose name begins so: leave one of"
                                    .formatted(next)
                            + " them out by a glob, or pack them apart");
        }
        sample = next;
    }
}
