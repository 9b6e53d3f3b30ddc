package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Formats the progress and the result of a job as one line. */
final class JobProgressText {
    private static final int NARROWEST_BAR = 8;
    private static final int WIDEST_BAR = 40;

    private JobProgressText() {}

    /**
     * Formats a progress bar of at most {@code columns} - 1 characters, because some terminals wrap at the last column.
     * Leaves out the least important parts first if there is no room.
     */
    static String bar(JobSnapshot job, int columns) {
        int lineWidth = Math.max(1, columns - 1);
        List<String> parts = new ArrayList<>(parts(job));
        while (length(job, parts) > lineWidth && !parts.isEmpty()) {
            parts.remove(parts.size() - 1);
        }
        String bar = drawn(job, Math.min(WIDEST_BAR, lineWidth - length(job, parts) - 3));
        String line = activity(job)
                + bar
                + String.join("", parts.stream().map(part -> "  " + part).toList());
        return line.length() > lineWidth ? line.substring(0, lineWidth) : line;
    }

    /** Formats a progress line for a log, with all parts. */
    static String line(JobSnapshot job) {
        return "job %s %s: %s".formatted(job.id(), activity(job), String.join(", ", parts(job)));
    }

    /** Formats the result of a job. */
    static String end(JobSnapshot job) {
        if (job.isDryRun() && job.isDone()) {
            return "job %s (%s, dry run) would process %s (%s); nothing was done%s"
                    .formatted(
                            job.id(),
                            job.kind(),
                            things(job, job.found()),
                            HumanReadable.bytes(job.foundBytes()),
                            message(job));
        }
        StringBuilder text = new StringBuilder("job %s (%s%s) %s: %s done"
                .formatted(
                        job.id(), job.kind(), job.isDryRun() ? ", dry run" : "", state(job), things(job, job.done())));
        if (job.doneBytes() > 0) {
            text.append(" (").append(HumanReadable.bytes(job.doneBytes())).append(')');
        }
        text.append(", ").append(HumanReadable.count(job.skipped())).append(" skipped, ");
        text.append(HumanReadable.count(job.failed())).append(" failed; ");
        text.append(moved(job)).append(" in ");
        text.append(HumanReadable.duration(Duration.ofMillis(job.activeMillis())));
        text.append(message(job));
        if (isEviction(job) && job.movedBytes() > 0) {
            text.append(". The cache's files keep their size until their space is reused");
        }
        return text.toString();
    }

    /** The state, and whether the job only counts. */
    private static String activity(JobSnapshot job) {
        return job.isDryRun() ? job.state() + " (dry run)" : job.state();
    }

    private static String message(JobSnapshot job) {
        if (job.message().isEmpty()) {
            return "";
        }
        String text = TerminalEscaper.escape(job.message());
        return ". " + text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    private static String moved(JobSnapshot job) {
        // A copy inside one backend moves no bytes through the gateway.
        if (job.kind().equals("copy") && job.movedBytes() == 0 && job.doneBytes() > 0) {
            return "copied by the backend";
        }
        return HumanReadable.bytes(job.movedBytes()) + (isEviction(job) ? " evicted" : " moved");
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

    /** The parts of a progress line, the most important first. */
    private static List<String> parts(JobSnapshot job) {
        List<String> parts = new ArrayList<>();
        String more = job.isCounted() ? "" : "+";
        job.percent().ifPresent(percent -> parts.add(HumanReadable.percent(percent)));
        parts.add(objects(job, more));
        if (job.failed() > 0) {
            parts.add(HumanReadable.count(job.failed()) + " failed");
        }
        job.timeLeft().ifPresent(left -> parts.add(HumanReadable.duration(left) + " left"));
        if (job.foundBytes() > 0) {
            parts.add(HumanReadable.bytesFraction(job.passedBytes(), job.foundBytes()) + more);
        }
        rate(job).ifPresent(parts::add);
        return parts;
    }

    private static String objects(JobSnapshot job, String more) {
        if (job.found() == 0 && !job.isCounted()) {
            return isPack(job) ? "arranging its shards" : "no object found yet";
        }
        return "%s/%s%s %ss"
                .formatted(HumanReadable.count(job.finished()), HumanReadable.count(job.found()), more, thing(job));
    }

    /** Bytes per second, or things per second if no bytes are transferred; empty unless the job is working. */
    static Optional<String> rate(JobSnapshot job) {
        double bytes = job.bytesPerSecond().orElse(0);
        double objects = job.objectsPerSecond().orElse(0);
        if (job.bytesPerSecond().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                bytes > 0 || objects == 0
                        ? HumanReadable.bytes(Math.round(bytes)) + "/s"
                        : String.format(Locale.ROOT, objects < 10 ? "%.1f %ss/s" : "%.0f %ss/s", objects, thing(job)));
    }

    private static String drawn(JobSnapshot job, int width) {
        if (width < NARROWEST_BAR) {
            return "";
        }
        int full = (int) Math.round(width * job.percent().orElse(0) / 100);
        return " [" + "#".repeat(full) + "-".repeat(width - full) + "]";
    }

    private static int length(JobSnapshot job, List<String> parts) {
        return activity(job).length()
                + parts.stream().mapToInt(part -> part.length() + 2).sum();
    }

    private static String things(JobSnapshot job, long count) {
        return HumanReadable.count(count) + " " + thing(job) + (count == 1 ? "" : "s");
    }

    /** What the job counts: a pack has found its shards when they are arranged. */
    private static String thing(JobSnapshot job) {
        return isPack(job) ? "shard" : "object";
    }

    private static boolean isPack(JobSnapshot job) {
        return job.kind().equals("pack");
    }
}
