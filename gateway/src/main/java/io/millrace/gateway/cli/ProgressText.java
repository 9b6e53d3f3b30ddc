package io.millrace.gateway.cli;

import io.millrace.gateway.cli.Rates.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is told of a job while it goes on. */
final class ProgressText {
    private static final int NARROWEST_BAR = 8;
    private static final int WIDEST_BAR = 40;

    private ProgressText() {}

    /**
     * One line of {@code columns} - 1 characters at most: in the last column, some terminals begin a new line. What there is no room
     * for is left out, the least important first.
     */
    static String bar(JobSnapshot job, Rate rate, int columns) {
        int room = Math.max(1, columns - 1);
        List<String> parts = new ArrayList<>(parts(job, rate));
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
    static String line(JobSnapshot job, Rate rate) {
        return "job %s %s: %s".formatted(job.id(), job.state(), String.join(", ", parts(job, rate)));
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
        text.append(Amounts.bytes(job.movedBytes())).append(" moved in ");
        text.append(Amounts.duration(Duration.ofMillis(job.activeMillis())));
        if (!job.message().isEmpty()) {
            text.append(". ").append(PlainText.of(job.message()));
        }
        return text.toString();
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
    private static List<String> parts(JobSnapshot job, Rate rate) {
        List<String> parts = new ArrayList<>();
        String more = job.isCounted() ? "" : "+";
        if (job.isCounted() && job.found() > 0) {
            parts.add(percent(job) + "%");
        }
        parts.add("%s/%s%s objects".formatted(Amounts.count(job.ended()), Amounts.count(job.found()), more));
        if (job.failed() > 0) {
            parts.add(Amounts.count(job.failed()) + " failed");
        }
        rate.left().ifPresent(left -> parts.add(Amounts.duration(left) + " left"));
        if (job.foundBytes() > 0) {
            parts.add(Amounts.bytesOf(job.endedBytes(), job.foundBytes()) + more);
        }
        if (job.isActive() && !rate.equals(Rate.UNKNOWN)) {
            parts.add(
                    rate.bytes() > 0 || rate.objects() == 0
                            ? Amounts.bytes(Math.round(rate.bytes())) + "/s"
                            : String.format(Locale.ROOT, "%.0f objects/s", rate.objects()));
        }
        return parts;
    }

    /** Not 100 before the end: bytes tell more, unless they are unknown. */
    private static int percent(JobSnapshot job) {
        return (int) (100 * share(job));
    }

    private static double share(JobSnapshot job) {
        if (job.found() == 0 || !job.isCounted()) {
            return 0;
        }
        double objects = (double) job.ended() / job.found();
        double bytes = job.foundBytes() > 0 ? (double) job.endedBytes() / job.foundBytes() : objects;
        return job.ended() >= job.found() ? 1 : Math.max(0, Math.min(0.99, bytes));
    }

    private static String drawn(JobSnapshot job, int width) {
        if (width < NARROWEST_BAR) {
            return "";
        }
        int full = (int) Math.round(width * share(job));
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
