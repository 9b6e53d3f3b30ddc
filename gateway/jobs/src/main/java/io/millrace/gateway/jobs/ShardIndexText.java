package io.millrace.gateway.jobs;

/**
 * The text of the index of a shard, as {@code wds2idx} of NVIDIA DALI makes it: the number of samples, and a line for
 * each with the extension, place, size and name of each member. Used by one thread at a time.
 */
final class ShardIndexText {
    private String sample = "";
    private long samples;

    /** Returns the first line. */
    static String head(long samples) {
        return "v1.2 " + samples + "\n";
    }

    /** Returns the text that another member adds; empty for a file whose name begins with a dot. */
    String add(TarLayout.Placed member) {
        String name = member.name();
        int dot = name.indexOf('.', name.lastIndexOf('/') + 1);
        // Of a name without a dot that tool takes the last character for one.
        String base = name.substring(0, dot < 0 ? name.length() - 1 : dot);
        if (base.isEmpty() || base.endsWith("/")) {
            return "";
        }
        String separator = base.equals(sample) ? " " : samples == 0 ? "" : "\n";
        if (!base.equals(sample)) {
            sample = base;
            samples++;
        }
        return separator
                + name.substring(dot + 1)
                + ' '
                + member.content()
                + ' '
                + member.member().size()
                + ' '
                + name;
    }

    /** Returns the samples so far. */
    long samples() {
        return samples;
    }

    /** Returns the text behind the last member. */
    String end() {
        return samples == 0 ? "" : "\n";
    }
}
