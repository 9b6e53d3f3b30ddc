package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What is told of a job while it goes on. */
final class ProgressText {
    private static final int NARROWEST_BAR = 8;
    private static final int WIDEST_BAR = 40;

    private ProgressText() {}

    /**
     * One line of {@code columns} - 1 characters at most: in the last column, some terminals begin a new line. What there is no room
     * for is left out, the least important first.
     */
    static String bar(JobSnapshot job, int columns) {
        int room = Math.max(1, columns - 1);
        List<String> parts = new ArrayList<>(parts(job));
        while (length(job, parts) > room && !parts.isEmpty()) {
            parts.remove(parts.size() - 1);
        }
        String bar = drawn(job, Math.min(WIDEST_BAR, room - length(job, parts) - 3));
        String line = job.state()
                + bar
                + String.join("", parts.stream().map(part -> "  " + part).toList());
        return line.length() > room ? line.substring(0, room) : line;
    }

    /** One line for a log: everything, in words. */
    static String line(JobSnapshot job) {
        return "job %s %s: %s".formatted(job.id(), job.state(), String.join(", ", parts(job)));
    }

    /** How it ended, in one line. */
    static String end(JobSnapshot job) {
        if (job.isDryRun() && job.isDone()) {
            return "job %s (%s) would be about %s (%s); nothing was done"
                    .formatted(job.id(), job.kind(), objects(job.found()), Amounts.bytes(job.foundBytes()));
        }
        StringBuilder text = new StringBuilder(
                "job %s (%s) %s: %s done".formatted(job.id(), job.kind(), state(job), objects(job.done())));
        if (job.doneBytes() > 0) {
            text.append(" (").append(Amounts.bytes(job.doneBytes())).append(')');
        }
        text.append(", ").append(Amounts.count(job.skipped())).append(" skipped, ");
        text.append(Amounts.count(job.failed())).append(" failed; ");
        text.append(Amounts.bytes(job.movedBytes())).append(isEviction(job) ? " evicted in " : " moved in ");
        text.append(Amounts.duration(Duration.ofMillis(job.activeMillis())));
        if (!job.message().isEmpty()) {
            text.append(". ").append(PlainText.of(job.message()));
        }
        if (isEviction(job) && job.movedBytes() > 0) {
            text.append(". Its files stay as large as they are until the cache reuses them for what comes next");
        }
        return text.toString();
    }

    private static boolean isEviction(JobSnapshot job) {
        return job.kind().equals("evict");
    }

    private static String state(JobSnapshot job) {
        return switch (job.state()) {
            case "done" -> "is done";
            case "done-with-failures" -> "ended with failures";
            case "cancelled" -> "was cancelled";
            case "paused" -> "is paused";
            default -> job.state();
        };
    }

    /** The most important first. */
    private static List<String> parts(JobSnapshot job) {
        List<String> parts = new ArrayList<>();
        String more = job.isCounted() ? "" : "+";
        job.percent().ifPresent(percent -> parts.add(Amounts.percent(percent)));
        parts.add("%s/%s%s objects".formatted(Amounts.count(job.ended()), Amounts.count(job.found()), more));
        if (job.failed() > 0) {
            parts.add(Amounts.count(job.failed()) + " failed");
        }
        job.left().ifPresent(left -> parts.add(Amounts.duration(left) + " left"));
        if (job.foundBytes() > 0) {
            parts.add(Amounts.bytesOf(job.passedBytes(), job.foundBytes()) + more);
        }
        rate(job).ifPresent(parts::add);
        return parts;
    }

    /** Bytes a second, or objects where none move; empty unless the job works. */
    static Optional<String> rate(JobSnapshot job) {
        double bytes = job.bytesPerSecond().orElse(0);
        double objects = job.objectsPerSecond().orElse(0);
        if (job.bytesPerSecond().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                bytes > 0 || objects == 0
                        ? Amounts.bytes(Math.round(bytes)) + "/s"
                        : String.format(Locale.ROOT, "%.0f objects/s", objects));
    }

    private static String drawn(JobSnapshot job, int width) {
        if (width < NARROWEST_BAR) {
            return "";
        }
        int full = (int) Math.round(width * job.percent().orElse(0) / 100);
        return " [" + "#".repeat(full) + "-".repeat(width - full) + "]";
    }

    private static int length(JobSnapshot job, List<String> parts) {
        return job.state().length()
                + parts.stream().mapToInt(part -> part.length() + 2).sum();
    }

    private static String objects(long count) {
        return Amounts.count(count) + (count == 1 ? " object" : " objects");
    }
}
