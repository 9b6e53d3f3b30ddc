package io.millrace.gateway.archive;

/**
 * WebDataset's rule for which members of a shard are one sample: those of one folder whose names are the same up to
 * their first dot. A file without a dot, or whose name begins with one, is a sample of its own.
 */
public final class SampleName {
    /** The most members of a sample: who handles one has all of them in memory. */
    public static final int MOST_MEMBERS = 1000;

    private SampleName() {}

    /** Returns the sample of a member, by its name in the shard: that up to its first dot, which no other one has. */
    public static String of(String member) {
        int slash = member.lastIndexOf('/');
        int dot = member.indexOf('.', slash + 1);
        return dot > slash + 1 ? member.substring(0, dot + 1) : member;
    }
}
